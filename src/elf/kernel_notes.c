/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/kernel_notes.h"

#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"

/*
 * Limit on the size of the notes. One read from sysfs returns at most this much, and real notes
 * take a few hundred bytes.
 */
#define NOTES_MAX_BYTES 4096

int kernel_notes_build_id(const char *path, uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX],
			  size_t *ret_size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t notes[NOTES_MAX_BYTES];
	ssize_t got = fd < 0 ? -1 : read(fd, notes, sizeof(notes));
	size_t size;

	if (got < 0)
		return -errno;
	size = elf_note_build_id(notes, (size_t)got, false, ret_build_id);
	if (size == 0)
		return -ENODATA;
	*ret_size = size;
	return 0;
}
