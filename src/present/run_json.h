/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_json.h - the statistics of the run in JSON
 *
 * The members are "facts", "event", "samples", "contexts", "counts", "losses", "health" and
 * "ledger". They hold the data that the text report prints before its first profile.
 */
#ifndef ASSAY_PRESENT_RUN_JSON_H
#define ASSAY_PRESENT_RUN_JSON_H

#include "analyze/overview.h"
#include "present/json.h"

/* Adds these members to the open object. "facts" is sorted by key. Returns 0 or -ENOMEM. */
int json_run(struct json *json, const struct overview *overview);

#endif
