/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - exports a recording in the formats of other tools
 *
 * Each format has its own file, which defines one struct export_format; export.c lists them. A
 * format produces its output in one of two ways, both declared in the private header:
 *
 *	samples one by one	export_each_sample() passes the samples that the filter selects, in
 *				order of time; nothing is kept between samples
 *	samples by stack	export_read_stacks() counts equal samples first
 *
 * In both cases memory depends on the recording's dictionaries and on the number of distinct
 * groups, but not on the number of samples. The order of JSON objects and protobuf messages does
 * not matter, so tables of names are written after the data that refers to them, and contain only
 * names that are used.
 *
 * Idle time is left out unless the filter selects contexts. The tables of reports do the same, so
 * the totals agree. Weights are nanoseconds for events that count time, and numbers of events
 * otherwise. Names are escaped by the rules of each format. Invalid UTF-8 is replaced where the
 * format is text or requires UTF-8.
 */
#ifndef ASSAY_EXPORT_EXPORT_H
#define ASSAY_EXPORT_EXPORT_H

#include <stdio.h>

#include "analyze/filter.h"
#include "model/model.h"
#include "store/recording.h"

struct export;

struct export_format {
	const char *name;		/* name for option -f */
	const char *description;	/* purpose, in a few words */
	bool is_binary;			/* must not be written to a terminal */
	bool has_losses;		/* the format itself reports losses */
	bool frames_have_lines;		/* each line of a function is a frame of its own */
	int (*write)(struct export *export);
};

struct export_options {
	const struct export_format *format;
	const struct filter *filter;	/* FILTER_INIT selects everything */
	const char *path;		/* path of the recording, for titles and messages */
	/*
	 * Inlined functions become frames of their own. The lines of the model must have been
	 * filled in.
	 */
	bool inlined;
};

/* Numbers of samples. */
struct export_count {
	uint64_t written;
	uint64_t left_out;	/* samples of events that the format has no room for */
};

/* All formats; the last element is NULL. */
extern const struct export_format *const export_formats[];

/* Returns the format called @name, or NULL. */
const struct export_format *export_format_find(const char *name);

/*
 * Writes the export to @out. Returns 0, -ENOMEM, or the error of reading the recording or of
 * writing a temporary file, with a message in @err. The caller checks ferror(@out).
 */
int export_write(struct recording *recording, struct model *model,
		 const struct export_options *options, FILE *out, struct export_count *ret_count,
		 struct err *err);

#define EXPORT_LOSS_MAX 128

/*
 * Formats the losses of one reason as "5 samples lost: sample-ring-full". Returns false if there
 * are none.
 */
bool export_loss_text(const struct model *model, enum loss reason, char *text, size_t size_bytes);

#endif
