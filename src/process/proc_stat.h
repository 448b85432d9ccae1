/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_stat.h - reads the CPU times of /proc/stat into the model's ledger
 *
 * The columns have the kernel's own meaning, in units of 1/USER_HZ seconds. User time does not
 * include nice time. User and nice time both include guest time, so the separate guest columns are
 * not added. Source: Documentation/filesystems/proc.rst; show_stat() in fs/proc/stat.c.
 */
#ifndef ASSAY_PROCESS_PROC_STAT_H
#define ASSAY_PROCESS_PROC_STAT_H

#include <stdio.h>

#include "base/err.h"
#include "model/ledger.h"

/*
 * Reads /proc/stat into @ledger. The first reading of a CPU sets its first_ns and start_ns. Every
 * reading sets last_ns and end_ns. Returns 0 or a negative errno.
 */
int proc_stat_read(struct ledger *ledger, struct err *err);

/*
 * Like proc_stat_read(), but parses an open file. @now_ns is the time of the reading. Lines that do
 * not describe a CPU are skipped.
 */
int proc_stat_parse(FILE *file, uint64_t now_ns, struct ledger *ledger);

#endif
