/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - a recording in the formats of other tools
 *
 * One file for each format; each is a struct export_format, and export.c lists them.  What a
 * format writes is made in one of two ways, and private headers have both:
 *
 *	samples one by one	export_each_sample() passes those that the filter chooses, in the
 *				order of time; nothing is kept from one to the next
 *	samples by stack	export_read_stacks() counts what is alike first
 *
 * In either case memory is that of the recording's dictionaries and of what is told apart, not of
 * the samples.  As JSON objects and protobuf messages are in no order, tables of names follow
 * what refers to them and hold only what was referred to.
 *
 * Idle time is left out unless the filter asks for contexts, as in reports' tables, so that totals
 * agree with theirs.  Weights are nanoseconds of time or numbers of events, whichever the event
 * counts.  Names are escaped by the rules of the format; what is not UTF-8 is made so where the
 * format is text or wants it.
 */
#ifndef ASSAY_EXPORT_EXPORT_H
#define ASSAY_EXPORT_EXPORT_H

#include <stdio.h>

#include "analyze/filter.h"
#include "model/model.h"
#include "store/recording.h"

struct export;

struct export_format {
	const char *name;		/* as -f has it */
	const char *description;	/* what it is for, in a few words */
	bool is_binary;			/* nothing for terminals */
	bool has_losses;		/* says what was lost by itself */
	bool frames_have_lines;		/* a function is a frame for each of its lines */
	int (*write)(struct export *export);
};

struct export_options {
	const struct export_format *format;
	const struct filter *filter;	/* FILTER_INIT: everything */
	const char *path;		/* of the recording, for titles and messages */
	bool inlined;			/* inlined functions are frames of their own; the model's
					   lines are made */
};

/* Samples. */
struct export_count {
	uint64_t written;
	uint64_t left_out;	/* of other events than the one that the format has room for */
};

/* NULL at the end. */
extern const struct export_format *const export_formats[];

/* NULL where there is none of that name. */
const struct export_format *export_format_find(const char *name);

/*
 * 0, -ENOMEM or what reading the recording or writing a temporary file returned, with a message.
 * The caller looks at ferror(@out).
 */
int export_write(struct recording *recording, struct model *model,
		 const struct export_options *options, FILE *out, struct export_count *ret_count,
		 struct err *err);

#define EXPORT_LOSS_MAX 128

/* "5 samples lost: sample-ring-full"; false where nothing was lost for that reason. */
bool export_loss_text(const struct model *model, enum loss reason, char *text, size_t size_bytes);

#endif
