/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_timed.h - measured interrupts in JSON
 *
 * "measured": either "missing" (why; "": nobody tried) or "wall_ns", "pair_ns", "cost_ns",
 * "hardirq" and "softirq", each with "count", "ns", "vectors", "cpus" and "victims" ("brief": all
 * brief ones of the name; no "tgid": several processes), where the kernel counts more than it
 * showed "skipped", and "untimed".  Of a CPU "sampled_ns" with the ends of its interval, "low_ns"
 * and "high_ns", and "differs" are there only where samples can be compared.  All rows, whatever
 * the limit.
 */
#ifndef ASSAY_PRESENT_JSON_TIMED_H
#define ASSAY_PRESENT_JSON_TIMED_H

#include "analyze/overview.h"
#include "present/json.h"

/* Into the open object. */
void json_timed(struct json *json, const struct overview *overview);

#endif
