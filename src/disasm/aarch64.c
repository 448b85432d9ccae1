/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aarch64: control flow is decoded from the instruction words here; the text comes from LLVM if it
 * is installed.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>

#include "disasm/disasm-private.h"

#define WORD_BYTES 4

/* Declarations from llvm-c/Disassembler.h, whose interface has not changed since LLVM 3.3. */
struct llvm {
	void *library, *context;
	void *(*create)(const char *triple, void *info, int tag, void *operand, void *symbol);
	size_t (*instruction)(void *context, uint8_t *bytes, uint64_t size_bytes, uint64_t pc,
			      char *text, size_t text_bytes);
	void (*dispose)(void *context);
};

/* ---- control flow ---- */

static uint32_t word_of(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/*
 * Returns a branch distance in bytes. @word contains the distance as a signed number of instruction
 * words, in a field of @bits bits that starts at bit @low.
 */
static uint64_t distance(uint32_t word, unsigned int low, unsigned int bits)
{
	uint64_t field = word >> low & ((UINT64_C(1) << bits) - 1);
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return ((field ^ sign) - sign) * WORD_BYTES;
}

/*
 * Returns the flow of an instruction of the class "Unconditional branch (register)": BR, BLR, RET,
 * ERET and their variants with pointer authentication.
 */
static enum flow flow_of_register(uint32_t word)
{
	switch (word >> 21 & 7) {
	case 0:
		return FLOW_JUMP;
	case 1:
		return FLOW_CALL;
	case 2:
	case 4:
		return FLOW_RETURN;
	default:
		return FLOW_NEXT;
	}
}

static enum flow flow_of(uint32_t word, uint64_t vaddr, uint64_t *ret_target)
{
	if ((word & 0x7c000000) == 0x14000000) {		/* B, BL */
		*ret_target = vaddr + distance(word, 0, 26);
		return word >> 31 ? FLOW_CALL : FLOW_JUMP;
	}
	if ((word & 0xff000000) == 0x54000000 ||		/* B.cond, BC.cond */
	    (word & 0x7e000000) == 0x34000000) {		/* CBZ, CBNZ */
		*ret_target = vaddr + distance(word, 5, 19);
		return FLOW_BRANCH;
	}
	if ((word & 0x7e000000) == 0x36000000) {		/* TBZ, TBNZ */
		*ret_target = vaddr + distance(word, 5, 14);
		return FLOW_BRANCH;
	}
	if ((word & 0xfe000000) == 0xd6000000)
		return flow_of_register(word);
	if ((word & 0xffe0001f) == 0xd4200000 || word >> 16 == 0)	/* BRK, UDF */
		return FLOW_TRAP;
	return FLOW_NEXT;
}

static void decode(const struct disasm *disasm, const uint8_t *bytes, size_t size_bytes,
		   struct instruction *instruction)
{
	(void)disasm;
	if (size_bytes < WORD_BYTES) {
		instruction->length = 1;
		instruction->flow = FLOW_BAD;
		return;
	}
	instruction->length = WORD_BYTES;
	instruction->flow = (uint8_t)flow_of(word_of(bytes), instruction->vaddr,
					     &instruction->target);
}

/* ---- data addresses ---- */

static bool is_adrp(uint32_t word)
{
	return (word & 0x9f000000) == 0x90000000;
}

static uint64_t page_of(uint64_t vaddr, uint32_t word)
{
	uint64_t low = word >> 29 & 3;

	return (vaddr & ~UINT64_C(0xfff)) + ((distance(word, 5, 19) | low) << 12);
}

/*
 * If @word is one of the following instructions, sets *ret_offset to the offset that the
 * instruction adds to its base register, and returns true. Returns false for other instructions.
 * - a 64-bit ADD (immediate) without shift
 * - a load or store of a general register with an unsigned offset, which is encoded in units of the
 *   access size
 */
static bool offset_of(uint32_t word, uint64_t *ret_offset)
{
	uint64_t immediate = word >> 10 & 0xfff;

	if ((word & 0xffc00000) == 0x91000000)
		*ret_offset = immediate;
	else if ((word & 0x3f000000) == 0x39000000)
		*ret_offset = immediate << (word >> 30);
	else
		return false;
	return true;
}

static uint64_t data(const struct instruction *before, const uint8_t *bytes)
{
	uint32_t first = word_of(bytes), second = word_of(bytes + WORD_BYTES);
	uint64_t offset;

	if (!is_adrp(first) || !offset_of(second, &offset) || (first & 31) != (second >> 5 & 31))
		return 0;
	return page_of(before->vaddr, first) + offset;
}

/* ---- text ---- */

static void *load_library(void)
{
	static const char *const names[] = {
		"libLLVM-14.so.1", "libLLVM-15.so.1", "libLLVM-16.so.1", "libLLVM-17.so.1",
		"libLLVM.so.18.1", "libLLVM.so.19.1", "libLLVM.so.20.1", "libLLVM-13.so.1",
	};
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(names) / sizeof(names[0]); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

static bool find_functions(struct llvm *llvm)
{
	static const char *const starters[] = {
		"LLVMInitializeAArch64TargetInfo",
		"LLVMInitializeAArch64TargetMC",
		"LLVMInitializeAArch64Disassembler",
	};

	for (size_t i = 0; i < sizeof(starters) / sizeof(starters[0]); i++) {
		void (*start)(void) = (void (*)(void))dlsym(llvm->library, starters[i]);

		if (!start)
			return false;
		start();
	}
	*(void **)&llvm->create = dlsym(llvm->library, "LLVMCreateDisasm");
	*(void **)&llvm->instruction = dlsym(llvm->library, "LLVMDisasmInstruction");
	*(void **)&llvm->dispose = dlsym(llvm->library, "LLVMDisasmDispose");
	return llvm->create && llvm->instruction && llvm->dispose;
}

/* The library stays loaded until the process exits, because LLVM cannot be initialized twice. */
static int load_llvm(struct disasm *disasm, struct err *err)
{
	struct llvm *llvm = calloc(1, sizeof(*llvm));

	if (!llvm)
		return err_set(err, -ENOMEM, "no memory to disassemble");
	llvm->library = load_library();
	if (llvm->library && find_functions(llvm))
		llvm->context = llvm->create("aarch64-unknown-linux-gnu", NULL, 0, NULL, NULL);
	if (!llvm->context) {
		free(llvm);
		return err_set(err, -ENOENT,
			       "disassembling aarch64 code needs LLVM: install libLLVM-14.so.1 "
			       "(Debian: libllvm14)");
	}
	disasm->state = llvm;
	return 0;
}

/* Turns "\tadd\tx0, x1, #1" into "add x0, x1, #1". */
static void tidy(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != '\t')
			*to++ = *from;
		else if (to != text)
			*to++ = ' ';
	*to = '\0';
}

/*
 * Returns the address that an instruction encodes relative to its own address: the target of a
 * branch, or the result of ADR or ADRP. Returns 0 if there is none.
 */
static uint64_t reference_of(const struct instruction *instruction, uint32_t word)
{
	uint64_t low = word >> 29 & 3;

	if ((word & 0x9f000000) == 0x10000000)
		return instruction->vaddr + (distance(word, 5, 19) | low);
	if (is_adrp(word))
		return page_of(instruction->vaddr, word);
	return instruction->target;
}

/*
 * Replaces the last operand in @text, which LLVM prints as a distance, by the address @vaddr and
 * the name of that address.
 */
static void put_reference(const struct disasm *disasm, uint64_t vaddr, char *text)
{
	char *operand = strrchr(text, ' '), name[DISASM_NAME_MAX];
	size_t used;

	if (!operand || (operand[1] != '#' && operand[1] != '0'))
		return;
	used = (size_t)(operand + 1 - text);
	disasm_name(disasm, vaddr, name);
	(void)snprintf(text + used, DISASM_TEXT_MAX - used,
		       name[0] ? "0x%" PRIx64 " <%s>" : "0x%" PRIx64, vaddr, name);
}

static void append_data(const struct disasm *disasm, uint64_t vaddr, char *text)
{
	size_t used = strlen(text);
	char name[DISASM_NAME_MAX];

	disasm_name(disasm, vaddr, name);
	if (name[0])
		(void)snprintf(text + used, DISASM_TEXT_MAX - used, " <%s>", name);
}

static int text(struct disasm *disasm, const struct instruction *instruction, const uint8_t *bytes,
		char *text, struct err *err)
{
	int rc = disasm->state ? 0 : load_llvm(disasm, err);
	uint8_t copy[WORD_BYTES];
	const struct llvm *llvm;
	uint64_t vaddr;

	if (rc < 0)
		return rc;
	llvm = disasm->state;
	memcpy(copy, bytes, sizeof(copy));
	if (llvm->instruction(llvm->context, copy, sizeof(copy), instruction->vaddr, text,
			      DISASM_TEXT_MAX) != sizeof(copy)) {
		(void)snprintf(text, DISASM_TEXT_MAX, ".inst 0x%08" PRIx32 " (bad)",
			       word_of(bytes));
		return 0;
	}
	tidy(text);
	vaddr = reference_of(instruction, word_of(bytes));
	if (vaddr)
		put_reference(disasm, vaddr, text);
	if (instruction->data)
		append_data(disasm, instruction->data, text);
	return 0;
}

static void fini(struct disasm *disasm)
{
	struct llvm *llvm = disasm->state;

	if (llvm)
		llvm->dispose(llvm->context);
	free(llvm);
}

void disasm_aarch64_init(struct disasm *disasm)
{
	disasm->decode = decode;
	disasm->data = data;
	disasm->text = text;
	disasm->fini = fini;
}
