/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roots.h - the functions in which threads begin (roots)
 *
 * A stack is complete if its outermost frame is a root. Which function is outermost depends on how
 * the stack was walked. With unwind tables, the walk ends in the assembly code where the kernel or
 * clone() starts a thread: _start or clone3. With frame pointers, the walk ends earlier, at the
 * innermost function of the C library that has no frame pointer of its own. On x86_64 with glibc
 * 2.36, this function was observed to be __libc_start_call_main, which calls main(), or
 * start_thread, which calls a thread's function. Both kinds of walks find all of the program's own
 * frames, so the functions at which either walk ends are treated as roots.
 *
 * Functions that enter the kernel (entry_SYSCALL_64, asm_exc_page_fault) are not roots, because the
 * stack continues in user mode.
 */
#ifndef ASSAY_SYMBOLIZE_ROOTS_H
#define ASSAY_SYMBOLIZE_ROOTS_H

#include <stdbool.h>

#include "elf/symbols.h"

bool root_is_user_name(const char *linkage_name);
bool root_is_kernel_name(const char *name);

/*
 * Like root_is_user_name(), for a function without a name. glibc has two functions that start
 * threads. Both are static, so a stripped libc.so.6 does not name them. But each of them ends right
 * before the only exported function of its object file (__libc_start_main or pthread_create). So
 * the bounds in .eh_frame identify them even there.
 */
bool root_is_between(const struct symbol_answer *answer);

#endif
