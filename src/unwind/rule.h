/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - how to undo one call, and the types that a walk uses
 *
 * A rule says where the caller's frame begins (the CFA, "canonical frame address": the stack
 * pointer before the call), and where the caller's frame pointer and the return address were saved.
 * DWARF can describe any register, but four are enough to compute a CFA here. Compiled code
 * computes it from sp or fp. There are two exceptions, each with its own register. `extra` is
 * needed in the few instructions of a prologue that realigns the stack. `kept` is needed in
 * hand-written assembly, such as glibc's lazy binding (_dl_runtime_resolve_*), which every dynamic
 * program runs.
 *
 * Registers by machine:
 *			x86_64		aarch64
 *	sp		rsp		sp
 *	fp		rbp		x29
 *	extra		r10		x30 (lr)
 *	kept		rbx		x19
 *	link		rdi		x30 (lr)
 *
 * link holds a return address that was not saved in memory. On aarch64 this is the case in any leaf
 * function. On x86_64 it is the case in glibc's vfork(), whose child would overwrite a return
 * address on the stack.
 *
 * extra and link are known only in the innermost frame: a call overwrites them, and the unwinder
 * does not look for their values in signal frames.
 *
 * Calls preserve kept just as they preserve fp, so the value of kept in an outer frame can be found
 * where one of the inner frames saved it. But if rules say where kept is saved, up to two thirds
 * more rules are needed, and most frames need one more read. The rules of an image therefore say
 * this only if the image itself computes a CFA from kept. That is so for 7 of the 3,083 images of
 * one machine: ld.so and static programs. There is hardly ever a frame of another image between the
 * innermost frame and such a CFA. If there is one, kept is unknown in its callers, and the walk
 * ends in the same way as if extra is unknown.
 *
 * BPF maps and cached tables use the layouts of these structs, in host byte order and without
 * unnamed padding. This file, like step.h, therefore includes nothing. The including file must
 * provide the fixed-width types.
 *
 * Source: DWARF 5 section 6.4; System V ABI, AMD64 supplement 3.7; ABI for the Arm 64-bit
 * Architecture, aadwarf64.
 */
#ifndef ASSAY_UNWIND_RULE_H
#define ASSAY_UNWIND_RULE_H

/* The value to which a rule adds an offset to get an address. */
enum unwind_base {
	/* no address. fp: the callee did not change fp; return address: in link */
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
	 * CFA = sp + cfa_offset for the first bytes of each 16-byte PLT entry, and one word more
	 * from byte fp_offset of the entry on. fp is not saved in a PLT, so the field fp_offset is
	 * free for this use.
	 */
	UNWIND_PLT,
	UNWIND_END,		/* outermost frame, without a caller */
	/*
	 * A short gap before an aligned function. If the return address is the first byte of that
	 * function, means the same as UNWIND_END; otherwise the same as UNWIND_GAP.
	 */
	UNWIND_PADDING,
	UNWIND_UNSUPPORTED,	/* the call frame information cannot be expressed as a rule */
	UNWIND_KIND_COUNT
};

#define UNWIND_SIGNAL 1u	/* the caller was interrupted: ip exact, extra unknown */
#define UNWIND_SIGNED_RA 2u	/* aarch64: the return address contains an authentication code */
#define UNWIND_PLUS_WORD 4u	/* CFA_AT: add 8 to the word (for OpenSSL's assembly) */
#define UNWIND_CLONES 8u	/* the frame has no caller if its thread was just created here */

#define UNWIND_KEPT_ALONE 0		/* kept_words: the callee did not change kept */
#define UNWIND_KEPT_LOST (-128)		/* kept is unknown in the caller, or is not tracked */

/*
 * UNWIND_PADDING is shorter than UNWIND_PADDING_ALIGNMENT and ends at a multiple of it. A lookup
 * uses the address just before the return address, so it finds padding in two cases. If the return
 * address is the first byte after the padding, the return address is such a multiple. If the return
 * address is inside the padding, it is not such a multiple.
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
	 * distance from the CFA to the saved kept, in words; or UNWIND_KEPT_ALONE or
	 * UNWIND_KEPT_LOST
	 */
	int8_t kept_words;
	int32_t cfa_offset;
	int32_t fp_offset;
	int32_t ra_offset;
};

_Static_assert(sizeof(struct unwind_rule) == 16, "struct unwind_rule is a layout of files");

/* The rule that holds from this row's address up to the address of the next row. */
struct unwind_row {
	uint32_t offset;	/* bytes from the table's base_vaddr */
	uint16_t rule;		/* index in the table's rules */
	uint16_t unused;	/* always 0 */
};

_Static_assert(sizeof(struct unwind_row) == 8, "struct unwind_row is a layout of files");

struct unwind_regs {
	uint64_t ip, sp, fp, extra, link;
	uint64_t kept;		/* 0: unknown, because no frame address can be computed from 0 */
	uint8_t has_extra;	/* 1: extra and link are known */
	/* 1: interrupted address, look up ip; 0: return address, look up ip - 1 */
	uint8_t exact;
	uint8_t is_32bit;	/* a 32-bit program, whose code no table describes */
	/*
	 * 1: the result register is 0, as in a thread that has just been created (UNWIND_CLONES).
	 * Valid only if has_extra is 1.
	 */
	uint8_t is_new;
	/* number of stack switches followed by frame pointers (frame_pointer.h) */
	uint8_t switch_count;
};

/* Reasons why a walk ended. Except for UNWIND_STOP_END, a part of the stack is missing. */
enum unwind_stop {
	UNWIND_STOP_NOT,	/* the walk has not ended: one step was taken */
	UNWIND_STOP_END,	/* the outermost frame was reached */
	UNWIND_STOP_NO_IMAGE,	/* the address is in no mapping */
	UNWIND_STOP_NO_ROW,	/* the address is in a mapping whose table has no row for it */
	UNWIND_STOP_UNSUPPORTED,
	UNWIND_STOP_UNREADABLE,	/* a saved register could not be read */
	UNWIND_STOP_NO_EXTRA,	/* the rule needs extra, link or kept, which is unknown here */
	/* the caller's frame would be at a lower address than the callee's */
	UNWIND_STOP_STUCK,
	UNWIND_STOP_DEEP,	/* the maximum number of frames was reached */
	UNWIND_STOP_COUNT
};

#endif
