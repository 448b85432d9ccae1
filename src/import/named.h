/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h - build the model from samples whose frames are given by name
 *
 * Most formats give the name of a frame and little or nothing about its address. The readers of
 * these formats use the functions here to turn text into strings, strings into places (a place is a
 * code location as the file describes it), and places into stacks of the model. The limits are the
 * same for all formats. Data beyond a limit is counted as a loss in the model, and the returned id
 * is 0.
 *
 * A function is identified by its image and name. A file may give the offset of a frame in its
 * function, and the program may have run at several addresses. All frames of the function are then
 * placed relative to the address where the function was first seen, so that each instruction gets
 * one location. Every location of the model needs an address, so a place without an address gets a
 * serial number in its stead.
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

#define NAMED_FRAMES_MAX 4096u	/* limit per stack */
#define NAMED_LINES_MAX 256u	/* limit per place: functions inlined into each other */
#define NAMED_EVENTS_MAX 64u

/*
 * One function at a place, and its source line. A place with inlined functions has several lines.
 */
struct named_line {
	uint32_t name;		/* string id */
	uint32_t linkage_name;	/* string id; 0: same as name */
	uint32_t file;		/* string id; 0: not known */
	uint32_t line;		/* line number; 0: not known */
};

struct named_place {
	uint32_t image;		/* id of an image of the model */
	bool has_addr;
	bool has_offset;	/* requires has_addr and lines */
	uint64_t addr;		/* as defined in image.h */
	uint64_t offset;	/* distance from the start of the function */
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
	/*
	 * total bytes of distinct strings; total bytes of the names of all functions, where a
	 * shared name counts once per function
	 */
	uint64_t string_bytes, function_bytes;
	uint64_t sample_count;
	uint64_t event_samples[NAMED_EVENTS_MAX];
};

/* Frees the contents of @named. The model is not changed. */
void named_fini(struct named *named);

/*
 * Returns the id of the string in the model. Text that is too long is truncated. If the limit is
 * reached, returns the id of the empty string.
 */
uint32_t named_string(struct named *named, const char *text, size_t length);

/* Returns the image with that path and adds it if it is new. No file is opened for it. */
uint32_t named_image(struct named *named, uint32_t path, enum image_kind kind);

/* Returns the location for a place and adds it if it is new. */
uint32_t named_location(struct named *named, const struct named_place *place);

/*
 * Returns the stack in which @location is called from the stack @caller. @caller may also be a
 * stack root: a stack without frames whose id encodes how the stack ends. If @location is 0
 * (unknown), the callers of the next frame are unknown too, so STACK_ROOT_TRUNCATED is returned.
 * After the limit on stacks is reached, a new stack consists of @location alone.
 */
uint32_t named_call(struct named *named, uint32_t caller, uint32_t location);

/*
 * Returns the stack of @locations, which are ordered innermost first. @root encodes how the stack
 * ends. Frames beyond NAMED_FRAMES_MAX are dropped. If a location is 0 (unknown), its frame and all
 * frames outside that frame are dropped. If even the innermost location is 0, the stack has one
 * frame, an unknown place in an unknown image. After the limit on stacks is reached, a new stack
 * keeps only its innermost frame.
 */
uint32_t named_stack(struct named *named, const uint32_t *locations, size_t count,
		     enum stack_root root);

/*
 * Returns the thread @tid of the process @tgid with the name @comm (a string id). The process is
 * assigned to the application named after its first thread. If the file has no ids, pass 0 for
 * @tgid and @tid; then each name becomes a separate process.
 */
uint32_t named_thread(struct named *named, uint32_t comm, uint32_t tgid, uint32_t tid);

/*
 * Returns the event with that name and adds it if it is new. Returns -ENOSPC if there are already
 * NAMED_EVENTS_MAX events, or -ENOMEM. An event's shares are computed from the weights of its
 * samples. If every sample has the same weight, the caller may instead set the event's period
 * before it adds the first sample.
 */
int named_event(struct named *named, uint32_t name, bool is_time);

/*
 * Marks @event as a clock that is due to take a sample every @period_ns (not 0). A sample's weight
 * may be a different duration, so shares are still computed from weights.
 */
void named_clock(struct event *event, uint64_t period_ns);

/*
 * Adds @count samples like @sample. The weight of @sample is the total weight of all @count
 * samples. One limit applies to the samples of a call and another to the samples of a file. Beyond
 * these limits, fewer samples are added, each with a larger weight, so that total weights stay
 * correct. Returns 0, or the error that import_flush_fn returned.
 */
int named_add(struct named *named, const struct sample *sample, uint64_t count, struct err *err);

#endif
