/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address_space.h - the executable mappings of a process
 *
 * A sorted array, shared by forked processes until one of them changes it: every function that
 * changes takes a pointer to the owner's reference and gives it a copy of its own first where
 * others hold the array too.  A space without mappings is NULL.
 *
 * The kernel places mappings from the top of the address space downwards, so the array is
 * sorted by falling address: the usual new mapping goes to its end, and a process with as many
 * mappings as the kernel allows costs no more per mapping than a small one.
 *
 * Mappings that continue each other (same pin, offsets that agree) are one, and a mapping that
 * says what is known already changes nothing: a JIT compiler that flips the protection of its
 * pages does not make the array grow nor its stamp move.
 */
#ifndef ASSAY_PROCESS_ADDRESS_SPACE_H
#define ASSAY_PROCESS_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * munmap gives no record, so a process that maps and unmaps at ever new addresses would grow
 * its array for ever. Twice what vm.max_map_count allows by default.
 */
#define ADDRESS_SPACE_MAX 131072

struct live_mapping {
	uint64_t start_addr, end_addr;
	uint64_t offset;	/* in the file, of start_addr */
	uint32_t pin;		/* process/pins.h; PIN_GENERATED: no file */
	uint32_t image;		/* model id; 0 until the mapping is hit */
	uint64_t bias;		/* address - vaddr; known with the image */
};

struct address_space {
	VEC(struct live_mapping) mappings;	/* by falling address, not overlapping */
	uint32_t holders;
	bool generated;		/* holds, or held, mappings of PIN_GENERATED */
	uint64_t stamp;		/* another one after every change */
	uint32_t marked;	/* the sweep that has seen it: it may have many holders */
};

/* Where stamps come from; one for all spaces that are compared. */
struct space_clock {
	uint64_t last;
};

/* One more holder of the same space (NULL is fine). */
struct address_space *address_space_share(struct address_space *space);
void address_space_drop(struct address_space *space);	/* NULL is fine */

/* Makes *space the holder's own, with the stamp it had. 0 or -ENOMEM. */
int address_space_own(struct address_space **space);

/*
 * Enters a mapping; what it overlaps is cut or goes. @mapping's image and bias are not looked
 * at. -E2BIG: ADDRESS_SPACE_MAX reached. -ENOMEM.
 */
int address_space_map(struct address_space **space, const struct live_mapping *mapping,
		      struct space_clock *clock);

/*
 * Replaces *space by @fresh (owned from then on), just built from a new reading.  Mappings that
 * are in both keep image and bias; when all are, *space keeps its stamp too.  True when
 * something has changed.
 */
bool address_space_replace(struct address_space **space, struct address_space *fresh);

/* The mapping that holds @addr, or NULL; valid until the space changes. */
struct live_mapping *address_space_find(const struct address_space *space, uint64_t addr);

#endif
