/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_swap.h - records of a machine with the other order of bytes
 *
 * A record is turned in place, before anything else looks at it.  What is bytes stays: names,
 * build-ids, raw data, copied stacks.  Records whose content is not used stay as they are.
 */
#ifndef ASSAY_IMPORT_PERF_SWAP_H
#define ASSAY_IMPORT_PERF_SWAP_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "perf/record.h"

/* The header alone: sizes are needed before records are whole. */
void perf_swap_header(struct perf_event_header *header);

/* The rest of a record whose header was turned; fields that do not fit stay as they are. */
void perf_swap_record(void *bytes, size_t size_bytes, const struct record_layout *layout);

#endif
