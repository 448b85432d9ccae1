/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_symbols.h - reads /proc/kallsyms, through a cache
 *
 * The symbols are stored in the cache directory as "kernel-symbols", readable only by the owner.
 * The stored symbols are used as long as the kernel's code has not changed
 * (process/kernel_state.h).
 */
#ifndef ASSAY_SESSION_KERNEL_SYMBOLS_H
#define ASSAY_SESSION_KERNEL_SYMBOLS_H

#include "elf/kallsyms.h"

/* Same contract as kallsyms_read() for /proc/kallsyms. */
int kernel_symbols_read(const char *cache_dir, struct kallsyms *ret_kallsyms, struct err *err);

#endif
