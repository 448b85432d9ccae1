/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone_code.h - the frame around the system call with which clone() begins a thread, on x86_64
 *
 * glibc ends the call frame information of clone() and clone3() in front of that instruction,
 * "because in the child the unwind info will be wrong", and begins it again where the child goes
 * its own way, with a frame that has no caller:
 *
 *	syscall; test %rax, %rax; jl <error>; je <the child's way>; ret
 *
 * Between the two are the samples of who waits for the kernel to copy a process: most of what a
 * program that spawns others does.  In the parent the stack is as it was before the instruction, so
 * the rule of that place holds; in the child, which has a stack of its own and 0 for a result, it
 * is the outermost frame (UNWIND_CLONES).
 *
 * Source: glibc, sysdeps/unix/sysv/linux/x86_64/clone.S and clone3.S.
 */
#ifndef ASSAY_UNWIND_CLONE_CODE_H
#define ASSAY_UNWIND_CLONE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLONE_CODE_LEAST 10u	/* bytes, by the size of a jump */
#define CLONE_CODE_MOST 14u

/* Is it this code, all of it? */
bool clone_code_is(const uint8_t *bytes, size_t size_bytes);

#endif
