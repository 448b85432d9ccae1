/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - conditions that select the samples of a report
 *
 * A condition is a list of values for one key, such as `comm` or `cpu`. If conditions for several
 * keys are given, a sample must match at least one value of each key. Text values are
 * patterns (base/pattern.h). The key `image` is compared with the image of the sampled address. The
 * key `symbol` is compared with the functions of all frames on the stack, and with @inlined also
 * with the functions that were inlined in these frames. So a report can be narrowed to the code
 * that ran on behalf of a function.
 *
 * The filter owns copies of all values; filter_fini() frees them.
 */
#ifndef ASSAY_ANALYZE_FILTER_H
#define ASSAY_ANALYZE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pattern.h"
#include "base/vec.h"

#define FILTER_CPU_MAX UINT16_MAX

struct filter_patterns {
	VEC(struct pattern) list;
};

struct filter_numbers {
	VEC(uint32_t) list;
};

struct filter {
	struct filter_patterns comms, applications, events;
	/* compared with the full path and with its last component */
	struct filter_patterns images;
	struct filter_patterns symbols;
	/* names of calls that the stopwatch measured, without "span:" (span_index.h) */
	struct filter_patterns spans;
	bool slow_spans, fast_spans;	/* in calls that are slow, that are not; both: all calls */
	struct filter_numbers tgids, tids;
	struct filter_numbers cpus;	/* each at most FILTER_CPU_MAX */
	uint32_t contexts;		/* one bit per enum context; 0: all */
	/*
	 * time range in nanoseconds since the start of the recording; 0 and UINT64_MAX if there is
	 * no time condition
	 */
	uint64_t from_ns, to_ns;
	bool no_spans;			/* an option: leave out samples that are spans */
	bool inlined;			/* an option: symbols also match inlined functions */
	bool wall;			/* an option: count wall time (metric.h) */
};

#define FILTER_INIT { .to_ns = UINT64_MAX }

/*
 * Adds one condition as given on the command line. @key is comm, application, pid, tid, image,
 * symbol, context, cpu, event, span or time. @value is a comma-separated list ("user,syscall",
 * "0-3");
 * "\," is a comma inside a value, and commas inside "/EXPRESSION/" need no backslash. For time,
 * @value is one range in s, ms, us or ns since the start ("1.5s-3s", "500ms-"). A bare number is in
 * seconds. "10%-20%" and a second range are refused. Returns -EINVAL with a message that lists the
 * allowed values, or -ENOMEM.
 */
int filter_add(struct filter *filter, const char *key, const char *value, struct err *err);
void filter_fini(struct filter *filter);

/* Returns true if the filter has any condition. @filter may be NULL. */
bool filter_is_set(const struct filter *filter);

/* Returns true if samples are selected by the calls that they fell into. */
bool filter_has_spans(const struct filter *filter);

/* Returns true if only some threads, CPUs or times are selected. @filter may be NULL. */
bool filter_has_a_part(const struct filter *filter);

/* Returns true if @text equals or matches one of the patterns, or if there are no patterns. */
bool filter_patterns_match(const struct filter_patterns *patterns, const char *text);

#endif
