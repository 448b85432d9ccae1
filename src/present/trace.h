/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - samples one by one, as text, CSV or JSON
 *
 * One line for each sample, of the fields that were chosen; nothing is kept from one to the next,
 * so memory does not grow with their number.  JSON is an object on each line, not an array.
 *
 *	time		seconds since the recording began
 *	late		ns behind the tick; unknown: "-" in text, null in JSON, empty in CSV
 *	weight		ns of CPU time, or events
 *	stack		names from the outermost function on, joined by semicolons
 *			(escape_joined()); in JSON an array of {"image", "function"}, with
 *			profile.inlined also "inlined".  The outermost one may stand for a part
 *			that is missing: call_frame.h
 */
#ifndef ASSAY_PRESENT_TRACE_H
#define ASSAY_PRESENT_TRACE_H

#include <stdio.h>

#include "analyze/profile.h"

enum trace_field {
	TRACE_TIME,
	TRACE_CPU,
	TRACE_COMM,
	TRACE_PID,
	TRACE_TID,
	TRACE_EVENT,
	TRACE_CONTEXT,
	TRACE_LATE,
	TRACE_WEIGHT,
	TRACE_FUNCTION,
	TRACE_IMAGE,
	TRACE_STACK,
	TRACE_FIELD_COUNT
};

enum trace_format { TRACE_TEXT, TRACE_JSON, TRACE_CSV };

struct trace {
	const struct profile *profile;	/* of which the model and @inlined are needed */
	uint64_t start_ns;
	enum trace_field fields[TRACE_FIELD_COUNT];
	size_t field_count;
	enum trace_format format;
	bool stack_beneath;		/* text: a line for each frame, innermost first */
	FILE *out;
	VEC(uint64_t) frames;		/* of the last stack, outermost first */
};

#define TRACE_FIELDS_DEFAULT "time,cpu,comm,tid,event,context,function,image"

/* "time,cpu" -> fields. -EINVAL, naming the word and those there are, or -ENOMEM. */
int trace_fields_parse(const char *text, struct trace *trace, struct err *err);

/* What stands above the first line; nothing in JSON. */
void trace_begin(const struct trace *trace);

/* @sample's ids lie inside the model. 0 or -ENOMEM */
int trace_sample(struct trace *trace, const struct sample *sample);

void trace_fini(struct trace *trace);

#endif
