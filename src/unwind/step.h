/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step.h - from one frame to its caller
 *
 * The one unwinder of the program.  It is compiled into the BPF sampler, which steps the stack of
 * the running task inside the kernel, and into the host library, which steps stack bytes that
 * were copied.  So it includes nothing but the rules, calls nothing and has no loops; whoever
 * includes it says, before, how memory of the target is read:
 *
 *	static int unwind_read(void *memory, uint64_t addr, uint64_t *ret_value);
 *
 * which returns 0 on success and may write to *ret_value also when it fails.
 */
#ifndef ASSAY_UNWIND_STEP_H
#define ASSAY_UNWIND_STEP_H

#include "unwind/rule.h"

/* Virtual addresses of user space have no more bits than this; above is an authentication code. */
#define UNWIND_PLAIN_ADDRESS 0x0000ffffffffffffull

static inline __attribute__((always_inline)) uint64_t
unwind_base_value(const struct unwind_regs *regs, uint8_t base, uint64_t cfa)
{
	if (base == UNWIND_BASE_SP)
		return regs->sp;
	if (base == UNWIND_BASE_FP)
		return regs->fp;
	if (base == UNWIND_BASE_KEPT)
		return regs->kept;
	return base == UNWIND_BASE_EXTRA ? regs->extra : cfa;
}

/*
 * The address whose rule undoes the frame: a return address may be the first byte behind its
 * function, when the call does not return.
 */
static inline __attribute__((always_inline)) uint64_t
unwind_lookup_addr(const struct unwind_regs *regs)
{
	return regs->ip - !regs->exact;
}

/*
 * What a walk hands on of a frame: whoever takes 1 from each caller's address, to be inside of the
 * call, comes to the instruction that was interrupted, too.
 */
static inline __attribute__((always_inline)) uint64_t
unwind_frame_addr(const struct unwind_regs *regs, int is_caller)
{
	return regs->ip + (is_caller && regs->exact);
}

/* Where the caller's frame begins. */
static inline __attribute__((always_inline)) enum unwind_stop
unwind_cfa(const struct unwind_rule *rule, const struct unwind_regs *regs, void *memory,
	   uint64_t *ret_cfa)
{
	uint64_t cfa = unwind_base_value(regs, rule->cfa_base, 0) +
		       (uint64_t)(int64_t)rule->cfa_offset;

	if ((rule->cfa_base == UNWIND_BASE_EXTRA && !regs->has_extra) ||
	    (rule->cfa_base == UNWIND_BASE_KEPT && !regs->kept))
		return UNWIND_STOP_NO_EXTRA;
	if (rule->kind == UNWIND_PLT && (int32_t)(regs->ip & 15) >= rule->fp_offset)
		cfa += 8;
	if (rule->kind == UNWIND_CFA_AT && unwind_read(memory, cfa, &cfa) != 0)
		return UNWIND_STOP_UNREADABLE;
	if (rule->flags & UNWIND_PLUS_WORD)
		cfa += 8;
	*ret_cfa = cfa;
	return UNWIND_STOP_NOT;
}

/*
 * The caller's frame pointer.  Epilogues that have popped it are still described as if it were
 * saved, below sp; a copy of the stack ends there, but then the register has its value again.
 */
static inline __attribute__((always_inline)) enum unwind_stop
unwind_fp(const struct unwind_rule *rule, const struct unwind_regs *regs, void *memory,
	  uint64_t cfa, uint64_t *fp)
{
	uint64_t addr = unwind_base_value(regs, rule->fp_base, cfa) +
			(uint64_t)(int64_t)rule->fp_offset;
	uint64_t saved = 0;

	if (rule->kind == UNWIND_PLT || rule->fp_base == UNWIND_BASE_NONE)
		return UNWIND_STOP_NOT;
	if (unwind_read(memory, addr, &saved) == 0)
		*fp = saved;
	else if (addr >= regs->sp)
		return UNWIND_STOP_UNREADABLE;
	return UNWIND_STOP_NOT;
}

/* The caller's kept register, as for the frame pointer; but it may be missing. */
static inline __attribute__((always_inline)) uint64_t unwind_kept(const struct unwind_rule *rule,
								  const struct unwind_regs *regs,
								  void *memory, uint64_t cfa)
{
	uint64_t addr = cfa + (uint64_t)(int64_t)rule->kept_words * 8;
	uint64_t saved = 0;

	if (rule->kept_words == UNWIND_KEPT_ALONE)
		return regs->kept;
	if (rule->kept_words == UNWIND_KEPT_LOST)
		return 0;
	if (unwind_read(memory, addr, &saved) == 0)
		return saved;
	return addr < regs->sp ? regs->kept : 0;
}

/* @regs of a frame become those of its caller; unchanged unless it returns UNWIND_STOP_NOT. */
static inline __attribute__((always_inline)) enum unwind_stop
unwind_step(const struct unwind_rule *rule, struct unwind_regs *regs, void *memory)
{
	uint64_t cfa = 0, ra = regs->link, fp = regs->fp;
	enum unwind_stop stop;

	if (rule->kind == UNWIND_GAP)
		return UNWIND_STOP_NO_ROW;
	if (rule->kind == UNWIND_END || rule->kind == UNWIND_PADDING)
		return UNWIND_STOP_END;
	if (rule->kind >= UNWIND_UNSUPPORTED)
		return UNWIND_STOP_UNSUPPORTED;
	if (rule->flags & UNWIND_CLONES && regs->has_extra && regs->is_new)
		return UNWIND_STOP_END;
	stop = unwind_cfa(rule, regs, memory, &cfa);
	if (stop != UNWIND_STOP_NOT)
		return stop;
	if (rule->ra_base == UNWIND_BASE_NONE) {
		if (!regs->has_extra)
			return UNWIND_STOP_NO_EXTRA;
	} else if (unwind_read(memory,
			       unwind_base_value(regs, rule->ra_base, cfa) +
				       (uint64_t)(int64_t)rule->ra_offset,
			       &ra) != 0) {
		return UNWIND_STOP_UNREADABLE;
	}
	if (unwind_fp(rule, regs, memory, cfa, &fp) != UNWIND_STOP_NOT)
		return UNWIND_STOP_UNREADABLE;
	if (!(rule->flags & UNWIND_SIGNAL) &&
	    (cfa < regs->sp || (cfa == regs->sp && rule->ra_base != UNWIND_BASE_NONE)))
		return UNWIND_STOP_STUCK;
	if (rule->flags & UNWIND_SIGNED_RA)
		ra &= UNWIND_PLAIN_ADDRESS;
	if (ra == 0)
		return UNWIND_STOP_END;
	regs->kept = unwind_kept(rule, regs, memory, cfa);
	regs->ip = ra;
	regs->sp = cfa;
	regs->fp = fp;
	regs->has_extra = 0;
	regs->exact = (rule->flags & UNWIND_SIGNAL) != 0;
	return UNWIND_STOP_NOT;
}

#endif
