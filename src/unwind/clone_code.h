/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone_code.h - the frame at the system call in clone() on x86_64
 *
 * In glibc's clone() and clone3(), the call frame information ends just before the system call
 * instruction, "because in the child the unwind info will be wrong". It begins again at the code
 * that only the child runs. There it says that the frame has no caller. The code in between is:
 *
 *	syscall; test %rax, %rax; jl <error>; je <the child's code>; ret
 *
 * While a thread waits for the kernel to copy a process, its samples are in this code. A program
 * that spawns other programs has most of its samples here. In the parent, this code does not change
 * the stack, so the rule that holds just before the system call still holds. In the child, which
 * has its own stack, this is the outermost frame (UNWIND_CLONES). The child is recognized by its
 * result register, which is 0.
 *
 * Source: glibc, sysdeps/unix/sysv/linux/x86_64/clone.S and clone3.S.
 */
#ifndef ASSAY_UNWIND_CLONE_CODE_H
#define ASSAY_UNWIND_CLONE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLONE_CODE_LEAST 10u	/* 2 possible sizes, because jl has 2 forms */
#define CLONE_CODE_MOST 14u

/* Returns true if @bytes are exactly the code at the top of this file. */
bool clone_code_is(const uint8_t *bytes, size_t size_bytes);

#endif
