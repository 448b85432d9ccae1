/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that a vmlinux or a copy of kallsyms describes the kernel that was recorded. */
#include <fcntl.h>
#include <inttypes.h>

#include "elf/kernel_notes.h"
#include "symbolize/recorded.h"
#include "symbolize/symbolize.h"

#define KALLSYMS "/proc/kallsyms"

const char *build_id_text(const uint8_t *build_id, size_t size,
			  char text[static BUILD_ID_TEXT_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	if (size == 0)
		return "none";
	for (size_t i = 0; i < size; i++) {
		text[2 * i] = digits[build_id[i] >> 4];
		text[2 * i + 1] = digits[build_id[i] & 15];
	}
	text[2 * size] = '\0';
	return text;
}

int symbolize_kernel_build_id(uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX], size_t *ret_size,
			      struct err *err)
{
	int rc = kernel_notes_build_id(KERNEL_NOTES_PATH, ret_build_id, ret_size);

	if (rc == -ENODATA)
		return err_set(err, rc, KERNEL_NOTES_PATH ": the kernel has no build-id");
	return rc < 0 ? err_sys(err, rc, KERNEL_NOTES_PATH) : 0;
}

int symbolize_check_vmlinux(const char *path, const uint8_t *build_id, size_t build_id_size,
			    struct err *err)
{
	char file_text[BUILD_ID_TEXT_SIZE], wanted_text[BUILD_ID_TEXT_SIZE];
	struct image_file file;
	int rc = image_file_open(AT_FDCWD, path, &file, err);

	if (rc < 0)
		return rc;
	if (build_id_size > IMAGE_BUILD_ID_MAX)
		build_id_size = IMAGE_BUILD_ID_MAX;
	if (build_id_size == 0 || file.build_id_size != build_id_size ||
	    memcmp(file.build_id, build_id, build_id_size) != 0)
		rc = err_set(err, -ESTALE,
			     "%s is not the recorded kernel: its build-id is %s, the recorded "
			     "kernel's is %s",
			     path, build_id_text(file.build_id, file.build_id_size, file_text),
			     build_id_text(build_id, build_id_size, wanted_text));
	image_file_fini(&file);
	return rc;
}

int symbolize_check_kallsyms(const char *path, struct err *err)
{
	struct kallsyms given, running;
	uint64_t given_addr, running_addr;
	int rc = kallsyms_read(path, &given, err);

	if (rc < 0)
		return rc;
	given_addr = given.text_start_addr;
	kallsyms_fini(&given);
	rc = kallsyms_read(KALLSYMS, &running, err);
	if (rc < 0) {
		(void)err_prefix(err, "cannot compare %s with the running kernel", path);
		return rc;
	}
	running_addr = running.text_start_addr;
	kallsyms_fini(&running);
	if (given_addr && given_addr == running_addr)
		return 0;
	return err_set(err, -ESTALE,
		       "%s is from another boot: its _stext is at %" PRIx64 ", the running "
		       "kernel's is at %" PRIx64,
		       path, given_addr, running_addr);
}
