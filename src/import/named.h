/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h - samples whose frames are given by name
 *
 * Most formats give the name of a frame and little or nothing about its address. Their readers use
 * these functions to turn text into strings, strings into places and places into stacks. Everything
 * ends up in rows of the model. The same budgets apply to all formats. Data beyond a budget is
 * counted as a loss in the model, and the returned id is 0.
 *
 * A function is identified by its image and name. A file may give the offset of a frame in its
 * function, and the program may have run at several addresses. All frames of the function are then
 * placed relative to the address where the function was first seen, so that one instruction is one
 * location. Each location needs an address, so a place without one gets a number instead.
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

#define NAMED_FRAMES_MAX 4096u	/* per stack */
#define NAMED_LINES_MAX 256u	/* per place: functions inlined into each other */
#define NAMED_EVENTS_MAX 64u

/* One function at a place, and the line in it. */
struct named_line {
	uint32_t name;		/* string */
	uint32_t linkage_name;	/* string; 0: same as name */
	uint32_t file;		/* string; 0: not known */
	uint32_t line;		/* 0: not known */
};

struct named_place {
	uint32_t image;		/* image of the model */
	bool has_addr;
	bool has_offset;	/* requires has_addr and lines */
	uint64_t addr;		/* as defined in image.h */
	uint64_t offset;	/* from the start of its function */
	/* innermost first; the last is the function that contains the code */
	const struct named_line *lines;
	size_t line_count;	/* 0: only the address is known */
};

struct named {
	struct import *import;		/* borrowed */
	struct u64map functions;	/* image and name -> function with an address */
	struct intern places;		/* place -> location */
	struct intern threads;		/* tgid, tid and name -> thread */
	struct u64map processes;	/* tgid -> process */
	/* bytes of distinct strings; bytes of names, counted again for each function */
	uint64_t string_bytes, function_bytes;
	uint64_t sample_count;
	uint64_t event_samples[NAMED_EVENTS_MAX];
};

/* Frees the contents of @named. The model is not changed. */
void named_fini(struct named *named);

/*
 * Returns the string in the model. Text that is too long is cut. If the budget is used up, returns
 * the empty string.
 */
uint32_t named_string(struct named *named, const char *text, size_t length);

/* Returns the image with that path. It is not tied to a file that could be opened. */
uint32_t named_image(struct named *named, uint32_t path, enum image_kind kind);

/* Returns the location of a place. */
uint32_t named_location(struct named *named, const struct named_place *place);

/*
 * Returns the stack with @location called from the stack @caller; @caller may be a bare stack root.
 * If @location is 0, the caller of the next frame is unknown, so STACK_ROOT_TRUNCATED is returned.
 * Once the stack budget is used up, a new stack consists of @location alone.
 */
uint32_t named_call(struct named *named, uint32_t caller, uint32_t location);

/*
 * Returns the stack of @locations, innermost first. @root says how the stack ends. Frames beyond
 * NAMED_FRAMES_MAX are dropped, and so are the first location that is 0 and all frames outside it.
 * Once the stack budget is used up, a new stack keeps only its innermost frame. If not even the
 * innermost location is known, the stack is one place in no known image.
 */
uint32_t named_stack(struct named *named, const uint32_t *locations, size_t count,
		     enum stack_root root);

/*
 * Returns the thread @tid of the process @tgid with the name @comm (a string). The process belongs
 * to the application named after its first thread. If the file has no ids, pass 0 for both; each
 * name is then a process of its own.
 */
uint32_t named_thread(struct named *named, uint32_t comm, uint32_t tgid, uint32_t tid);

/*
 * Returns the event with that name and adds it if it is new. Returns -ENOSPC if there are already
 * NAMED_EVENTS_MAX events, or -ENOMEM. Shares of the event are computed from weights. A caller that
 * knows what every sample stands for sets the event's period before adding the first sample.
 */
int named_event(struct named *named, uint32_t name, bool is_time);

/*
 * Marks @event as a clock with a sample due every @period_ns (not 0). A sample may stand for
 * another amount of time, so shares are still computed from weights.
 */
void named_clock(struct event *event, uint64_t period_ns);

/*
 * Adds @count samples like @sample, whose weight is the total of all of them. Beyond a limit for
 * one call and another for one file, fewer samples are kept, each with a larger weight, so that
 * total weights stay correct. Returns 0 or the result of the flush.
 */
int named_add(struct named *named, const struct sample *sample, uint64_t count, struct err *err);

#endif
