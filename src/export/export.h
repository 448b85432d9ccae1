/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - exports a recording in the formats of other tools
 *
 * Each format has its own file, which defines one struct export_format; export.c lists them. A
 * format reads the recording in one of two ways, which are declared in export-private.h:
 *
 *	samples one by one	export_each_sample() calls the format with each sample that the
 *				filter selects, in order of time; nothing is stored between
 *				samples
 *	samples by stack	export_read_stacks() first adds up equal samples
 *
 * In both cases, memory use depends on the size of the recording's tables of names and stacks and
 * on the number of different samples, but not on the total number of samples. Readers of JSON
 * objects and protobuf messages accept the fields in any order. So tables of names are written
 * after the samples that refer to them, and contain only names that are used.
 *
 * Samples of idle time are left out unless the filter selects contexts. Reports leave them out by
 * the same rule, so the totals of an export and of a report agree. The weights of events that count
 * time are in nanoseconds. Other weights are numbers of events. Names are escaped by the rules of
 * each format. Invalid UTF-8 is replaced if the format is a text format or requires UTF-8.
 */
#ifndef ASSAY_EXPORT_EXPORT_H
#define ASSAY_EXPORT_EXPORT_H

#include <stdio.h>

#include "analyze/filter.h"
#include "model/model.h"
#include "store/recording.h"

struct export;

struct export_format {
	const char *name;		/* name of the format, as given to option -f */
	const char *description;	/* what the format is for, in a few words */
	/* the format is binary, so it must not be written to a terminal */
	bool is_binary;
	bool has_losses;		/* the output tells how many samples were lost */
	bool has_one_event;		/* samples of only one event can be stored */
	bool has_spans;			/* spans are stored (model/span.h), as intervals */
	/* two source lines of the same function are two different frames */
	bool frames_have_lines;
	int (*write)(struct export *export);
};

struct export_options {
	const struct export_format *format;
	const struct filter *filter;	/* selects the samples; FILTER_INIT selects all */
	const char *path;		/* path of the recording, for titles and messages */
	/* Write inlined functions as frames of their own. The model must contain source lines. */
	bool inlined;
};

/* Numbers of samples: those that were written, and those that were left out. */
struct export_count {
	uint64_t written;
	uint64_t left_out;	/* samples left out because the format cannot store their event */
};

/* All formats; the last element is NULL. */
extern const struct export_format *const export_formats[];

/* Returns the format called @name, or NULL. */
const struct export_format *export_format_find(const char *name);

/*
 * Writes the export to @out. Returns 0, or a negative errno with a message in @err, for example if
 * the recording cannot be read or a temporary file cannot be written. Does not report write errors
 * on @out: the caller checks ferror(@out).
 */
int export_write(struct recording *recording, struct model *model,
		 const struct export_options *options, FILE *out, struct export_count *ret_count,
		 struct err *err);

#define EXPORT_LOSS_MAX 128

/*
 * Writes to @text how many samples were lost for the given reason, such as "5 samples lost:
 * sample-ring-full". Returns false if none were lost for this reason.
 */
bool export_loss_text(const struct model *model, enum loss reason, char *text, size_t size_bytes);

#endif
