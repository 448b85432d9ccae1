/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export-private.h - what the formats are written with
 *
 * A format's write() returns 0 or a negative errno; for -ENOMEM no message is needed, any other
 * error has filled export->err.
 */
#ifndef ASSAY_EXPORT_EXPORT_PRIVATE_H
#define ASSAY_EXPORT_EXPORT_PRIVATE_H

#include "analyze/match.h"
#include "analyze/profile.h"
#include "export/export.h"
#include "export/paths.h"

struct export
{
	struct recording *recording;
	struct model *model;
	const struct export_options *options;
	struct filter filter;		/* the options' one, without idle time */
	struct match match;
	struct profile profile;		/* names are asked of it; no hits */
	struct paths paths;
	uint64_t start_ns;		/* from where on times count; of the first sample where the
					   recording does not say */
	uint64_t samples;		/* written so far */
	uint64_t left_out;		/* see struct export_count */
	FILE *out;
	struct err *err;
};

/* 0 or a negative errno, which ends the pass. */
typedef int (*export_sample_fn)(void *context, const struct sample *sample);

/* Ids in the samples lie inside the model. They are not counted in export->samples. */
int export_each_sample(struct export *export, export_sample_fn visit, void *context);

/*
 * Hits told apart by thread, context and stack, whose id is hit.stack_class. They are counted in
 * export->samples. profile_fini() after success or failure.
 */
int export_read_stacks(struct export *export, struct profile *ret_profile);

/* The event that a format has room for; what others have is counted in export->left_out. */
uint8_t export_only_event(struct export *export, const struct profile *profile);

/* Samples by event, in an array of 256 that is zeroed here. They are not counted in
 * export->samples. */
int export_count_events(struct export *export, uint64_t samples[static 256]);

/* The name of an event, and the unit of its weights. */
const char *export_event_name(const struct export *export, uint8_t event);
const char *export_event_unit(const struct export *export, uint8_t event, const char *of_time,
			      const char *of_events);

const char *export_comm(const struct export *export, uint32_t thread);
uint32_t export_tgid(const struct export *export, uint32_t thread);

/* What ran: "make -j4", or the recording's path. */
const char *export_title(const struct export *export);

/* Time since export->start_ns; 0 for what was before. */
uint64_t export_time_ns(const struct export *export, uint64_t time_ns);

/*
 * @text made safe as for terminals, which is also valid UTF-8 without control bytes, and with
 * @separator (0: none) as \xNN. NULL when out of memory; the caller frees it.
 */
char *export_escaped(const char *text, char separator);

/* Decimal, without the cost of printf(). */
void put_u64(FILE *out, uint64_t number);

extern const struct export_format export_folded;
extern const struct export_format export_pprof;
extern const struct export_format export_speedscope;
extern const struct export_format export_perf_script;
extern const struct export_format export_callgrind;
extern const struct export_format export_firefox;
extern const struct export_format export_chrome;
extern const struct export_format export_gmon;
extern const struct export_format export_otlp;
extern const struct export_format export_ndjson;
extern const struct export_format export_csv;

#endif
