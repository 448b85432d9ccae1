/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_text.h - the ranges of the running kernel's code that decide a sample's context
 *
 * The context is what the kernel was doing at the time of the sample, for example handling an
 * interrupt or a system call. The ranges are derived from marker symbols in kallsyms;
 * model/context.h explains each marker. If a kernel does not have a marker, the samples that only
 * this marker could classify get the context CONTEXT_KERNEL, which is less precise but not wrong.
 */
#ifndef ASSAY_PROCESS_KERNEL_TEXT_H
#define ASSAY_PROCESS_KERNEL_TEXT_H

#include "elf/kallsyms.h"
#include "model/context.h"

int kernel_text_from_kallsyms(const struct kallsyms *kallsyms, struct kernel_text *ret_text);

#endif
