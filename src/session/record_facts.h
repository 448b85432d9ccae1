/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_facts.h - facts of a recording that are known before it starts */
#ifndef ASSAY_SESSION_RECORD_FACTS_H
#define ASSAY_SESSION_RECORD_FACTS_H

#include "base/err.h"
#include "model/model.h"
#include "session/record_session.h"

/*
 * Checks that the kernel symbol files that the user chose belong to the running kernel, because
 * wrong names are worse than none. Returns 0 or a negative errno.
 */
int record_check_symbols(const struct record_options *options, struct err *err);

/* Stores facts about the machine, the command and the time. docs/schema.md lists them. */
void record_facts(const struct record_options *options, struct model *model);

#endif
