/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopwatch-private.h - declarations shared by the files that implement stopwatch.h
 *
 *	stopwatch_find.c	finds what the points mean
 *	stopwatch_usdt.c	the same for static probes
 *	stopwatch_load.c	loads the BPF programs
 *	stopwatch_attach.c	attaches them
 *	stopwatch.c		adds up what was measured
 */
#ifndef ASSAY_STOPWATCH_STOPWATCH_PRIVATE_H
#define ASSAY_STOPWATCH_STOPWATCH_PRIVATE_H

#include "base/vec.h"
#include "bpf/span.h"
#include "stopwatch/stopwatch.h"
#include "symbolize/function_job.h"
#include "symbolize/usdt_job.h"

/*
 * What is done at the functions that a point means. If both keys are 0, their calls are measured:
 * the first function has the number @span, and the others follow. At a tracepoint or static probe,
 * a value is measured then.
 */
struct site {
	uint32_t span;
	uint32_t begin, end;	/* numbers of keys plus 1: passing the point begins, ends @span */
	uint32_t by;		/* number of a key plus 1 (span_cookie_by()); 0: none */
	bool at_return;
};

static inline bool site_is_call(const struct site *site)
{
	return !site->begin && !site->end;
}

/* Returns the cookie for function @i of the point. */
static inline uint64_t site_cookie(const struct site *site, size_t i, enum probe_cost cost)
{
	uint32_t span = site->span + (site_is_call(site) ? (uint32_t)i : 0);

	return span_cookie_by(span_cookie(span, cost, site->begin, site->end), site->by);
}

/* Functions of an image. */
struct watched_image {
	int fd;
	char *path;			/* for people */
	struct found_functions functions;
	struct site site;
};

/* A function of the kernel. */
struct watched_kernel {
	uint64_t addr;
	struct site site;
};

struct watched_call {
	uint32_t number;
	struct site site;
};

struct watched_tracepoint {
	uint64_t id;
	const char *text;		/* for people; borrowed from the point */
	struct site site;
};

/* Static probes of an image. */
struct watched_usdt {
	int fd;
	char *path;			/* for people */
	struct found_usdt found;
	VEC(uint32_t) places;		/* by probe: its number in stopwatch.places, or 0 */
	struct site site;
};

struct stopwatch {
	struct stopwatch_options options;	/* valid until stopwatch_load() has returned */
	VEC(struct watched_image) images;
	VEC(struct watched_kernel) kernel;
	VEC(struct watched_call) calls;
	VEC(struct watched_tracepoint) tracepoints;
	VEC(struct watched_usdt) usdt;
	VEC(struct span_key) keys;
	VEC(struct span_place) places;
	VEC(struct stopwatch_span) spans;
	VEC(char *) names;			/* of spans, unless an image has them; owned */
	size_t left_out;

	struct stopwatch_skel *skel;
	VEC(int) links;				/* descriptors, also of perf events */
	/* [shard * span count + span], then those of groups; mapped */
	struct span_sum *sums;
	size_t sums_bytes;
	uint64_t *thresholds;		/* by span; mapped; NULL: no single spans are sent */
	size_t thresholds_bytes;
	uint32_t shard_count;
};

/* Returns true if it must be known when tasks that are in calls leave their CPUs. */
static inline bool follows_switches(const struct stopwatch_options *options)
{
	return options->waits || options->counters.count || options->interrupts ||
	       options->records.ring_bytes;
}

/* Appends a span. Returns 0 or -ENOMEM. */
int stopwatch_add_span(struct stopwatch *stopwatch, const struct stopwatch_span *span);

/*
 * Opens the image of a function or static probe. Returns 0, or a negative errno with a message. The
 * caller frees *@ret_path, also after a failure.
 */
int stopwatch_open_image(const struct stopwatch_options *options, const struct point *point,
			 int *ret_fd, char **ret_path, struct err *err);

/* Returns why no functions were found, or if there is a resolver, why it is not measured. */
const char *stopwatch_why_none(const struct found_functions *functions);

/*
 * Adds the span of a tracepoint or static probe, unless it begins or ends another one. Returns 0,
 * or a negative errno with a message if no value is measured there.
 */
int stopwatch_add_hit(struct stopwatch *stopwatch, const struct point *point,
		      const struct site *site, struct err *err);

/* Finds a static probe, or several. */
int stopwatch_find_usdt(struct stopwatch *stopwatch, const struct point *point,
			const struct site *site, struct err *err);
void watched_usdt_fini(struct watched_usdt *usdt);

/* Finds what is to be measured, as stopwatch_find() does. */
int stopwatch_find_all(struct stopwatch *stopwatch, struct err *err);

/* Attaches all programs, the ends of spans first. */
int stopwatch_attach(struct stopwatch *stopwatch, struct err *err);
void stopwatch_detach(struct stopwatch *stopwatch);

void stopwatch_unload(struct stopwatch *stopwatch);

#endif
