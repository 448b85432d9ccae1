/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86, 64-bit and 32-bit; decoded by Zydis. */
#include <Zydis/Zydis.h>
#include <elf.h>
#include <stdio.h>

#include "disasm/disasm-private.h"

struct x86 {
	ZydisDecoder decoder;
	ZydisFormatter formatter;
	ZydisFormatterFunc print_address;	/* Zydis's own function; ours calls it */
};

static bool is_relative(const ZydisDecodedInstruction *decoded, int64_t *ret_distance)
{
	for (size_t i = 0; i < 2; i++)
		if (decoded->raw.imm[i].size && decoded->raw.imm[i].is_relative) {
			*ret_distance = decoded->raw.imm[i].value.s;
			return true;
		}
	return false;
}

static enum flow flow_of(const ZydisDecodedInstruction *decoded)
{
	switch (decoded->mnemonic) {
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_INT3:
		return FLOW_TRAP;
	default:
		break;
	}
	switch (decoded->meta.category) {
	case ZYDIS_CATEGORY_UNCOND_BR:
		return FLOW_JUMP;
	case ZYDIS_CATEGORY_COND_BR:
		return FLOW_BRANCH;
	case ZYDIS_CATEGORY_CALL:
		return FLOW_CALL;
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSRET:
		return FLOW_RETURN;
	default:
		return FLOW_NEXT;
	}
}

static void decode(const struct disasm *disasm, const uint8_t *bytes, size_t size_bytes,
		   struct instruction *instruction)
{
	const struct x86 *x86 = disasm->state;
	ZydisDecodedInstruction decoded;
	int64_t distance;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&x86->decoder, NULL, bytes, size_bytes,
							&decoded))) {
		instruction->length = 1;
		instruction->flow = FLOW_BAD;
		return;
	}
	instruction->length = decoded.length;
	instruction->flow = (uint8_t)flow_of(&decoded);
	if (instruction->flow == FLOW_NEXT || !is_relative(&decoded, &distance))
		return;
	instruction->target = instruction->vaddr + decoded.length + (uint64_t)distance;
	if (disasm->machine == EM_386)
		instruction->target = (uint32_t)instruction->target;
}

/* Prints the address as Zydis does, followed by the name of that address. */
static ZyanStatus print_address(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
				ZydisFormatterContext *context)
{
	const struct disasm *disasm = context->user_data;
	const struct x86 *x86 = disasm->state;
	ZyanStatus status = x86->print_address(formatter, buffer, context);
	char name[DISASM_NAME_MAX], suffix[DISASM_NAME_MAX + 8];
	ZyanStringView view;
	ZyanString *text;
	ZyanU64 vaddr;

	if (!ZYAN_SUCCESS(status) ||
	    !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(context->instruction, context->operand,
						   context->runtime_address, &vaddr)) ||
	    !ZYAN_SUCCESS(ZydisFormatterBufferGetString(buffer, &text)))
		return status;
	disasm_name(disasm, vaddr, name);
	if (!name[0])
		return status;
	(void)snprintf(suffix, sizeof(suffix), " <%s>", name);
	if (ZYAN_SUCCESS(ZyanStringViewInsideBuffer(&view, suffix)))
		(void)ZyanStringAppend(text, &view);
	return status;
}

static int text(struct disasm *disasm, const struct instruction *instruction, const uint8_t *bytes,
		char *text, struct err *err)
{
	const struct x86 *x86 = disasm->state;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction decoded;
	ZyanStatus status = ZydisDecoderDecodeFull(&x86->decoder, bytes, instruction->length,
						   &decoded, operands);

	if (ZYAN_SUCCESS(status))
		status = ZydisFormatterFormatInstruction(&x86->formatter, &decoded, operands,
							 decoded.operand_count_visible, text,
							 DISASM_TEXT_MAX, instruction->vaddr,
							 disasm);
	if (!ZYAN_SUCCESS(status))
		(void)snprintf(text, DISASM_TEXT_MAX, "(bad)");
	return 0;
}

static void fini(struct disasm *disasm)
{
	free(disasm->state);
}

/* Sets objdump's style: lower case, and numbers without leading zeros. */
static void set_style(struct x86 *x86)
{
	ZydisFormatter *formatter = &x86->formatter;

	(void)ZydisFormatterInit(formatter, ZYDIS_FORMATTER_STYLE_ATT);
	(void)ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	(void)ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
					ZYDIS_PADDING_DISABLED);
	(void)ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
					ZYDIS_PADDING_DISABLED);
	(void)ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
					ZYDIS_PADDING_DISABLED);
	x86->print_address = print_address;
	(void)ZydisFormatterSetHook(formatter, ZYDIS_FORMATTER_FUNC_PRINT_ADDRESS_ABS,
				    (const void **)&x86->print_address);
}

int disasm_x86_init(struct disasm *disasm)
{
	bool is_64 = disasm->machine == EM_X86_64;
	struct x86 *x86 = calloc(1, sizeof(*x86));

	if (!x86)
		return -ENOMEM;
	disasm->state = x86;
	disasm->decode = decode;
	disasm->text = text;
	disasm->fini = fini;
	(void)ZydisDecoderInit(&x86->decoder,
			       is_64 ? ZYDIS_MACHINE_MODE_LONG_64
				     : ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
			       is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	set_style(x86);
	return 0;
}
