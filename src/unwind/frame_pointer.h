/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_pointer.h - the step for code that no table describes
 *
 * Code that was generated at run time has no call frame information, nor has some assembly inside
 * of images that have it otherwise (V8's); most of it keeps a frame pointer.  On both machines fp
 * then points at two words, the caller's fp and the return address (System V ABI, AMD64 supplement
 * 3.2.2; AAPCS64 6.4.6), and 0 ends the chain.
 *
 * Programs of 32 bits are walked in this way alone, by words of that size.
 *
 * What is not such a chain is found out by what it leads to: unreadable memory, a frame below its
 * callee, an address outside of all mappings.  Like step.h it needs unwind_read() first.
 */
#ifndef ASSAY_UNWIND_FRAME_POINTER_H
#define ASSAY_UNWIND_FRAME_POINTER_H

#include "unwind/step.h"

static inline __attribute__((always_inline)) enum unwind_stop
unwind_step_frame_pointer(struct unwind_regs *regs, void *memory)
{
	const struct unwind_rule rule = {
		.kind = UNWIND_CFA,
		.cfa_base = UNWIND_BASE_FP,
		.fp_base = UNWIND_BASE_CFA,
		.ra_base = UNWIND_BASE_CFA,
		.kept_words = UNWIND_KEPT_LOST,
		.cfa_offset = 16,
		.fp_offset = -16,
		.ra_offset = -8,
	};

	return regs->fp == 0 ? UNWIND_STOP_END : unwind_step(&rule, regs, memory);
}

/* Both words in one read. */
static inline __attribute__((always_inline)) enum unwind_stop
unwind_step_frame_pointer_32(struct unwind_regs *regs, void *memory)
{
	uint64_t words = 0, cfa = regs->fp + 8;

	if (regs->fp == 0)
		return UNWIND_STOP_END;
	if (unwind_read(memory, regs->fp, &words) != 0)
		return UNWIND_STOP_UNREADABLE;
	if (cfa <= regs->sp)
		return UNWIND_STOP_STUCK;
	if (words >> 32 == 0)
		return UNWIND_STOP_END;
	regs->ip = words >> 32;
	regs->sp = cfa;
	regs->fp = words & 0xffffffff;
	regs->has_extra = 0;
	regs->exact = 0;
	return UNWIND_STOP_NOT;
}

/* What was interrupted in a gap without room for a call may still be code. */
static inline __attribute__((always_inline)) int
unwind_goes_by_frame_pointer(const struct unwind_rule *rule, const struct unwind_regs *regs)
{
	return !rule || rule->kind == UNWIND_GAP || (rule->kind == UNWIND_PADDING && regs->exact);
}

/* The step for any code. @rule: what a table says of it; NULL: there is none. */
static inline __attribute__((always_inline)) enum unwind_stop
unwind_step_code(const struct unwind_rule *rule, struct unwind_regs *regs, void *memory)
{
	if (regs->is_32bit)
		return unwind_step_frame_pointer_32(regs, memory);
	return unwind_goes_by_frame_pointer(rule, regs) ? unwind_step_frame_pointer(regs, memory)
							: unwind_step(rule, regs, memory);
}

#endif
