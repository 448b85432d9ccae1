/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_pointer.h - the unwind step for code that no table describes
 *
 * Generated code (written by a JIT compiler) has no call frame information. Some assembly has none
 * either, even in images that otherwise have call frame information (V8). Most such code keeps a
 * frame pointer. On both machines fp then points at two words, the caller's fp and the return
 * address (System V ABI, AMD64 supplement 3.2.2; AAPCS64 6.4.6). An fp of 0 ends the chain.
 *
 * 32-bit programs are walked only by frame pointers, with 32-bit words.
 *
 * If fp does not point at such words, the walk soon stops, because it meets unreadable memory, a
 * frame at a lower address than its callee's, or an address outside of all mappings. As with
 * step.h, the including file must define unwind_read() before the #include.
 *
 * Code that switches to another stack may leave fp unchanged. The chain then leads back to the
 * first stack, which may be at lower addresses. Comments in Go's systemstack() and mcall() say that
 * they do this, and Go's own tracer follows such chains. But in code without a frame pointer, fp is
 * an arbitrary number and may also point to a lower address. A step to a lower address is therefore
 * accepted only if the instruction before the return address is a call. If the step leads to the
 * outermost frame, a nop is accepted as well as a call, because the return address of a new
 * goroutine is the address after a nop in runtime.goexit. The function that switched stacks has no
 * frame on the new stack, so the walk does not find it.
 */
#ifndef ASSAY_UNWIND_FRAME_POINTER_H
#define ASSAY_UNWIND_FRAME_POINTER_H

#include "unwind/step.h"

#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
/*
 * Returns true if @code ends in bl or blr. @code is the eight bytes just before the return address.
 */
static inline __attribute__((always_inline)) int unwind_ends_in_call(uint64_t code)
{
	uint32_t last = (uint32_t)(code >> 32);

	return last >> 26 == 0x25 || (last & 0xfffffc1f) == 0xd63f0000;
}

/* Returns true if @code ends in mov x0, x0, which is how Go's assembler encodes a nop. */
static inline __attribute__((always_inline)) int unwind_ends_in_nop(uint64_t code)
{
	return code >> 32 == 0xaa0003e0;
}
#else
/* Returns the byte of @code that is @before bytes before the last one (0: the last byte itself). */
static inline __attribute__((always_inline)) unsigned int unwind_code_byte(uint64_t code,
									   unsigned int before)
{
	return (unsigned int)(code >> (56 - 8 * before)) & 0xff;
}

/*
 * Returns true if @code ends in a call of @size_bytes bytes through a register or memory: opcode
 * 0xff, with 2 in the middle three bits of the next byte.
 */
static inline __attribute__((always_inline)) int unwind_is_call_by(uint64_t code,
								   unsigned int size_bytes)
{
	return unwind_code_byte(code, size_bytes - 1) == 0xff &&
	       (unwind_code_byte(code, size_bytes - 2) & 0x38) == 0x10;
}

/* Returns true if @code ends in a call. @code is the eight bytes just before the return address. */
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

/*
 * Steps to the caller's frame if that frame is on another stack, at lower addresses. Returns
 * UNWIND_STOP_STUCK if there is no such frame.
 */
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
		return unwind_end(regs);
	stop = unwind_step(&rule, regs, memory);
	return stop == UNWIND_STOP_STUCK ? unwind_switch_stack(regs, memory) : stop;
}

/*
 * Steps to the caller in a 32-bit program. One 64-bit read gets both 32-bit words: the caller's fp
 * and the return address.
 */
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

/*
 * Returns true if the frame must be unwound by its frame pointer, because no table describes its
 * code. @rule is the rule from the table, or NULL. A short gap (UNWIND_PADDING) can contain code,
 * and is then treated like any gap. But if the return address is the first byte of the next
 * function, the gap is only padding. There is no call in padding, so the frame was not called and
 * has no caller.
 */
static inline __attribute__((always_inline)) int
unwind_goes_by_frame_pointer(const struct unwind_rule *rule, const struct unwind_regs *regs)
{
	return !rule || rule->kind == UNWIND_GAP ||
	       (rule->kind == UNWIND_PADDING &&
		(regs->exact || regs->ip % UNWIND_PADDING_ALIGNMENT != 0));
}

/*
 * Steps from a frame to its caller, either by @rule or by the frame pointer. @rule is the rule from
 * the unwind table, or NULL if there is no table.
 */
static inline __attribute__((always_inline)) enum unwind_stop
unwind_step_code(const struct unwind_rule *rule, struct unwind_regs *regs, void *memory)
{
	if (regs->is_32bit)
		return unwind_step_frame_pointer_32(regs, memory);
	return unwind_goes_by_frame_pointer(rule, regs) ? unwind_step_frame_pointer(regs, memory)
							: unwind_step(rule, regs, memory);
}

#endif
