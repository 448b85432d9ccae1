/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins-private.h - shared by the pins*.c files
 *
 *	pins.c		finding, opening and closing files; images
 *	pins_sweep.c	forgetting files that are no longer needed
 */
#ifndef ASSAY_PROCESS_PINS_PRIVATE_H
#define ASSAY_PROCESS_PINS_PRIVATE_H

#include "base/intern.h"
#include "base/strpool.h"
#include "process/pin_open.h"
#include "process/pins.h"

/*
 * How recently a file was used: the number of sweeps that it survives before it is forgotten, and
 * of rounds of the clock hand before it is closed.
 */
enum { USE_NONE, USE_SEEN, USE_HIT };

struct pin {
	uint32_t path;			/* id in pins.paths */
	uint64_t serial;
	uint32_t image;			/* id in the model; 0 until requested */
	struct file_identity identity;	/* from the mapping */
	struct file_place place;	/* where it was last seen */
	enum image_kind kind;		/* FILE, VDSO, or JIT if the file holds no ELF image */
	uint8_t use;
	bool free;			/* slot is empty; its id is in pins.unused */
	bool marked;			/* needed by a caller; cleared by the next sweep */
	bool stale;			/* the file was written to; another pin took its place */
	int rc;				/* result of the last attempt to open it */
	struct image_file file;		/* fd -1: closed, but the segments stay known */
};

struct pins {
	struct model *model;
	struct strpool paths;		/* kept out of the model until an image is hit */
	VEC(struct pin) pins;		/* [0] is PIN_GENERATED */
	VEC(uint32_t) unused;		/* ids of forgotten pins */
	struct intern index;		/* identity and path -> pin */
	VEC(uint32_t) of_image;		/* model image -> pin; 0: none */
	uint32_t too_many;		/* pin of "[too many files]"; 0 until needed */
	size_t open_count, open_limit;
	size_t hand;			/* pin at which the clock hand is, see close_one() */
	uint64_t last_serial;
	size_t new_count, new_bytes;	/* pins and path bytes since the last sweep */
};

uint64_t pin_hash(const struct file_identity *identity, const char *path);

#endif
