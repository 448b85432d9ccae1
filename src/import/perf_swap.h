/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_swap.h - convert records from a machine with the opposite byte order
 *
 * Records are converted in place, before they are decoded. Fields that have no byte order are left
 * unchanged: names, build-ids, raw data and copied stacks. The bodies of records that the reader
 * does not use are not converted.
 */
#ifndef ASSAY_IMPORT_PERF_SWAP_H
#define ASSAY_IMPORT_PERF_SWAP_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "perf/record.h"

/*
 * Converts only the record's header. Call this function first, because the header contains the
 * record's size.
 */
void perf_swap_header(struct perf_event_header *header);

/*
 * Converts the rest of a record whose header is already converted. Fields that extend beyond the
 * end of the record are left unchanged.
 */
void perf_swap_record(void *bytes, size_t size_bytes, const struct record_layout *layout);

#endif
