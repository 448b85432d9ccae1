/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - how to undo one call, and what a walk is made of
 *
 * A rule says where the caller's frame begins (the CFA, "canonical frame address": the stack
 * pointer before the call), and where the caller's frame pointer and the return address were
 * saved.  DWARF can describe any register; four are enough, because no code that a compiler makes
 * finds a caller's CFA through another one than sp and fp, but for the few instructions of a
 * prologue that realigns the stack, for which `extra` is there, and hand-written assembly, of which
 * glibc's lazy binding (_dl_runtime_resolve_*) is what each dynamic program runs: `kept` is for it.
 *
 * Registers by machine:
 *			x86_64		aarch64
 *	sp		rsp		sp
 *	fp		rbp		x29
 *	extra		r10		x30 (lr)
 *	kept		rbx		x19
 *	link		rdi		x30 (lr)
 *
 * link is where a return address is that was not saved: on aarch64 as in any leaf, on x86_64 in
 * glibc's vfork(), whose child would overwrite it on the stack.
 *
 * extra and link are known of the innermost frame only: a call overwrites them, and what a signal
 * frame saved of them is not looked for.
 *
 * Calls preserve kept as they do fp, so its value at an outer frame is where one of the inner ones
 * saved it.  To say where makes up to two thirds more rules, and looking there is a read more for
 * most frames.  So only images with a CFA that is counted from kept say it, of all their functions
 * (7 of the 3,083 of a machine, ld.so and static programs): on the way from the innermost frame to
 * such a CFA there is hardly ever another image.  Where there is one, kept is not known behind its
 * frames and the walk ends, as it does without extra.
 *
 * The layouts are those of BPF maps and of cached tables: host order, nothing left unnamed.  So
 * this file, like step.h, includes nothing; whoever includes it has the fixed-width types.
 *
 * Source: DWARF 5 section 6.4; System V ABI, AMD64 supplement 3.7; ABI for the Arm 64-bit
 * Architecture, aadwarf64.
 */
#ifndef ASSAY_UNWIND_RULE_H
#define ASSAY_UNWIND_RULE_H

/* What an address or a saved register is counted from. */
enum unwind_base {
	UNWIND_BASE_NONE,	/* fp: the callee left it alone; return address: in link */
	UNWIND_BASE_CFA,
	UNWIND_BASE_SP,
	UNWIND_BASE_FP,
	UNWIND_BASE_EXTRA,
	UNWIND_BASE_KEPT,
};

enum unwind_kind {
	UNWIND_GAP,		/* no code that any table describes */
	UNWIND_CFA,		/* CFA = base + cfa_offset */
	UNWIND_CFA_AT,		/* CFA = the word at base + cfa_offset */
	UNWIND_PLT,		/* CFA = sp + cfa_offset, one word more from byte fp_offset of each
				   16-byte entry on (fp is left alone, so its offset is free) */
	UNWIND_END,		/* the outermost frame: it has no caller */
	UNWIND_PADDING,		/* a gap in front of an aligned function: END to who returns to
				   that function's first byte, else GAP */
	UNWIND_UNSUPPORTED,	/* described, but in a way that this rule cannot express */
	UNWIND_KIND_COUNT
};

#define UNWIND_SIGNAL 1u	/* the caller was interrupted: its ip is exact, extra unknown */
#define UNWIND_SIGNED_RA 2u	/* aarch64: the return address carries an authentication code */
#define UNWIND_PLUS_WORD 4u	/* CFA_AT: and 8 more (OpenSSL's assembly saves sp inside a call) */
#define UNWIND_CLONES 8u	/* of a thread that begins here it is the outermost frame */

#define UNWIND_KEPT_ALONE 0		/* kept_words: the callee left it alone */
#define UNWIND_KEPT_LOST (-128)		/* not known in the caller; or nobody looked */

/*
 * UNWIND_PADDING is shorter than this and ends at a multiple of it, so of all return addresses that
 * lead there only the one behind its last byte is such a multiple.
 */
#define UNWIND_PADDING_ALIGNMENT 16u

/* 16 bytes; the kernel side reads them from an array. Offsets are in bytes. */
struct unwind_rule {
	uint8_t kind;		/* enum unwind_kind */
	uint8_t cfa_base : 4;	/* enum unwind_base: SP, FP, EXTRA or KEPT */
	uint8_t flags : 4;
	uint8_t fp_base : 4;	/* NONE, CFA, SP or FP */
	uint8_t ra_base : 4;	/* the same; NONE: the return address is in link */
	int8_t kept_words;	/* kept was saved so many words from the CFA; or one of these: */
	int32_t cfa_offset;
	int32_t fp_offset;
	int32_t ra_offset;
};

_Static_assert(sizeof(struct unwind_rule) == 16, "struct unwind_rule is a layout of files");

/* The rule that holds from an address of an image to that of the next row. */
struct unwind_row {
	uint32_t offset;	/* from the table's base_vaddr */
	uint16_t rule;		/* index */
	uint16_t unused;	/* 0 */
};

_Static_assert(sizeof(struct unwind_row) == 8, "struct unwind_row is a layout of files");

struct unwind_regs {
	uint64_t ip, sp, fp, extra, link;
	uint64_t kept;		/* 0: not known; no frame is counted from there */
	uint8_t has_extra;	/* and link */
	uint8_t exact;		/* ip was interrupted, not called from: look up ip, else ip - 1 */
	uint8_t is_32bit;	/* the program's words: no table describes its code */
	uint8_t is_new;		/* with has_extra: the register of results is 0, as where a thread
				   that was just begun comes from (UNWIND_CLONES) */
	uint8_t switch_count;	/* stacks that were left by frame pointers (frame_pointer.h) */
};

/* Why a walk ended; what is not UNWIND_STOP_END is a stack with a part missing. */
enum unwind_stop {
	UNWIND_STOP_NOT,	/* stepped */
	UNWIND_STOP_END,	/* the outermost frame was reached */
	UNWIND_STOP_NO_IMAGE,	/* the address lies in no mapping */
	UNWIND_STOP_NO_ROW,	/* in a mapping whose tables do not know it */
	UNWIND_STOP_UNSUPPORTED,
	UNWIND_STOP_UNREADABLE,	/* a saved register could not be read */
	UNWIND_STOP_NO_EXTRA,	/* the rule needs extra, link or kept, not known here */
	UNWIND_STOP_STUCK,	/* the caller's frame would lie below the callee's */
	UNWIND_STOP_DEEP,	/* as many frames as are allowed */
	UNWIND_STOP_COUNT
};

#endif
