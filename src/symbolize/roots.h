/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roots.h - functions in which threads begin
 *
 * A stack that ends in one of these functions is complete. Which function that is depends on how
 * the stack was walked. With unwind tables, the last frame is the assembly code that the kernel or
 * clone() jumped to: _start or clone3. With frame pointers, it is the innermost function of the C
 * library that keeps no frame pointer of its own. On x86_64 with glibc 2.36 this was observed to be
 * __libc_start_call_main above main(), and start_thread above a thread's function. In both cases
 * the stack has all of the program's own frames, so both kinds of functions count as roots.
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
 * Like root_is_user_name(), for a function without a name. The two thread starters of glibc are
 * static, but each of them ends where the only exported function of its object file begins
 * (__libc_start_main and pthread_create). So even in a stripped libc.so.6 their bounds in .eh_frame
 * identify them.
 */
bool root_is_between(const struct symbol_answer *answer);

#endif
