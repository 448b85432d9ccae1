/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irq_names.h - what the kernel calls its interrupts, and which of them it counts
 *
 * Drivers choose the names of devices' interrupts; they are taken as they are, but bounded.
 * Source: fs/proc/softirqs.c, kernel/irq/proc.c: show_interrupts(), kernel/irq/irqdesc.c:
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
 * Of /proc/softirqs: the name of its line @number into ret_name, or "softirq <number>" where there
 * is none.  @file may be NULL; it is read from its beginning.
 */
void irq_name_of_softirq(FILE *file, uint32_t number, char ret_name[static IRQ_NAME_MAX]);

/* Those who handle it, with commas; "irq <number>" where nobody says. */
void irq_name_of_device(uint32_t number, char ret_name[static IRQ_NAME_MAX]);

/*
 * Calls @visit for each number in the lines of /proc/interrupts or /proc/softirqs: @label of the
 * line ("24", "LOC", "NET_RX"), what the kernel says behind its numbers, the line (from 0) and the
 * CPU of the column.  Lines without a number for each CPU are passed over.  Stops at what @visit
 * returns other than 0, and returns that; -EIO, -ENOMEM.
 */
typedef int (*irq_count_fn)(void *context, const char *label, const char *what, uint32_t line,
			    uint32_t cpu, uint64_t count);
int irq_counts_each(FILE *file, irq_count_fn visit, void *context);

#endif
