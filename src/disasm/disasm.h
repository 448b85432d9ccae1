/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disasm.h - disassembles one function at a time
 *
 * Decoding and printing are separate, because thousands of instructions are decoded but only a
 * screenful is printed:
 *
 *	disasm_walk()	finds the start and length of each instruction, and where control flow
 *			continues after the instruction; does not make text
 *	disasm_text()	makes the text of one instruction, on x86 in AT&T syntax, which is also
 *			objdump's default
 *
 * The bytes come from a profiled program and may be anything. On x86, a byte at which no
 * instruction begins becomes an entry with FLOW_BAD. On aarch64, only the bytes of an incomplete
 * last word become such entries. The text of any other word that is not an instruction contains
 * "(bad)". Decoding continues after these bytes. At most DISASM_BYTES_MAX bytes are decoded.
 *
 * Zydis 4, which is linked into assay, decodes x86 code. For aarch64, disasm_walk() itself decodes
 * lengths and control flow from the instruction words (Arm Architecture Reference Manual, C4.1 "A64
 * instruction set encoding"). LLVM's disassembler makes the text, through its C interface. libLLVM
 * is loaded only when aarch64 code must be printed, because libLLVM is 110 MB and users who record
 * on x86 never need it.
 *
 * The caller provides a function that finds the names of addresses (disasm_name_fn). Not
 * thread-safe.
 */
#ifndef ASSAY_DISASM_DISASM_H
#define ASSAY_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define DISASM_BYTES_MAX (UINT32_C(4) << 20)	/* compiled functions have up to 1 MiB */
#define DISASM_TEXT_MAX 640			/* maximum size of a text with names and NUL */
#define DISASM_NAME_MAX 256			/* maximum size of a name; longer names are cut */

/* Where execution continues after an instruction. */
enum flow {
	FLOW_NEXT,
	FLOW_JUMP,		/* always at the target */
	FLOW_BRANCH,		/* at the target or at the next instruction */
	/* at the target; after the call has returned, at the next instruction */
	FLOW_CALL,
	FLOW_RETURN,
	FLOW_TRAP,		/* nowhere: ud2, int3, brk, udf */
	FLOW_BAD,		/* not an instruction */
	FLOW_COUNT
};

struct instruction {
	uint64_t vaddr;
	/* target of a jump, branch or call; 0: no target, or known only at run time */
	uint64_t target;
	/*
	 * aarch64: the address that the instruction computes, reads or writes, if the previous
	 * instruction is an ADRP that loads the page of this address; 0: none
	 */
	uint64_t data;
	uint8_t length;		/* in bytes */
	uint8_t flow;		/* enum flow */
};

struct instructions {
	VEC(struct instruction) list;	/* in address order, without gaps */
};

/*
 * Finds the name of address @vaddr and writes it to @text as "name" or "name+0x12", with a NUL.
 * @text has room for @size_bytes bytes. Returns false if no name is known. Names come from a
 * profiled program and may contain any bytes, which are not escaped.
 */
typedef bool (*disasm_name_fn)(void *context, uint64_t vaddr, char *text, size_t size_bytes);

struct disasm;

/*
 * Creates a disassembler for the ELF machine EM_X86_64, EM_386 or EM_AARCH64. Returns 0, -ENOMEM,
 * or -ENOTSUP for any other machine; *err then contains the number of the machine. @name may be
 * NULL.
 */
int disasm_new(uint16_t machine, disasm_name_fn name, void *context, struct disasm **ret_disasm,
	       struct err *err);
void disasm_free(struct disasm *disasm);	/* NULL is fine */

/*
 * Decodes @size_bytes bytes of code at address @vaddr. The decoded instructions replace the content
 * of *instructions. An incomplete instruction at the end does not become an entry of its own: its
 * first byte becomes an entry with FLOW_BAD, and decoding continues after this byte. Returns 0,
 * -ENOMEM, or -EFBIG if there are more than DISASM_BYTES_MAX bytes.
 */
int disasm_walk(const struct disasm *disasm, const uint8_t *bytes, size_t size_bytes,
		uint64_t vaddr, struct instructions *instructions, struct err *err);

/*
 * Writes the text of one instruction to @text, or "(bad)" for FLOW_BAD. @bytes are the bytes of
 * this instruction. Returns -ENOENT if LLVM is needed but not installed; *err then names the
 * library.
 */
int disasm_text(struct disasm *disasm, const struct instruction *instruction, const uint8_t *bytes,
		char text[static DISASM_TEXT_MAX], struct err *err);

const char *flow_name(enum flow flow);	/* returns "next", "jump", ... */

/* Returns true if an instruction with this flow is always the last of its basic block. */
static inline bool flow_ends_block(enum flow flow)
{
	return flow != FLOW_NEXT && flow != FLOW_CALL && flow != FLOW_BAD;
}

#endif
