/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export-private.h - helpers shared by the export formats
 *
 * The write() function of each format returns 0 or a negative errno. Unless it returns -ENOMEM, a
 * function that fails must put a message into export->err.
 */
#ifndef ASSAY_EXPORT_EXPORT_PRIVATE_H
#define ASSAY_EXPORT_EXPORT_PRIVATE_H

#include "analyze/match.h"
#include "analyze/metric.h"
#include "analyze/profile.h"
#include "base/name_text.h"
#include "export/export.h"
#include "export/paths.h"

struct export
{
	struct recording *recording;
	struct model *model;
	const struct export_options *options;
	/*
	 * copy of the options' filter; if that filter does not select contexts, the copy leaves out
	 * idle time
	 */
	struct filter filter;
	struct match match;
	struct metric metric;
	bool has_metric;		/* false: each event by itself */
	struct profile profile;		/* used only to look up names; contains no samples */
	struct paths paths;
	/*
	 * The timestamp that formats with relative timestamps write as 0. If the recording has no
	 * start timestamp, this is the timestamp of the first sample.
	 */
	uint64_t start_ns;
	uint64_t samples;		/* number of samples written so far */
	/* of the sample that is visited: its counters, in the order of the model's */
	const uint64_t *counters;
	size_t counter_count;
	uint64_t left_out;		/* see export_count.left_out in export.h */
	FILE *out;
	struct err *err;
};

/* Called for each sample. Returns 0, or a negative errno to stop reading the recording. */
typedef int (*export_sample_fn)(void *context, const struct sample *sample);

/*
 * Calls @visit with every sample that the filter selects. All ids in the passed samples are valid
 * in the model. Does not change export->samples.
 */
int export_each_sample(struct export *export, export_sample_fn visit, void *context);

/*
 * Reads the samples and adds up those with the same event, thread, context and stack. Each
 * resulting hit contains the id of the stack as hit.stack_class. Adds the number of samples to
 * export->samples. The caller runs profile_fini() on success and on failure.
 */
int export_read_stacks(struct export *export, struct profile *ret_profile);

/*
 * Returns the event to export, for formats that can store only one event. Adds the number of
 * samples of all other events to export->left_out.
 */
uint8_t export_only_event(struct export *export, const struct profile *profile);

/* Stores the number of samples of each event in @samples. Does not change export->samples. */
int export_count_events(struct export *export, uint64_t samples[static 256]);

/*
 * Return the name of an event, and the unit of the event's weights: @of_time if the event counts
 * time, and @of_events otherwise.
 */
const char *export_event_name(const struct export *export, uint8_t event);
const char *export_event_unit(const struct export *export, uint8_t event, const char *of_time,
			      const char *of_events);

const char *export_comm(const struct export *export, uint32_t thread);
uint32_t export_tgid(const struct export *export, uint32_t thread);

/*
 * Returns the command that was recorded, such as "make -j4". If the command is unknown, returns the
 * recording's path.
 */
const char *export_title(const struct export *export);

/*
 * Returns @time_ns relative to export->start_ns, or 0 if @time_ns is earlier than export->start_ns.
 */
uint64_t export_time_ns(const struct export *export, uint64_t time_ns);

/*
 * Returns a copy of @text that is valid UTF-8 without control bytes, as name_text_write() writes
 * it. Importers can read the copy with name_text_read(). Returns NULL if out of memory. The caller
 * frees the result.
 */
char *export_escaped(const char *text, name_needs_fn needs);

/* Writes @number in decimal, faster than printf(). */
void put_u64(FILE *out, uint64_t number);

#define FORMAT(name) extern const struct export_format export_##name;
#include "export/formats.def"
#undef FORMAT

#endif
