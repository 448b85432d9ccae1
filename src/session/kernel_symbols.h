/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_symbols.h - /proc/kallsyms, kept from one recording to the next
 *
 * What was read is kept in the cache directory ("kernel-symbols", for its owner alone) and taken
 * from there as long as the kernel's code is the same (process/kernel_state.h).
 */
#ifndef ASSAY_SESSION_KERNEL_SYMBOLS_H
#define ASSAY_SESSION_KERNEL_SYMBOLS_H

#include "elf/kallsyms.h"

/* As kallsyms_read() of /proc/kallsyms. */
int kernel_symbols_read(const char *cache_dir, struct kallsyms *ret_kallsyms, struct err *err);

#endif
