/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_state.h - detects whether the kernel's code has changed
 *
 * A caller that has parsed /proc/kallsyms can skip doing so again while this state is unchanged.
 * Within a boot, the content of /proc/kallsyms changes with the modules, the BPF programs and the
 * BPF links that attach them. The state covers these lists, but only the beginning of
 * /proc/kallsyms itself, which shows the kernel's load address and whether addresses are hidden
 * from us. Reading the whole file would cost as much as the caller hopes to save.
 */
#ifndef ASSAY_PROCESS_KERNEL_STATE_H
#define ASSAY_PROCESS_KERNEL_STATE_H

#include <stdint.h>

/*
 * Sets *ret_state to a number that differs after each change of the kernel's code. Returns 0, or a
 * negative errno if the state cannot be determined. Listing BPF programs needs CAP_SYS_ADMIN.
 */
int kernel_state(uint64_t *ret_state);

#endif
