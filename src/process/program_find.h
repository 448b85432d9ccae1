/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program_find.h - finds the processes that run a program */
#ifndef ASSAY_PROCESS_PROGRAM_FIND_H
#define ASSAY_PROCESS_PROGRAM_FIND_H

#include "process/proc_read.h"

/*
 * Calls @visit for each running process whose program has this name (program_has_name()), except
 * the caller's own process. If @visit returns a negative value, stops and returns that value.
 */
int program_find(const char *name, proc_id_fn visit, void *context);

#endif
