/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept_frame.h - a frame whose CFA is computed from the kept register (unwind/rule.h)
 *
 * kept_frame() does what glibc's lazy binding does: it aligns the stack, and rbx holds the original
 * stack pointer until the end. Its frame can only be unwound if rbx is known. A callee may have
 * saved rbx and use it for something else, as kept_frame_hide() does.
 *
 * This applies to x86_64. On other machines these functions only call their argument.
 */
#ifndef ASSAY_TESTS_KEPT_FRAME_H
#define ASSAY_TESTS_KEPT_FRAME_H

typedef void (*kept_frame_fn)(void *argument);

void kept_frame(kept_frame_fn callee, void *argument);
void kept_frame_hide(kept_frame_fn callee, void *argument);

/*
 * Sets *@ready and runs until *@ready is 0, mostly in user mode and sometimes in a system call.
 * This leaf does not touch the register. It is not part of the C library, whose unwind table may
 * lack the rules for the register.
 */
void kept_frame_spin(void *ready);

#endif
