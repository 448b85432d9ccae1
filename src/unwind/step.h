/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step.h - a step from one frame to its caller
 *
 * This is the only unwinder of the program. It is compiled into the in-kernel sampler (a BPF
 * program), which walks the stack of the running task, and into the user-space program, which walks
 * copied stack bytes. Because of the former, this file includes only rule.h, calls nothing but
 * unwind_read(), and has no loops. Before the #include, the including file must define
 * unwind_read(), which reads the target's memory:
 *
 *	static int unwind_read(void *memory, uint64_t addr, uint64_t *ret_value);
 *
 * The function returns 0 on success. It may write to *ret_value even if it fails.
 */
#ifndef ASSAY_UNWIND_STEP_H
#define ASSAY_UNWIND_STEP_H

#include "unwind/rule.h"

/*
 * Mask of the bits that a virtual address in user space can have. The bits above can hold an
 * authentication code.
 */
#define UNWIND_PLAIN_ADDRESS 0x0000ffffffffffffull

#define UNWIND_SWITCHES_MAX 4	/* maximum number of stack switches in one walk */

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
 * Returns the address with which to look up the rule of this frame. For a return address this is
 * the return address minus 1, because a function can end with a call that does not return. The
 * return address of such a call is the first byte after the function.
 */
static inline __attribute__((always_inline)) uint64_t
unwind_lookup_addr(const struct unwind_regs *regs)
{
	return regs->ip - !regs->exact;
}

/*
 * Returns the address that a walk reports for a frame. The readers of a stack subtract 1 from the
 * address of each caller, because that is an address inside the call instruction. For a caller that
 * was interrupted (by a signal), this function adds 1. So the readers get the address of the
 * interrupted instruction.
 */
static inline __attribute__((always_inline)) uint64_t
unwind_frame_addr(const struct unwind_regs *regs, int is_caller)
{
	return regs->ip + (is_caller && regs->exact);
}

/* Returns the reason to stop at the outermost frame. */
static inline __attribute__((always_inline)) enum unwind_stop
unwind_end(const struct unwind_regs *regs)
{
	return regs->went_past ? UNWIND_STOP_PAST : UNWIND_STOP_END;
}

/* Computes the CFA, where the caller's frame begins. */
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
 * Sets *@fp to the caller's frame pointer. After an epilogue has popped fp, the rule may still say
 * that fp is saved on the stack, at an address that is now below sp. A copy of the stack does not
 * include that address, so the read fails. *@fp then stays as it is, because the register already
 * has the caller's value.
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

/*
 * Returns the caller's value of kept, or 0 if it is unknown. The address where kept was saved may
 * be below sp and unreadable, as in unwind_fp(). The register then already has the caller's value.
 */
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

/*
 * Returns true if the caller's frame can begin at @cfa. It must be at a higher address than the
 * callee's frame. In a signal frame, and where the code switches stacks, it can be on any stack.
 */
static inline __attribute__((always_inline)) int
unwind_goes_on(const struct unwind_rule *rule, struct unwind_regs *regs, uint64_t cfa)
{
	if (rule->flags & UNWIND_SIGNAL || cfa > regs->sp ||
	    (cfa == regs->sp && rule->ra_base == UNWIND_BASE_NONE))
		return 1;
	if (rule->kind != UNWIND_SWITCH && rule->kind != UNWIND_SWITCH_PAST)
		return 0;
	return regs->switch_count++ < UNWIND_SWITCHES_MAX;
}

/*
 * Sets extra and link to those of the code that a signal interrupted. Returns 1 if the signal frame
 * has them. Must be called before regs->sp changes.
 */
static inline __attribute__((always_inline)) uint8_t
unwind_interrupted_link(const struct unwind_rule *rule, struct unwind_regs *regs, void *memory)
{
	const uint8_t wanted = UNWIND_SIGNAL | UNWIND_SIGNAL_LINK;

	if ((rule->flags & wanted) != wanted ||
	    unwind_read(memory, regs->sp + (uint64_t)(int64_t)rule->fp_offset + 8, &regs->link) !=
		    0)
		return 0;
	regs->extra = regs->link;
	regs->is_new = 0;
	return 1;
}

/*
 * Changes @regs from the registers of a frame to those of its caller and returns UNWIND_STOP_NOT.
 * If the walk ends here, returns the reason and leaves @regs unchanged.
 */
static inline __attribute__((always_inline)) enum unwind_stop
unwind_step(const struct unwind_rule *rule, struct unwind_regs *regs, void *memory)
{
	uint64_t cfa = 0, ra = regs->link, fp = regs->fp;
	enum unwind_stop stop;

	if (rule->kind == UNWIND_GAP)
		return UNWIND_STOP_NO_ROW;
	if (rule->kind == UNWIND_END || rule->kind == UNWIND_PADDING)
		return unwind_end(regs);
	if (rule->kind >= UNWIND_UNSUPPORTED)
		return UNWIND_STOP_UNSUPPORTED;
	if (rule->flags & UNWIND_CLONES && regs->has_extra && regs->is_new)
		return unwind_end(regs);
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
	if (!unwind_goes_on(rule, regs, cfa))
		return UNWIND_STOP_STUCK;
	if (rule->flags & UNWIND_SIGNED_RA)
		ra &= UNWIND_PLAIN_ADDRESS;
	if (rule->kind == UNWIND_SWITCH_PAST)
		regs->went_past = 1;
	if (ra == 0)
		return unwind_end(regs);
	regs->kept = unwind_kept(rule, regs, memory, cfa);
	regs->has_extra = unwind_interrupted_link(rule, regs, memory);
	regs->ip = ra;
	regs->sp = cfa;
	regs->fp = fp;
	regs->exact = (rule->flags & UNWIND_SIGNAL) != 0;
	return UNWIND_STOP_NOT;
}

#endif
