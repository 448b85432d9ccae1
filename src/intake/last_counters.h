/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_counters.h - the values of counters at the last sample of each thread, in bounded memory
 *
 * A sample carries the values that counters have; what is stored is how much they have grown since
 * the thread's last sample. Threads end without saying so here, so the rows that were not used for
 * longest leave: when LAST_COUNTERS_MAX rows are in use, all that were not used since the previous
 * time this happened are forgotten. If such a thread comes back, its growth is unknown.
 */
#ifndef ASSAY_INTAKE_LAST_COUNTERS_H
#define ASSAY_INTAKE_LAST_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vec.h"

#define LAST_COUNTERS_MAX 16384u	/* rows; twice as many are kept */

struct counter_rows {
	struct u64map index;	/* key -> row */
	VEC(uint64_t) values;	/* row after row */
};

struct last_counters {
	struct counter_rows rows, older;
	uint64_t older_ns;	/* since when `rows` are in use */
	/* what was not used since this time may be forgotten; 0: nothing is */
	uint64_t forgotten_ns;
};

void last_counters_fini(struct last_counters *last);

/*
 * Returns the @width values that @key had last, which the caller overwrites, or NULL if out of
 * memory. @width must be the same in all calls. @since_ns is when the counters of @key began, at
 * zero. Sets *@ret_known to false if the values are not known.
 */
uint64_t *last_counters_of(struct last_counters *last, size_t width, uint64_t key,
			   uint64_t since_ns, uint64_t now_ns, bool *ret_known);

#endif
