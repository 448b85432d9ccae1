/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_stat.h - reads /proc/stat into the model's ledger
 *
 * The columns are taken as the kernel counts them: user without nice (both include the time
 * of guests, whose own columns are therefore not added), in units of 1/USER_HZ seconds.
 * Source: Documentation/filesystems/proc.rst; show_stat() in fs/proc/stat.c.
 */
#ifndef ASSAY_PROCESS_PROC_STAT_H
#define ASSAY_PROCESS_PROC_STAT_H

#include <stdio.h>

#include "base/err.h"
#include "model/ledger.h"

/* First reading of a CPU fills first_ns and start_ns, each one last_ns and end_ns. */
int proc_stat_read(struct ledger *ledger, struct err *err);

/* The same from an open file, read at @now_ns; lines that are no CPU's are passed over. */
int proc_stat_parse(FILE *file, uint64_t now_ns, struct ledger *ledger);

#endif
