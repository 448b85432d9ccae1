/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_listing FILE: for test_oracle.py. Reads lines "vaddr size" in hexadecimal from standard
 * input. For each of these stretches of code it prints a line for each instruction:
 *	vaddr length flow target text
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "disasm/disasm.h"
#include "elf/image_file.h"

static int fail(const struct err *err)
{
	(void)fprintf(stderr, "%s\n", err->text);
	return 1;
}

static int dump(struct disasm *disasm, const uint8_t *bytes, size_t size_bytes, uint64_t vaddr,
		struct err *err)
{
	struct instructions instructions = { 0 };
	int rc = disasm_walk(disasm, bytes, size_bytes, vaddr, &instructions, err);

	for (size_t i = 0; rc == 0 && i < instructions.list.count; i++) {
		const struct instruction *instruction = &instructions.list.at[i];
		char text[DISASM_TEXT_MAX];

		rc = disasm_text(disasm, instruction, bytes + (instruction->vaddr - vaddr), text,
				 err);
		(void)printf("%" PRIx64 " %u %s %" PRIx64 " %s\n", instruction->vaddr,
			     instruction->length, flow_name((enum flow)instruction->flow),
			     instruction->target, rc == 0 ? text : "");
	}
	vec_free(&instructions.list);
	return rc;
}

int main(int argc, char **argv)
{
	struct disasm *disasm = NULL;
	struct image_file file;
	struct err err;
	uint64_t vaddr;
	size_t size_bytes;
	int rc = argc == 2 ? image_file_open(AT_FDCWD, argv[1], &file, &err) : -EINVAL;

	if (rc < 0)
		return 2;
	rc = disasm_new(file.machine, NULL, NULL, &disasm, &err);
	while (rc == 0 && scanf("%" SCNx64 " %zx", &vaddr, &size_bytes) == 2) {
		_cleanup_free_ uint8_t *bytes = malloc(size_bytes);

		if (!bytes || image_file_code(&file, NULL, vaddr, size_bytes, bytes) < 0)
			return 3;
		rc = dump(disasm, bytes, size_bytes, vaddr, &err);
	}
	disasm_free(disasm);
	image_file_fini(&file);
	return rc < 0 ? fail(&err) : 0;
}
