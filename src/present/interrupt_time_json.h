/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt_time_json.h - measured interrupts in JSON
 *
 * The member "measured" is an object. If interrupts were not measured, its only member is
 * "missing", which is the reason, or "" if no measurement was requested. If interrupts were
 * measured, it has these members:
 *   "wall_ns", "pair_ns", "cost_ns";
 *   "hardirq" and "softirq", each with "count", "ns", "skipped", "vectors", "cpus" and "victims";
 *   "untimed".
 *
 * Some members are not always present:
 * - A vector has the member "skipped" only if the kernel counted more interrupts than were timed.
 * - A victim is a process that was interrupted. A victim without the member "tgid" represents
 *   several processes. If it has the member "brief", these are all processes of that name that were
 *   interrupted only for a short time.
 * - A CPU has the members "sampled_ns", "low_ns" and "high_ns" (the ends of the confidence interval
 *   of "sampled_ns") and "differs" only if the measured times can be compared with samples.
 *
 * All rows are written, even if the user gave a limit.
 */
#ifndef ASSAY_PRESENT_INTERRUPT_TIME_JSON_H
#define ASSAY_PRESENT_INTERRUPT_TIME_JSON_H

#include "analyze/overview.h"
#include "present/json.h"

/* Adds the member "measured" to the open object. */
void json_timed(struct json *json, const struct overview *overview);

#endif
