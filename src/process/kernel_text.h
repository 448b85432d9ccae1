/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_text.h - the text ranges of the running kernel that decide a sample's context
 *
 * Reads them off the marker symbols of kallsyms; model/context.h explains what they prove.
 * Markers that a kernel does not have are left out, and contexts that need them become
 * CONTEXT_KERNEL: coarser, not wrong.
 */
#ifndef ASSAY_PROCESS_KERNEL_TEXT_H
#define ASSAY_PROCESS_KERNEL_TEXT_H

#include "elf/kallsyms.h"
#include "model/context.h"

int kernel_text_from_kallsyms(const struct kallsyms *kallsyms, struct kernel_text *ret_text);

#endif
