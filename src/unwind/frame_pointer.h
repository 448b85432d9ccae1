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
 *
 * Code that goes on on another stack leaves fp as it was, so that the chain leads back to the first
 * one (Go's systemstack() and mcall() say so; its own tracer follows it): that may lie below.  As
 * any number does where no frame pointer is kept, such a step must lead to the place behind a call
 * or, from the outermost frame, behind a nop: a goroutine is set up to return so, into
 * runtime.goexit.
 * The frame of the function that switched is not found, because on the new stack it has none.
 */
#ifndef ASSAY_UNWIND_FRAME_POINTER_H
#define ASSAY_UNWIND_FRAME_POINTER_H

#include "unwind/step.h"

#define UNWIND_SWITCHES_MAX 4	/* of stacks, in one walk */

#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
/* bl; blr. @code: the eight bytes that end where the call returns to. */
static inline __attribute__((always_inline)) int unwind_ends_in_call(uint64_t code)
{
	uint32_t last = (uint32_t)(code >> 32);

	return last >> 26 == 0x25 || (last & 0xfffffc1f) == 0xd63f0000;
}

/* mov x0, x0, which Go's assembler makes of a nop */
static inline __attribute__((always_inline)) int unwind_ends_in_nop(uint64_t code)
{
	return code >> 32 == 0xaa0003e0;
}
#else
/* The byte so many before the last of @code. */
static inline __attribute__((always_inline)) unsigned int unwind_code_byte(uint64_t code,
									   unsigned int before)
{
	return (unsigned int)(code >> (56 - 8 * before)) & 0xff;
}

/* call by a register, or by memory: 0xff, and 2 in the middle of the next byte. */
static inline __attribute__((always_inline)) int unwind_is_call_by(uint64_t code,
								   unsigned int size_bytes)
{
	return unwind_code_byte(code, size_bytes - 1) == 0xff &&
	       (unwind_code_byte(code, size_bytes - 2) & 0x38) == 0x10;
}

/* @code: the eight bytes that end where the call returns to. */
static inline __attribute__((always_inline)) int unwind_ends_in_call(uint64_t code)
{
	return unwind_code_byte(code, 4) == 0xe8 || unwind_is_call_by(code, 2) ||
	       unwind_is_call_by(code, 3) || unwind_is_call_by(code, 4) ||
	       unwind_is_call_by(code, 6) || unwind_is_call_by(code, 7);
}

static inline __attribute__((always_inline)) int unwind_ends_in_nop(uint64_t code)
{
	return unwind_code_byte(code, 0) == 0x90;
}
#endif

/* To the caller's frame on a stack that lies below; UNWIND_STOP_STUCK where there is none. */
static inline __attribute__((always_inline)) enum unwind_stop
unwind_switch_stack(struct unwind_regs *regs, void *memory)
{
	uint64_t fp = 0, ra = 0, code = 0;

	if (regs->switch_count >= UNWIND_SWITCHES_MAX || regs->fp % sizeof(uint64_t) != 0 ||
	    unwind_read(memory, regs->fp, &fp) != 0 ||
	    unwind_read(memory, regs->fp + sizeof(uint64_t), &ra) != 0 ||
	    (fp != 0 && fp <= regs->fp) || unwind_read(memory, ra - sizeof(code), &code) != 0 ||
	    !(unwind_ends_in_call(code) || (fp == 0 && unwind_ends_in_nop(code))))
		return UNWIND_STOP_STUCK;
	regs->ip = ra;
	regs->sp = regs->fp + 2 * sizeof(uint64_t);
	regs->fp = fp;
	regs->kept = 0;
	regs->has_extra = 0;
	regs->exact = 0;
	regs->switch_count++;
	return UNWIND_STOP_NOT;
}

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

	enum unwind_stop stop;

	if (regs->fp == 0)
		return UNWIND_STOP_END;
	stop = unwind_step(&rule, regs, memory);
	return stop == UNWIND_STOP_STUCK ? unwind_switch_stack(regs, memory) : stop;
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

/* Short gaps can be code, too: only in front of a function no call can have come from there. */
static inline __attribute__((always_inline)) int
unwind_goes_by_frame_pointer(const struct unwind_rule *rule, const struct unwind_regs *regs)
{
	return !rule || rule->kind == UNWIND_GAP ||
	       (rule->kind == UNWIND_PADDING &&
		(regs->exact || regs->ip % UNWIND_PADDING_ALIGNMENT != 0));
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
