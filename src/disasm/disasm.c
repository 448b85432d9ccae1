/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disasm/disasm.h"

#include <elf.h>
#include <stdio.h>

#include "disasm/disasm-private.h"

int disasm_new(uint16_t machine, disasm_name_fn name, void *context, struct disasm **ret_disasm,
	       struct err *err)
{
	struct disasm *disasm;
	int rc = 0;

	if (machine != EM_X86_64 && machine != EM_386 && machine != EM_AARCH64)
		return err_set(err, -ENOTSUP,
			       "cannot disassemble code of ELF machine %u; only x86 and aarch64 "
			       "are supported",
			       machine);
	disasm = calloc(1, sizeof(*disasm));
	if (!disasm)
		return err_set(err, -ENOMEM, "no memory to disassemble");
	disasm->machine = machine;
	disasm->name = name;
	disasm->name_context = context;
	if (machine == EM_AARCH64)
		disasm_aarch64_init(disasm);
	else
		rc = disasm_x86_init(disasm);
	if (rc < 0) {
		disasm_free(disasm);
		return err_set(err, rc, "no memory to disassemble");
	}
	*ret_disasm = disasm;
	return 0;
}

void disasm_free(struct disasm *disasm)
{
	if (disasm && disasm->fini)
		disasm->fini(disasm);
	free(disasm);
}

int disasm_walk(const struct disasm *disasm, const uint8_t *bytes, size_t size_bytes,
		uint64_t vaddr, struct instructions *instructions, struct err *err)
{
	if (size_bytes > DISASM_BYTES_MAX)
		return err_set(err, -EFBIG, "%zu bytes are too many for one function", size_bytes);
	vec_clear(&instructions->list);
	for (size_t at = 0; at < size_bytes;) {
		struct instruction *instruction = vec_push(&instructions->list);

		if (!instruction)
			return err_set(err, -ENOMEM, "no memory to disassemble");
		instruction->vaddr = vaddr + at;
		disasm->decode(disasm, bytes + at, size_bytes - at, instruction);
		if (disasm->data && at >= instruction->length && instruction->flow == FLOW_NEXT &&
		    instruction[-1].length == instruction->length)
			instruction->data = disasm->data(&instruction[-1],
							 bytes + at - instruction->length);
		at += instruction->length;
	}
	return 0;
}

int disasm_text(struct disasm *disasm, const struct instruction *instruction, const uint8_t *bytes,
		char text[static DISASM_TEXT_MAX], struct err *err)
{
	if (instruction->flow != FLOW_BAD)
		return disasm->text(disasm, instruction, bytes, text, err);
	(void)snprintf(text, DISASM_TEXT_MAX, "(bad)");
	return 0;
}

void disasm_name(const struct disasm *disasm, uint64_t vaddr, char text[static DISASM_NAME_MAX])
{
	if (!disasm->name || !disasm->name(disasm->name_context, vaddr, text, DISASM_NAME_MAX))
		text[0] = '\0';
}

const char *flow_name(enum flow flow)
{
	static const char *const names[FLOW_COUNT] = {
		[FLOW_NEXT] = "next", [FLOW_JUMP] = "jump",	[FLOW_BRANCH] = "branch",
		[FLOW_CALL] = "call", [FLOW_RETURN] = "return", [FLOW_TRAP] = "trap",
		[FLOW_BAD] = "bad",
	};

	return (unsigned int)flow < FLOW_COUNT ? names[flow] : "?";
}
