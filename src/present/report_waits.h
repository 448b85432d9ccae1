/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_waits.h - prints who ended each wait (analyze/wait_chain.h) as text, JSON or CSV
 *
 * Text shows the rows with the most time and, below each, the largest waits of the waker meanwhile.
 * JSON has all rows as a tree. CSV has all rows, each with the number of its parent. As in
 * report.h, all functions return 0 or -ENOMEM, and the caller checks the error state of the FILE.
 */
#ifndef ASSAY_PRESENT_REPORT_WAITS_H
#define ASSAY_PRESENT_REPORT_WAITS_H

#include "analyze/wait_chain.h"
#include "present/report.h"

int waits_as_text(const struct wait_chains *chains, const struct report_style *style, FILE *out);
int waits_as_json(const struct wait_chains *chains, const struct report_style *style, FILE *out);
/* Adds the member "waits" with the @most (0: all) rows that have the most time, and its total. */
void waits_json_members(struct json *json, const struct wait_chains *chains, size_t most);
int waits_as_csv(const struct wait_chains *chains, const struct report_style *style, FILE *out);

#endif
