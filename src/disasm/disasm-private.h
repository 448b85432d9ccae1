/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disasm-private.h - the interface between disasm.c and the files of the architectures */
#ifndef ASSAY_DISASM_DISASM_PRIVATE_H
#define ASSAY_DISASM_DISASM_PRIVATE_H

#include "disasm/disasm.h"

struct disasm {
	uint16_t machine;
	disasm_name_fn name;	/* may be NULL */
	void *name_context;
	void *state;		/* used only by the back end of the architecture */
	/*
	 * Decodes one instruction: sets all fields except vaddr. Sets length to at least 1 and at
	 * most @size_bytes.
	 */
	void (*decode)(const struct disasm *disasm, const uint8_t *bytes, size_t size_bytes,
		       struct instruction *instruction);
	/*
	 * Returns the value of instruction.data for the second of two adjacent instructions.
	 * @before is the first instruction, and @bytes are the bytes of both. This function pointer
	 * is NULL if `data` is always 0 on the architecture.
	 */
	uint64_t (*data)(const struct instruction *before, const uint8_t *bytes);
	int (*text)(struct disasm *disasm, const struct instruction *instruction,
		    const uint8_t *bytes, char *text, struct err *err);
	void (*fini)(struct disasm *disasm);
};

int disasm_x86_init(struct disasm *disasm);	/* returns 0 or -ENOMEM */
void disasm_aarch64_init(struct disasm *disasm);

/* Writes the name of address @vaddr to @text, such as "name+0x12", or "" if no name is known. */
void disasm_name(const struct disasm *disasm, uint64_t vaddr, char text[static DISASM_NAME_MAX]);

#endif
