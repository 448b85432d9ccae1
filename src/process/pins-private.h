/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins-private.h - what the files of the pins share
 *
 *	pins.c		finding, opening and closing files; images
 *	pins_sweep.c	forgetting those that nobody needs any more
 */
#ifndef ASSAY_PROCESS_PINS_PRIVATE_H
#define ASSAY_PROCESS_PINS_PRIVATE_H

#include "base/intern.h"
#include "base/strpool.h"
#include "process/pin_open.h"
#include "process/pins.h"

/* How long a file stays known, or open, when room is wanted: rounds of sweep and hand. */
enum { USE_NONE, USE_SEEN, USE_HIT };

struct pin {
	uint32_t path;			/* in paths */
	uint64_t serial;
	uint32_t image;			/* 0 until it was asked for */
	struct file_identity identity;	/* as the mapping had it */
	struct file_place place;	/* where it was seen last */
	enum image_kind kind;		/* FILE; VDSO; JIT for what holds no ELF image */
	uint8_t use;
	bool free;			/* holds nothing; its id is in unused */
	bool marked;			/* in use by somebody; until the next sweep */
	bool stale;			/* the file was written to: another pin has its place */
	int rc;				/* of the last attempt to open it */
	struct image_file file;		/* fd -1: not open; segments stay known */
};

struct pins {
	struct model *model;
	struct strpool paths;		/* not the model's: what is never hit leaves no trace */
	VEC(struct pin) pins;		/* [0]: PIN_GENERATED */
	VEC(uint32_t) unused;		/* ids of pins that were forgotten */
	struct intern index;		/* identity and path -> pin */
	VEC(uint32_t) of_image;		/* model image -> pin, 0: none */
	uint32_t too_many;		/* the pin for what found no room; 0 until needed */
	size_t open_count, open_limit;
	size_t hand;			/* of the clock that looks for a file to close */
	uint64_t last_serial;
	size_t new_count, new_bytes;	/* pins and bytes of paths since the last sweep */
};

uint64_t pin_hash(const struct file_identity *identity, const char *path);

#endif
