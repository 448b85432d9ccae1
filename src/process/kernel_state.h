/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_state.h - is the kernel's code what it was?
 *
 * Within a boot, what /proc/kallsyms lists changes with modules and with BPF programs and what is
 * attached to them.  Of the file itself only the beginning is read, which tells where the kernel
 * lies and whether its addresses are hidden from us; all of it would cost what is to be saved.
 */
#ifndef ASSAY_PROCESS_KERNEL_STATE_H
#define ASSAY_PROCESS_KERNEL_STATE_H

#include <stdint.h>

/*
 * *ret_state is another number after each such change.  0, or a negative errno where it cannot be
 * told: to list BPF programs takes CAP_SYS_ADMIN.
 */
int kernel_state(uint64_t *ret_state);

#endif
