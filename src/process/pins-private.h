/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins-private.h - shared by the pins*.c files
 *
 *	pins.c		finding, opening and closing files; images
 *	pins_sweep.c	removing pins that are no longer needed
 */
#ifndef ASSAY_PROCESS_PINS_PRIVATE_H
#define ASSAY_PROCESS_PINS_PRIVATE_H

#include "base/intern.h"
#include "base/strpool.h"
#include "process/pin_open.h"
#include "process/pins.h"

/*
 * How recently a file was used. The number is how many calls of pins_sweep() the pin survives
 * before it is removed, and how often the clock hand of close_one() skips it before its file is
 * closed.
 */
enum { USE_NONE, USE_SEEN, USE_HIT };

struct pin {
	uint32_t path;			/* id in pins.paths */
	uint64_t serial;
	uint32_t image;			/* id in the model; 0 until requested */
	struct file_identity identity;	/* as the mapping record shows it */
	struct file_place place;	/* the latest mapping of the file */
	enum image_kind kind;		/* FILE, VDSO, or JIT if the file holds no ELF image */
	uint8_t use;
	bool free;			/* slot is empty; its id is in pins.unused */
	bool marked;			/* needed by a caller; cleared by the next sweep */
	/* the file was changed since it was opened; the new content has another pin */
	bool stale;
	int rc;				/* result of the last attempt to open it */
	/* fd is -1 while the file is closed; its segments stay in memory */
	struct image_file file;
};

struct pins {
	struct model *model;
	/* of pins; a path is copied to the model only when its image is needed */
	struct strpool paths;
	VEC(struct pin) pins;		/* [0] is PIN_GENERATED */
	VEC(uint32_t) unused;		/* free slots of pins */
	struct intern index;		/* identity and path -> pin */
	VEC(uint32_t) of_image;		/* model image -> pin; 0: none */
	uint32_t too_many;		/* pin of "[too many files]"; 0 until needed */
	size_t open_count, open_limit;
	size_t hand;			/* pin at which the clock hand is, see close_one() */
	uint64_t last_serial;
	/* numbers of pins and of path bytes added since the last sweep */
	size_t new_count, new_bytes;
};

uint64_t pin_hash(const struct file_identity *identity, const char *path);

#endif
