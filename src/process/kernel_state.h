/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_state.h - detects whether the kernel's code has changed
 *
 * Parsing /proc/kallsyms is expensive. A caller that has parsed it need not parse it again as long
 * as the state is unchanged. The state is a hash over the boot id and everything that changes
 * /proc/kallsyms within a boot: the lists of modules, of BPF programs, and of the BPF links that
 * attach them. Of /proc/kallsyms itself, the state covers only the beginning, which shows the
 * kernel's load address and whether addresses are hidden from us. Reading the whole file would cost
 * as much as the caller hopes to save.
 */
#ifndef ASSAY_PROCESS_KERNEL_STATE_H
#define ASSAY_PROCESS_KERNEL_STATE_H

#include <stdint.h>

/*
 * Sets *ret_state to a hash that changes with every change of the kernel's code. Returns 0, or a
 * negative errno if the state cannot be determined. Listing BPF programs needs CAP_SYS_ADMIN.
 */
int kernel_state(uint64_t *ret_state);

#endif
