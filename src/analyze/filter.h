/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - which samples a report is about
 *
 * Conditions of different kinds are joined by and, several values of one kind by or.  Text
 * values are shell patterns (fnmatch) that also match what they spell, as names such as
 * "[kernel]" would otherwise be beyond reach.  comm, application and event match their names; image
 * matches the image of the sampled address; symbol matches when any frame's function does, with
 * @inlined also when one does that was inlined there, so that a report can be narrowed to what
 * ran on behalf of a function.
 *
 * The filter owns copies of all values; filter_fini() frees them.
 */
#ifndef ASSAY_ANALYZE_FILTER_H
#define ASSAY_ANALYZE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define FILTER_CPU_MAX UINT16_MAX

struct filter_patterns {
	VEC(char *) list;
};

struct filter_numbers {
	VEC(uint32_t) list;
};

struct filter {
	struct filter_patterns comms, applications, events;
	struct filter_patterns images;	/* full path or its last component */
	struct filter_patterns symbols;
	struct filter_numbers tgids, tids;
	struct filter_numbers cpus;	/* each at most FILTER_CPU_MAX */
	uint32_t contexts;		/* bit per enum context; 0: all */
	uint64_t from_ns, to_ns;	/* since the start of the recording; 0, UINT64_MAX: all */
	bool inlined;			/* no condition: symbols may be inlined functions, too */
};

#define FILTER_INIT { .to_ns = UINT64_MAX }

/*
 * One condition as the command line gives it: @key is comm, application, pid, tid, image,
 * symbol, context, cpu, event or time; @value a comma-separated list ("user,syscall", "0-3";
 * "\," is a comma inside a value), for time one range of s, ms, us or ns since the start
 * ("1.5s-3s", "500ms-"; a bare number is seconds; "10%-20%" and a second range are refused).
 * -EINVAL with a message that lists what is allowed.
 */
int filter_add(struct filter *filter, const char *key, const char *value, struct err *err);
void filter_fini(struct filter *filter);

/* Does a condition of any kind stand in it? NULL: no. */
bool filter_is_set(const struct filter *filter);

/* True when @text equals or matches one of the patterns, or when there are none. */
bool filter_patterns_match(const struct filter_patterns *patterns, const char *text);

#endif
