/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_timed.h - measured interrupts in JSON
 *
 * "measured" has either "missing" (the reason; "" if measuring was not attempted) or these members:
 *   "wall_ns", "pair_ns", "cost_ns";
 *   "hardirq" and "softirq", each with "count", "ns", "skipped", "vectors", "cpus" and "victims";
 *   "untimed".
 *
 * A vector has "skipped" if the kernel counts more interrupts than it showed. A victim with "brief"
 * stands for all processes of that name that saw few interrupts. A victim without "tgid" stands for
 * several processes. A CPU has "sampled_ns", the ends of its interval "low_ns" and "high_ns", and
 * "differs" only if samples can be compared. All rows are written, whatever the limit.
 */
#ifndef ASSAY_PRESENT_JSON_TIMED_H
#define ASSAY_PRESENT_JSON_TIMED_H

#include "analyze/overview.h"
#include "present/json.h"

/* Adds the member to the open object. */
void json_timed(struct json *json, const struct overview *overview);

#endif
