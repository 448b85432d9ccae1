/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept_frame.h - a frame that is counted from the kept register (unwind/rule.h)
 *
 * What glibc's lazy binding does: the stack is aligned, and until the end rbx says where it was.
 * A frame of kept_frame() can be undone only by who knows rbx, and whoever it calls may have saved
 * it and use it for something else, as kept_frame_hide() does.
 *
 * x86_64; elsewhere they only call.
 */
#ifndef ASSAY_TESTS_KEPT_FRAME_H
#define ASSAY_TESTS_KEPT_FRAME_H

typedef void (*kept_frame_fn)(void *argument);

void kept_frame(kept_frame_fn callee, void *argument);
void kept_frame_hide(kept_frame_fn callee, void *argument);

/*
 * Sets *@ready and stays until it is 0, mostly in user mode, now and then in a system call: a leaf
 * that leaves the register alone, and is not of the C library, whose table need not follow it.
 */
void kept_frame_spin(void *ready);

#endif
