/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h - build the model from samples whose frames are given by name
 *
 * Most formats give the name of a frame and little or nothing about its address. The readers of
 * these formats use the functions here to turn text into strings, strings into places, and places
 * into stacks of the model. A place is a code location as the file describes it. The limits are the
 * same for all formats. Data beyond a limit is counted as a loss in the model. A function that
 * returns the id of a row returns 0 for such data, unless its description says otherwise.
 *
 * A function is identified by its image and name. A file may give the position of a frame as an
 * offset in its function, and the function may have run at several addresses. All frames of the
 * function are then placed relative to the address at which the function was first seen, so that
 * each instruction gets only one location. Every location of the model needs an address, so a place
 * without an address gets a serial number instead.
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
#define NAMED_LINES_MAX 256u	/* limit per place: number of functions, including inlined ones */
#define NAMED_EVENTS_MAX 64u

/*
 * A function at a place, and the source line in that function. If functions were inlined at the
 * place, there is one such entry for each function.
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
	bool has_offset;	/* offset is valid; requires has_addr and lines */
	uint64_t addr;		/* as defined in image.h */
	uint64_t offset;	/* distance from the start of the function */
	/* innermost first; the last is the function that contains the code */
	const struct named_line *lines;
	size_t line_count;	/* 0: no function is known */
};

struct named {
	struct import *import;		/* borrowed */
	struct u64map functions;	/* image and name -> function whose address is known */
	struct intern places;		/* place -> location */
	struct intern threads;		/* tgid, tid and name -> thread */
	struct u64map processes;	/* tgid -> process */
	/*
	 * string_bytes: total size of all different strings. function_bytes: total size of the
	 * names of all functions; a name that several functions share counts once for each
	 * function.
	 */
	uint64_t string_bytes, function_bytes;
	uint64_t sample_count;
	/* of each event: records, and the sum of their weights, which is at most INT64_MAX */
	uint64_t event_samples[NAMED_EVENTS_MAX], event_weight[NAMED_EVENTS_MAX];
};

/* Frees the contents of @named. The model is not changed. */
void named_fini(struct named *named);

/*
 * Returns the id of the string in the model. Text that is too long is truncated. If the limit on
 * strings is reached, returns the id of the empty string.
 */
uint32_t named_string(struct named *named, const char *text, size_t length);

/*
 * Like named_string(), but for text that was written with name_text_write() (base/name_text.h), as
 * assay export does. Texts of other tools rarely have such escapes, and mean the same by them.
 */
uint32_t named_text(struct named *named, const char *text, size_t length);

/*
 * Returns the image with @path (a string id) and @kind, and adds it if it is new. Does not open a
 * file.
 */
uint32_t named_image(struct named *named, uint32_t path, enum image_kind kind);

/* Returns the location of a place, and adds the location if it is new. */
uint32_t named_location(struct named *named, const struct named_place *place);

/*
 * Returns the stack that consists of @location and, as its callers, the stack @caller. @caller may
 * also be a stack root, that is, a stack without frames whose id encodes how the stack ends. If
 * @location is 0 (unknown), the result is STACK_ROOT_TRUNCATED: the frames that @location calls are
 * then stored without callers. When the limit on stacks is reached, a new stack consists of
 * @location alone.
 */
uint32_t named_call(struct named *named, uint32_t caller, uint32_t location);

/*
 * Returns the stack of @locations, which are ordered innermost first. @root encodes how the stack
 * ends. Frames beyond NAMED_FRAMES_MAX are dropped. If a location is 0 (unknown), its frame and all
 * frames outside of it are dropped. If the innermost location is 0, the stack has one frame, in an
 * unknown image. When the limit on stacks is reached, a new stack keeps only its innermost frame.
 */
uint32_t named_stack(struct named *named, const uint32_t *locations, size_t count,
		     enum stack_root root);

/*
 * Returns the thread with the id @tid and the name @comm (a string id) in the process @tgid. The
 * process belongs to the application that is named like the first thread of the process. If the
 * file has no ids, pass 0 for @tgid and @tid; then each name becomes a separate process.
 */
uint32_t named_thread(struct named *named, uint32_t comm, uint32_t tgid, uint32_t tid);

/*
 * Returns the index of the event with this name, and adds the event if it is new. Returns -ENOSPC
 * if there are already NAMED_EVENTS_MAX events, or -ENOMEM. The shares (percentages) of an event
 * are computed from the weights of its samples. If every sample has the same weight, the caller may
 * instead set the event's period before it adds the first sample.
 */
int named_event(struct named *named, uint32_t name, bool is_time);

/*
 * Marks @event as a clock that takes a sample every @period_ns (not 0). Since the weight of a
 * sample may differ from this period, shares (percentages) are still computed from weights.
 */
void named_clock(struct event *event, uint64_t period_ns);

/*
 * Marks @event as counted (sample.h): each of its samples has the weight @period (not 0), and one
 * struct sample can stand for any number of them.
 */
void named_counted(struct event *event, uint64_t period);

/*
 * Adds @count samples that are equal to @sample, except that its weight is divided among them. Many
 * samples of a counted event become one struct sample, which stands for all of them. In a file with
 * very many samples, one struct sample is added whatever @count is. Samples whose weight would make
 * the sum of their event's weights larger than INT64_MAX are lost as LOSS_WEIGHT_OVERFLOW. Returns
 * 0, -ENOMEM, or the error that import_flush_fn returned.
 */
int named_add(struct named *named, const struct sample *sample, uint64_t count, struct err *err);

#endif
