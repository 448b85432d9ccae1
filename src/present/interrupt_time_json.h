/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt_time_json.h - measured interrupts in JSON
 *
 * The member "measured" is an object. If interrupts were not measured, its only member is
 * "missing", the reason ("" if measuring was not attempted). Otherwise it has these members:
 *   "wall_ns", "pair_ns", "cost_ns";
 *   "hardirq" and "softirq", each with "count", "ns", "skipped", "vectors", "cpus" and "victims";
 *   "untimed".
 *
 * A vector has "skipped" if the kernel counted more interrupts than were timed. A victim is a
 * process that was interrupted. A victim with "brief" represents all processes of that name that
 * were interrupted only a few times. A victim without "tgid" represents several processes. A CPU
 * has "sampled_ns", the ends of its interval "low_ns" and "high_ns", and "differs" only if the
 * measured times can be compared with samples. All rows are written, whatever limit the user gave.
 */
#ifndef ASSAY_PRESENT_INTERRUPT_TIME_JSON_H
#define ASSAY_PRESENT_INTERRUPT_TIME_JSON_H

#include "analyze/overview.h"
#include "present/json.h"

/* Adds the member to the open object. */
void json_timed(struct json *json, const struct overview *overview);

#endif
