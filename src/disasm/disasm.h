/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disasm.h - from bytes to instructions, one function at a time
 *
 * Two questions are answered apart, because thousands of instructions are walked where a screen
 * of them is printed:
 *
 *	disasm_walk()	where each instruction begins, how long it is, and where control goes
 *			from it; no text is made
 *	disasm_text()	one instruction as people read it, in AT&T syntax on x86, as objdump
 *			prints by default
 *
 * The bytes are a target's and may be anything.  What is no instruction is a row of its own,
 * FLOW_BAD (one byte on x86, a word on aarch64), and the walk goes on behind it; at most
 * DISASM_BYTES_MAX are walked.
 *
 * x86 by Zydis 4, with which we link.  aarch64: lengths and flow are read from the words
 * themselves (Arm Architecture Reference Manual, C4.1 "A64 instruction set encoding"), the text
 * comes from LLVM's disassembler through its C interface, which is loaded only when such code
 * is to be printed: libLLVM is 110 MB, and who records on x86 never needs it.
 *
 * Names of addresses are the caller's to give: see disasm_name_fn.  Not thread-safe.
 */
#ifndef ASSAY_DISASM_DISASM_H
#define ASSAY_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define DISASM_BYTES_MAX (UINT32_C(4) << 20)	/* the largest functions of compilers take 1 MiB */
#define DISASM_TEXT_MAX 640			/* of one instruction, with its names and NUL */
#define DISASM_NAME_MAX 256			/* of one name; longer ones are cut */

/* Where control goes behind an instruction. */
enum flow {
	FLOW_NEXT,
	FLOW_JUMP,		/* elsewhere, always */
	FLOW_BRANCH,		/* elsewhere or to the next */
	FLOW_CALL,		/* elsewhere, and back to the next */
	FLOW_RETURN,
	FLOW_TRAP,		/* nowhere: ud2, int3, brk, udf */
	FLOW_BAD,		/* no instruction */
	FLOW_COUNT
};

struct instruction {
	uint64_t vaddr;
	uint64_t target;	/* of a jump, branch or call; 0: none, or known at run time only */
	uint64_t data;		/* aarch64: the address that it makes, reads or writes in the page
				   that the one before made (ADRP); 0: none */
	uint8_t length;		/* bytes */
	uint8_t flow;		/* enum flow */
};

struct instructions {
	VEC(struct instruction) list;	/* in order, without gaps */
};

/*
 * What stands at @vaddr, into @text (@size_bytes, NUL-terminated): "name" or "name+0x12".
 * False: nothing known.  Names are a target's: they are passed on as they are.
 */
typedef bool (*disasm_name_fn)(void *context, uint64_t vaddr, char *text, size_t size_bytes);

struct disasm;

/*
 * @machine is an ELF e_machine: EM_X86_64, EM_386 or EM_AARCH64.  -ENOTSUP, naming it, for all
 * others.  @name may be NULL.
 */
int disasm_new(uint16_t machine, disasm_name_fn name, void *context, struct disasm **ret_disasm,
	       struct err *err);
void disasm_free(struct disasm *disasm);	/* NULL is fine */

/*
 * The instructions of @size_bytes at @vaddr; the last one may be cut short and is then bad.
 * -EFBIG, -ENOMEM.  What is in *instructions is replaced.
 */
int disasm_walk(const struct disasm *disasm, const uint8_t *bytes, size_t size_bytes,
		uint64_t vaddr, struct instructions *instructions, struct err *err);

/*
 * The text of one of them, whose @bytes these are: "(bad)" for a bad one.  -ENOENT, naming the
 * library, where LLVM is wanted and not there.
 */
int disasm_text(struct disasm *disasm, const struct instruction *instruction, const uint8_t *bytes,
		char text[static DISASM_TEXT_MAX], struct err *err);

const char *flow_name(enum flow flow);	/* "next", "jump", ... */

/* Does the next instruction begin a basic block, whoever jumps to it? */
static inline bool flow_ends_block(enum flow flow)
{
	return flow != FLOW_NEXT && flow != FLOW_CALL && flow != FLOW_BAD;
}

#endif
