/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - how to undo one call, and the types that a walk uses
 *
 * A rule says where the caller's frame begins (the CFA, "canonical frame address": the stack
 * pointer before the call), and where the caller's frame pointer and the return address were saved.
 * In DWARF the CFA may depend on any register. Rules use only four registers, because these are
 * enough for existing code. Compiled code computes the CFA from sp or fp. There are two exceptions,
 * each with its own register:
 * - `extra` is needed in the few instructions of a prologue that realigns the stack.
 * - `kept` is needed in hand-written assembly, such as glibc's lazy binding
 *   (_dl_runtime_resolve_*), which every dynamic program runs.
 *
 * Registers by machine:
 *			x86_64		aarch64
 *	sp		rsp		sp
 *	fp		rbp		x29
 *	extra		r10		x30 (lr)
 *	kept		rbx		x19
 *	link		rdi		x30 (lr)
 *
 * `link` contains the return address if it was not saved in memory. On aarch64 this is the case in
 * any leaf function. On x86_64 it is the case in glibc's vfork(), whose child would overwrite a
 * return address on the stack.
 *
 * extra and link are known only in the innermost frame, because a call overwrites them, and in
 * interrupted code on aarch64, where half of all functions save no return address. A signal frame
 * of x86_64 contains their values, too, but the unwinder does not read them there.
 *
 * Calls preserve kept just as they preserve fp. So the value that kept has in an outer frame can be
 * found where one of the inner frames saved it. But if rules say where kept is saved, up to two
 * thirds more rules are needed, and most frames need one more read. The rules of an image therefore
 * say this only if the image itself computes a CFA from kept. On one machine, only 7 of 3,083
 * images do so: ld.so and static programs. Frames of other images are hardly ever between the
 * innermost frame and a frame with such a CFA. If there is one, kept is unknown in its callers, and
 * the walk ends in the same way as if extra is unknown.
 *
 * BPF maps and cached tables use the layouts of these structs, in host byte order and without
 * unnamed padding. This file, like step.h, includes no system headers, because the BPF programs
 * include it. The including file must provide the fixed-width types.
 *
 * Source: DWARF 5 section 6.4; System V ABI, AMD64 supplement 3.7; ABI for the Arm 64-bit
 * Architecture, aadwarf64.
 */
#ifndef ASSAY_UNWIND_RULE_H
#define ASSAY_UNWIND_RULE_H

/* The value to which a rule adds an offset to get an address. */
enum unwind_base {
	/* not saved in memory: the callee did not change fp, or the return address is in link */
	UNWIND_BASE_NONE,
	UNWIND_BASE_CFA,
	UNWIND_BASE_SP,
	UNWIND_BASE_FP,
	UNWIND_BASE_EXTRA,
	UNWIND_BASE_KEPT,
};

enum unwind_kind {
	UNWIND_GAP,		/* no table describes this code */
	UNWIND_CFA,		/* CFA = base + cfa_offset */
	UNWIND_CFA_AT,		/* CFA = the word at base + cfa_offset */
	/*
	 * CFA = sp + cfa_offset before byte fp_offset of each 16-byte PLT entry, and 8 bytes more
	 * from that byte on. fp is not saved in a PLT, so the field fp_offset is free for this use.
	 */
	UNWIND_PLT,
	/*
	 * As UNWIND_CFA, but the caller's frame may be on another stack, at lower addresses. Go's
	 * runtime has functions that switch stacks and leave fp in the frame on the first stack.
	 */
	UNWIND_SWITCH,
	/*
	 * As UNWIND_SWITCH, for a function without a frame of its own. fp then leads past the
	 * caller, to the caller's caller. The walk goes on, but does not count as complete.
	 */
	UNWIND_SWITCH_PAST,
	UNWIND_END,		/* outermost frame, without a caller */
	/*
	 * A short gap before an aligned function. If the return address is the first byte of that
	 * function, this is treated as UNWIND_END, otherwise as UNWIND_GAP.
	 */
	UNWIND_PADDING,
	UNWIND_UNSUPPORTED,	/* the call frame information cannot be expressed as a rule */
	UNWIND_KIND_COUNT
};

#define UNWIND_SIGNAL 1u	/* signal frame: the caller's ip is exact */
#define UNWIND_SIGNED_RA 2u	/* aarch64: the return address contains an authentication code */
/*
 * With UNWIND_SIGNAL: the frame has the caller's extra and link (on aarch64 the same register) in
 * the word after its fp. An interrupted address has no authentication code, so this is the same bit
 * as UNWIND_SIGNED_RA.
 */
#define UNWIND_SIGNAL_LINK UNWIND_SIGNED_RA
#define UNWIND_PLUS_WORD 4u	/* CFA_AT: add 8 to the word (for OpenSSL's assembly) */
/* the frame has no caller if clone() has just created its thread here */
#define UNWIND_CLONES 8u

#define UNWIND_KEPT_ALONE 0		/* kept_words: the callee did not change kept */
#define UNWIND_KEPT_LOST (-128)		/* the caller's kept is unknown, or not tracked */

/*
 * A gap with the rule UNWIND_PADDING is shorter than UNWIND_PADDING_ALIGNMENT and ends at a
 * multiple of UNWIND_PADDING_ALIGNMENT. A rule is looked up with the return address minus 1, so the
 * lookup finds the gap in two cases:
 * - The return address is the first byte after the gap. Then it is a multiple of
 *   UNWIND_PADDING_ALIGNMENT.
 * - The return address is inside the gap. Then it is not such a multiple.
 */
#define UNWIND_PADDING_ALIGNMENT 16u

/* 16 bytes. The in-kernel sampler reads rules from an array. Offsets are in bytes. */
struct unwind_rule {
	uint8_t kind;		/* enum unwind_kind */
	uint8_t cfa_base : 4;	/* enum unwind_base: SP, FP, EXTRA or KEPT */
	uint8_t flags : 4;
	uint8_t fp_base : 4;	/* NONE, CFA, SP or FP */
	uint8_t ra_base : 4;	/* NONE, CFA, SP or FP; NONE: the return address is in link */
	/*
	 * distance in words from the CFA to the place where kept was saved; or UNWIND_KEPT_ALONE or
	 * UNWIND_KEPT_LOST
	 */
	int8_t kept_words;
	int32_t cfa_offset;
	int32_t fp_offset;
	int32_t ra_offset;
};

_Static_assert(sizeof(struct unwind_rule) == 16, "struct unwind_rule is a layout of files");

/* One row of an unwind table. Its rule holds from its offset up to the offset of the next row. */
struct unwind_row {
	uint32_t offset;	/* bytes from the table's base_vaddr */
	uint16_t rule;		/* index in the table's rules */
	uint16_t unused;	/* always 0 */
};

_Static_assert(sizeof(struct unwind_row) == 8, "struct unwind_row is a layout of files");

struct unwind_regs {
	uint64_t ip, sp, fp, extra, link;
	uint64_t kept;		/* 0: unknown; a CFA is never computed from the value 0 */
	uint8_t has_extra;	/* 1: extra and link are known */
	/* 1: ip was interrupted: look up ip; 0: ip is a return address: look up ip - 1 */
	uint8_t exact;
	uint8_t is_32bit;	/* 1: a 32-bit program; no table describes its code */
	/*
	 * 1: the result register is 0, as in a thread that has just been created (UNWIND_CLONES).
	 * Valid only if has_extra is 1.
	 */
	uint8_t is_new;
	/* number of stack switches that the walk crossed */
	uint8_t switch_count;
	/* 1: the walk went past a caller that it cannot know (UNWIND_SWITCH_PAST) */
	uint8_t went_past;
};

/* Reasons why a walk ended. Except for UNWIND_STOP_END, a part of the stack is missing. */
enum unwind_stop {
	UNWIND_STOP_NOT,	/* the walk has not ended: one step was taken */
	UNWIND_STOP_END,	/* the outermost frame was reached */
	UNWIND_STOP_NO_IMAGE,	/* the address is in no mapping */
	/* the address is in a mapping, but its table has no row for it or is not built yet */
	UNWIND_STOP_NO_ROW,
	UNWIND_STOP_UNSUPPORTED,
	UNWIND_STOP_UNREADABLE,	/* a saved register or the word with the CFA could not be read */
	UNWIND_STOP_NO_EXTRA,	/* the rule needs extra, link or kept, which is unknown here */
	/* the caller's frame would not be at a higher address than the callee's */
	UNWIND_STOP_STUCK,
	UNWIND_STOP_DEEP,	/* the maximum number of frames was reached */
	/* the outermost frame was reached, but a frame is missing (UNWIND_SWITCH_PAST) */
	UNWIND_STOP_PAST,
	UNWIND_STOP_COUNT
};

#endif
