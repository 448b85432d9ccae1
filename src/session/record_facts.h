/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_facts.h - what is known of a recording before it begins
 */
#ifndef ASSAY_SESSION_RECORD_FACTS_H
#define ASSAY_SESSION_RECORD_FACTS_H

#include "base/err.h"
#include "model/model.h"
#include "session/record_session.h"

/* Symbol files of the user's choice must be this kernel's: wrong names are worse than none. */
int record_check_symbols(const struct record_options *options, struct err *err);

/* The machine, the command, the time: docs/schema.md lists them. */
void record_facts(const struct record_options *options, struct model *model);

#endif
