/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section_file.h - sections that came one by one, put together to an ELF file
 *
 * Private to this room.  A server hands out the bytes of a section and nothing else of its header,
 * so what readers need of it is found here: the file's byte order, by the note of the build-id,
 * and whether a section is packed, by what packed ones begin with (a compression header, gABI
 * chapter "Sections", that agrees with the first bytes of zlib or zstd behind it).  The headers of
 * packed sections become those of a 64-bit file, which is what is written, whatever they were:
 * nothing in debug information depends on the file's class.  Symbol tables do: one is called so
 * only if its entries look like those of 64 bits.  Symbols name sections of the file that the
 * table came from, by numbers that mean nothing here.
 *
 * The file has no program headers and no code.  Its bytes are as hostile as they came.
 */
#ifndef ASSAY_FETCH_SECTION_FILE_H
#define ASSAY_FETCH_SECTION_FILE_H

#include <stddef.h>

#define SECTION_FILE_PARTS_MAX 16
#define SECTION_FILE_NOTE ".note.gnu.build-id"
#define SECTION_FILE_SYMBOLS ".symtab"
#define SECTION_FILE_STRINGS ".strtab"

struct section_part {
	const char *name;	/* SECTION_FILE_NOTE of the first one */
	int fd;			/* borrowed; all of it is the section */
};

/*
 * Writes @parts into the empty file @out_fd.  0; -EBADMSG where the first is no note, -EFBIG where
 * there are too many or the file may not grow so large, or an error of reading or writing.
 */
int section_file_write(const struct section_part *parts, size_t count, int out_fd);

#endif
