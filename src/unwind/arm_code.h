/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm_code.h - code of aarch64 that has no call frame information
 *
 * Two pieces of code are in nearly every process and have no frame of their own, so frame pointers
 * lead past their caller:
 *
 * - Signal handlers return to code in the vdso that calls rt_sigreturn(2):
 *
 *	mov x8, #139; svc #0
 *
 *   There sp points at the signal frame, which holds all registers of the interrupted code. Kernels
 *   before 5.8 have call frame information here, but it leads to the address in x30, which is that
 *   of the interrupted code's caller.
 * - The linker makes the section .plt. Its entries change neither sp nor x30. Its first 32 bytes
 *   call the dynamic linker to bind a function, and begin with
 *
 *	[bti c]; stp x16, x30, [sp, #-16]!
 *
 * Source: Linux, arch/arm64/kernel/vdso/sigreturn.S and arch/arm64/kernel/signal.c (struct
 * rt_sigframe); ELF for the Arm 64-bit Architecture, aaelf64.
 */
#ifndef ASSAY_UNWIND_ARM_CODE_H
#define ASSAY_UNWIND_ARM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"

#define ARM_SIGNAL_RETURN_BYTES 8u
#define ARM_PLT_HEAD_BYTES 32u

/*
 * Finds the code to which signal handlers return. Returns its offset in @code, or @size_bytes if
 * there is none.
 */
size_t arm_find_signal_return(const uint8_t *code, size_t size_bytes);

/*
 * Returns the offset behind the stp in the first ARM_PLT_HEAD_BYTES of .plt, or 0 if @code begins
 * in another way.
 */
uint32_t arm_plt_pushed_at(const uint8_t *code);

/* The rule for the code to which signal handlers return. */
extern const struct unwind_rule arm_signal_rule;

/*
 * Returns the rule for code of a .plt that has moved sp by @pushed_bytes and saved x30 in the last
 * of these words. If @pushed_bytes is 0, the return address is still in x30.
 */
struct unwind_rule arm_plt_rule(int32_t pushed_bytes, int8_t kept_words);

#endif
