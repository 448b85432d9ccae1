/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h - samples whose frames a file tells by name
 *
 * Most formats know what a frame is called, and of its address little or nothing.  Their readers
 * turn texts into strings, strings into places, places into stacks, with what is here; everything
 * ends in rows of the model, within budgets that are the same for all formats.  What goes beyond
 * is a loss of the model, and the id returned is 0.
 *
 * A function is what has one name in one image.  Where the file tells how far from its beginning
 * a frame lies, and programs were at several addresses, all frames are set off from where the
 * function was seen first: one instruction is one location.  A place without an address gets a
 * number instead, as each location needs one.
 */
#ifndef ASSAY_IMPORT_NAMED_H
#define ASSAY_IMPORT_NAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "import/import.h"

#define NAMED_FRAMES_MAX 4096u	/* of one stack */
#define NAMED_LINES_MAX 256u	/* of one place: inlined into each other */
#define NAMED_EVENTS_MAX 64u

/* Of a place one function, and the line in it. */
struct named_line {
	uint32_t name;		/* string */
	uint32_t linkage_name;	/* string; 0: the same */
	uint32_t file;		/* string; 0: not known */
	uint32_t line;		/* 0: not known */
};

struct named_place {
	uint32_t image;		/* of the model */
	bool has_addr;
	bool has_offset;	/* only with has_addr and lines */
	uint64_t addr;		/* as image.h has them */
	uint64_t offset;	/* from where its function begins */
	const struct named_line *lines;	/* innermost first; the last one's function has the code */
	size_t line_count;	/* 0: nothing but the address is known */
};

struct named {
	struct import *import;		/* not owned */
	struct u64map functions;	/* image and name -> function that has an address */
	struct intern places;		/* -> location */
	struct intern threads;		/* tgid, tid and name -> thread */
	struct u64map processes;	/* tgid -> process */
	uint64_t string_bytes, function_bytes;	/* the latter's names count for each function */
	uint64_t sample_count;
	uint64_t event_samples[NAMED_EVENTS_MAX];
};

/* Frees what is in it; of the model nothing. */
void named_fini(struct named *named);

/* The string of the model; too long a text is cut, without room for more it is "". */
uint32_t named_string(struct named *named, const char *text, size_t length);

/* The image of that path, which is no file that could be looked into. */
uint32_t named_image(struct named *named, uint32_t path, enum image_kind kind);

/* The location of a place. */
uint32_t named_location(struct named *named, const struct named_place *place);

/*
 * The stack of @location as called from the stack @caller, whose root may be all there is of it.
 * Without @location, 0, nobody knows who called what it calls: STACK_ROOT_TRUNCATED.  Of new
 * stacks beyond all budget only the frame itself is there.
 */
uint32_t named_call(struct named *named, uint32_t caller, uint32_t location);

/*
 * A stack of locations, innermost first.  @root: how it ends.  Of more than NAMED_FRAMES_MAX, and
 * from one that is 0 on, the outermost are left out; of new stacks beyond all budget all but the
 * innermost.  Where not even that is known it is a place in no known image.
 */
uint32_t named_stack(struct named *named, const uint32_t *locations, size_t count,
		     enum stack_root root);

/*
 * The thread @tid of @tgid under the name @comm (a string).  Its process is an application of the
 * name that its first thread has.  Without numbers: 0 for both, and a process for each name.
 */
uint32_t named_thread(struct named *named, uint32_t comm, uint32_t tgid, uint32_t tid);

/*
 * The event of that name, entered if new; -ENOSPC past NAMED_EVENTS_MAX, -ENOMEM.  Its shares go by
 * weight; whoever knows what all samples stand for sets its period before the first one.
 */
int named_event(struct named *named, uint32_t name, bool is_time);

/* A sample is due each @period_ns (not 0), but may stand for another time: shares go by it. */
void named_clock(struct event *event, uint64_t period_ns);

/*
 * Adds @count samples like @sample, whose weight is that of all of them together.  Past what is
 * kept of one call, and of a file, they are fewer and stand for more: totals of weight hold.
 * 0 or what the flush returned.
 */
int named_add(struct named *named, const struct sample *sample, uint64_t count, struct err *err);

#endif
