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
 * Writes the name of softirq @number to @ret_name. The name is the label of row @number (from 0) of
 * @file, or "softirq <number>" if there is no such row. @file is /proc/softirqs or NULL. The
 * function reads the file from its beginning.
 */
void irq_name_of_softirq(FILE *file, uint32_t number, char ret_name[static IRQ_NAME_MAX]);

/*
 * Writes the names of the handlers of interrupt @number, separated by commas, or "irq <number>" if
 * they are unknown.
 */
void irq_name_of_device(uint32_t number, char ret_name[static IRQ_NAME_MAX]);

/*
 * Calls @visit for each number in the rows of /proc/interrupts or /proc/softirqs, with these
 * arguments:
 *
 * - label: the label of the row, such as "24", "LOC" or "NET_RX"
 * - what: the text that follows the numbers of the row
 * - line: the index of the row, counted from 0
 * - cpu: the CPU to which the column belongs
 * - count: the number
 *
 * Rows that do not have a number for each CPU are skipped. If @visit returns a value other than 0,
 * stops and returns that value. Otherwise returns 0, -EIO or -ENOMEM.
 */
typedef int (*irq_count_fn)(void *context, const char *label, const char *what, uint32_t line,
			    uint32_t cpu, uint64_t count);
int irq_counts_each(FILE *file, irq_count_fn visit, void *context);

#endif
