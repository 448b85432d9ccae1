/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_parameters FILE VADDR... - the parameters of the functions at these addresses (hex)
 *
 * Prints a line for each function: for each parameter its name, and r3:s4 for 4 bytes with a sign
 * in the fourth register, "float", "memory" or "unknown".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "dwarf/debug_parameters.h"

static void print(void *context, const struct debug_parameter *parameter)
{
	static const char *const elsewhere[] = {
		[PASSED_AS_FLOAT] = "float",
		[PASSED_IN_MEMORY] = "memory",
		[PASSED_SOMEHOW] = "unknown",
	};

	if (parameter->passed == PASSED_IN_REGISTER)
		(void)printf(" %s=r%u:%c%u", parameter->name, parameter->number,
			     parameter->is_signed ? 's' : 'u', parameter->size_bytes);
	else
		(void)printf(" %s=%s", parameter->name, elsewhere[parameter->passed]);
}

int main(int argc, char **argv)
{
	const struct debug_lines_options options = { 0 };
	struct image_file file;
	struct err err = { 0 };
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || image_file_from_fd(fd, argv[1], &file, &err) < 0) {
		(void)fprintf(stderr, "dump_parameters: %s\n", fd < 0 ? "cannot open" : err.text);
		return 1;
	}
	for (int i = 2; i < argc; i++) {
		int rc = debug_parameters_find(&file, &options, strtoull(argv[i], NULL, 16), print,
					       NULL);

		(void)printf("%s\n", rc < 0 ? " none" : "");
	}
	image_file_fini(&file);
	return 0;
}
