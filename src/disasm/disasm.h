/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disasm.h - disassembles one function at a time
 *
 * There are two separate functions, because thousands of instructions are walked where only a
 * screenful is printed:
 *
 *	disasm_walk()	where each instruction begins, how long it is, and where control flow
 *			continues after it; makes no text
 *	disasm_text()	text of one instruction, on x86 in AT&T syntax, which is also objdump's
 *			default
 *
 * The bytes come from a target and may be anything. Bytes that are not an instruction become an
 * entry of their own with FLOW_BAD (one byte on x86, a word on aarch64), and the walk continues
 * after them. At most DISASM_BYTES_MAX are walked.
 *
 * x86 is decoded by Zydis 4, with which we link. For aarch64, lengths and flow are read from the
 * instruction words (Arm Architecture Reference Manual, C4.1 "A64 instruction set encoding"), and
 * the text comes from LLVM's disassembler through its C interface. libLLVM is loaded only when
 * aarch64 code is to be printed, because it is 110 MB and users who record on x86 never need it.
 *
 * The caller provides the names of addresses, see disasm_name_fn. Not thread-safe.
 */
#ifndef ASSAY_DISASM_DISASM_H
#define ASSAY_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define DISASM_BYTES_MAX (UINT32_C(4) << 20)	/* the largest compiled functions take 1 MiB */
#define DISASM_TEXT_MAX 640			/* one instruction, with its names and NUL */
#define DISASM_NAME_MAX 256			/* one name; longer ones are cut */

/* Where control flow continues after an instruction. */
enum flow {
	FLOW_NEXT,
	FLOW_JUMP,		/* elsewhere, always */
	FLOW_BRANCH,		/* elsewhere or at the next instruction */
	FLOW_CALL,		/* elsewhere, then returns to the next instruction */
	FLOW_RETURN,
	FLOW_TRAP,		/* nowhere: ud2, int3, brk, udf */
	FLOW_BAD,		/* not an instruction */
	FLOW_COUNT
};

struct instruction {
	uint64_t vaddr;
	uint64_t target;	/* of a jump, branch or call; 0: none, or known only at run time */
	/*
	 * aarch64: the address that the instruction computes, reads or writes, if the instruction
	 * before it is an ADRP for that page; 0: none
	 */
	uint64_t data;
	uint8_t length;		/* in bytes */
	uint8_t flow;		/* enum flow */
};

struct instructions {
	VEC(struct instruction) list;	/* in order, without gaps */
};

/*
 * Writes the name of @vaddr, "name" or "name+0x12", to @text (@size_bytes, NUL-terminated). Returns
 * false if no name is known. Names come from a target and are passed on unchanged.
 */
typedef bool (*disasm_name_fn)(void *context, uint64_t vaddr, char *text, size_t size_bytes);

struct disasm;

/*
 * The ELF e_machine @machine is EM_X86_64, EM_386 or EM_AARCH64. For all others returns -ENOTSUP,
 * and *err names the machine. @name may be NULL.
 */
int disasm_new(uint16_t machine, disasm_name_fn name, void *context, struct disasm **ret_disasm,
	       struct err *err);
void disasm_free(struct disasm *disasm);	/* NULL is fine */

/*
 * Decodes the instructions in @size_bytes bytes at @vaddr, and replaces the content of
 * *instructions with them. If the last instruction is cut short, it becomes FLOW_BAD. -EFBIG: more
 * than DISASM_BYTES_MAX. -ENOMEM.
 */
int disasm_walk(const struct disasm *disasm, const uint8_t *bytes, size_t size_bytes,
		uint64_t vaddr, struct instructions *instructions, struct err *err);

/*
 * Writes the text of one instruction, whose bytes are @bytes; "(bad)" for FLOW_BAD. -ENOENT: LLVM
 * is needed but not installed; *err names the library.
 */
int disasm_text(struct disasm *disasm, const struct instruction *instruction, const uint8_t *bytes,
		char text[static DISASM_TEXT_MAX], struct err *err);

const char *flow_name(enum flow flow);	/* "next", "jump", ... */

/* Returns true if the next instruction begins a basic block even if nothing jumps to it. */
static inline bool flow_ends_block(enum flow flow)
{
	return flow != FLOW_NEXT && flow != FLOW_CALL && flow != FLOW_BAD;
}

#endif
