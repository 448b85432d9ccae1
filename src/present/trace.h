/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - prints samples one by one, as text, CSV or JSON
 *
 * Each sample is one line with the selected fields. Nothing is stored between samples, so memory
 * use does not grow with the number of samples. JSON is one object per line, not an array.
 *
 *	time		seconds since the start of the recording
 *	late		ns between the tick and the sample; if unknown: "-" in text, null in
 *			JSON, empty in CSV
 *	weight		ns of CPU time, or events
 *	quality		how good the name of the function is: a name of enum quality, or empty if
 *			the leaf is not a function
 *	stack		names joined by semicolons (escape_joined()), outermost function first;
 *			in JSON an array of {"image", "function"}, with profile.inlined also
 *			"inlined". If part of the stack is missing, the outermost entry names
 *			the reason (see call_frame.h).
 *	counters	the counters that were read with the sample, or the amounts of a call
 *			(model/span.h), without those that are 0; in text and CSV such as
 *			"page-faults=3 span-blocked=1200", in JSON an object
 *	waker		of a wait, the name and the tid of the thread that ended the wait, such as
 *			"writer 4711", or the context if an interrupt ended it, such as "hardirq";
 *			if unknown: "-" in text, null in JSON, empty in CSV
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
	TRACE_QUALITY,
	TRACE_STACK,
	TRACE_WAKER,
	TRACE_COUNTERS,
	TRACE_FIELD_COUNT
};

enum trace_format { TRACE_TEXT, TRACE_JSON, TRACE_CSV };

struct trace {
	const struct profile *profile;	/* only its model and @inlined are used */
	uint64_t start_ns;
	enum trace_field fields[TRACE_FIELD_COUNT];
	size_t field_count;
	enum trace_format format;
	/* text only: print the stack below the sample, one line per frame, innermost first */
	bool stack_beneath;
	FILE *out;
	VEC(uint64_t) frames;		/* frames of the previous sample's stack, outermost first */
};

/* One sample. All ids in it must be valid in the model. */
struct traced {
	const struct sample *sample;
	const struct sample *waker;	/* the sample of the waker (model/wait.h), or NULL */
	const uint64_t *counters;	/* of the sample, in the order of the model's counters */
	size_t counter_count;
};

#define TRACE_FIELDS_DEFAULT "time,cpu,comm,tid,event,context,function,image"

/*
 * Parses a list of fields such as "time,cpu". Returns 0 or -ENOMEM. Returns -EINVAL if a word is
 * not a field, with a message that lists the valid fields, or if a field is named twice.
 */
int trace_fields_parse(const char *text, struct trace *trace, struct err *err);

/* Prints the line of column titles. Prints nothing in JSON. */
void trace_begin(const struct trace *trace);

/* Prints one sample. Returns 0 or -ENOMEM. */
int trace_sample(struct trace *trace, const struct traced *traced);

void trace_fini(struct trace *trace);

#endif
