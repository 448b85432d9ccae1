/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_state.h - detects whether the kernel's code has changed
 *
 * Within a boot, the content of /proc/kallsyms changes with the modules, the BPF programs and the
 * places that these are attached to. Of /proc/kallsyms only the beginning is read, which shows the
 * kernel's load address and whether addresses are hidden from us. Reading all of the file would
 * cost as much as the caller hopes to save.
 */
#ifndef ASSAY_PROCESS_KERNEL_STATE_H
#define ASSAY_PROCESS_KERNEL_STATE_H

#include <stdint.h>

/*
 * Sets *ret_state to a number that differs after each such change. Returns 0, or a negative errno
 * if the state cannot be determined; listing BPF programs needs CAP_SYS_ADMIN.
 */
int kernel_state(uint64_t *ret_state);

#endif
