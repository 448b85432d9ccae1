/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irq_names.h - the kernel's names of its interrupts, and its interrupt counts
 *
 * Drivers choose the names of device interrupts. The names are kept unchanged but cut to a maximum
 * length. Source: fs/proc/softirqs.c, kernel/irq/proc.c: show_interrupts(), kernel/irq/irqdesc.c:
 * actions_show(); Documentation/filesystems/proc.rst.
 */
#ifndef ASSAY_SAMPLER_IRQ_NAMES_H
#define ASSAY_SAMPLER_IRQ_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define IRQ_NAME_MAX 64
#define IRQ_LABEL_MAX 16

/*
 * Writes the name of softirq @number to @ret_name: the label of row @number of @file, or "softirq
 * <number>" if there is no such row. @file is /proc/softirqs, which is read from its beginning; it
 * may be NULL.
 */
void irq_name_of_softirq(FILE *file, uint32_t number, char ret_name[static IRQ_NAME_MAX]);

/*
 * Writes the names of the handlers of interrupt @number, separated by commas, or "irq <number>" if
 * they are unknown.
 */
void irq_name_of_device(uint32_t number, char ret_name[static IRQ_NAME_MAX]);

/*
 * Calls @visit for each number in the rows of /proc/interrupts or /proc/softirqs. The arguments of
 * @visit are the @label of the row ("24", "LOC", "NET_RX"), the text that follows the numbers, the
 * index of the row (from 0), the CPU of the column, and the number. Rows without a number for each
 * CPU are skipped. Stops as soon as @visit returns a value other than 0, and returns that value;
 * otherwise returns 0, -EIO or -ENOMEM.
 */
typedef int (*irq_count_fn)(void *context, const char *label, const char *what, uint32_t line,
			    uint32_t cpu, uint64_t count);
int irq_counts_each(FILE *file, irq_count_fn visit, void *context);

#endif
