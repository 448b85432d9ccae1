/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roots.h - functions in which threads begin
 *
 * A stack that ends in one of these is whole.  Which function that is depends on how the
 * stack was walked.  By unwind tables the last frame is the assembly that the kernel or
 * clone() jumped to: _start, clone3.  By frame pointers it is the innermost function of the C
 * library that keeps no frame pointer of its own: observed with glibc 2.36 on x86_64,
 * __libc_start_call_main above main() and start_thread above a thread's function.  In both
 * cases all of the program's own frames are there, so both count.
 *
 * Frames by which the kernel is entered (entry_SYSCALL_64, asm_exc_page_fault) are no roots:
 * the stack goes on in user mode.
 */
#ifndef ASSAY_SYMBOLIZE_ROOTS_H
#define ASSAY_SYMBOLIZE_ROOTS_H

#include <stdbool.h>

#include "elf/symbols.h"

bool root_is_user_name(const char *linkage_name);
bool root_is_kernel_name(const char *name);

/*
 * The same for a function without a name: glibc's two starters are static, but each ends
 * where the one exported function of its object file begins (__libc_start_main and
 * pthread_create), so a stripped libc.so.6 still tells them by their bounds in .eh_frame.
 */
bool root_is_between(const struct symbol_answer *answer);

#endif
