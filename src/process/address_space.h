/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address_space.h - the executable mappings of a process
 *
 * An address space is a sorted array of mappings. Forked processes share one array until one of
 * them changes it. Every function that changes a space therefore takes a pointer to the caller's
 * reference and copies the array first if it has other holders. A space without mappings is NULL.
 *
 * The kernel places mappings from the top of the address space downwards, so the array is sorted by
 * descending address. A new mapping then usually goes to the end of the array, and adding a mapping
 * costs no more in a process with as many mappings as the kernel allows than in a small one.
 *
 * Mappings that continue each other (same pin, matching offsets) are merged. A mapping that is
 * already covered changes nothing. So a JIT compiler that keeps changing the protection of its
 * pages neither makes the array grow nor changes its stamp.
 */
#ifndef ASSAY_PROCESS_ADDRESS_SPACE_H
#define ASSAY_PROCESS_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * Limit on mappings per process: twice the default of vm.max_map_count. The kernel sends no record
 * for munmap, so without a limit the array of a process that keeps mapping and unmapping at new
 * addresses would grow without end.
 */
#define ADDRESS_SPACE_MAX 131072

struct live_mapping {
	uint64_t start_addr, end_addr;
	uint64_t offset;	/* file offset of start_addr */
	uint32_t pin;		/* see process/pins.h; PIN_GENERATED: no file */
	uint32_t image;		/* id in the model; 0 until an address in the mapping is sampled */
	uint64_t bias;		/* address - vaddr; valid only when image is set */
};

struct address_space {
	VEC(struct live_mapping) mappings;	/* by descending address, not overlapping */
	uint32_t holders;
	bool generated;		/* contains, or once contained, a PIN_GENERATED mapping */
	uint64_t stamp;		/* changes with every change of the mappings */
	/*
	 * number of the last sweep that visited this space, so that a shared space is visited only
	 * once
	 */
	uint32_t marked;
};

/* Source of stamps. All spaces whose stamps are compared must use the same clock. */
struct space_clock {
	uint64_t last;
};

/* Adds a holder to @space (may be NULL) and returns it. */
struct address_space *address_space_share(struct address_space *space);
void address_space_drop(struct address_space *space);	/* NULL is allowed */

/*
 * Makes sure that the caller is the only holder of *@space, copying the space if needed. A copy
 * keeps the stamp. Returns 0 or -ENOMEM.
 */
int address_space_own(struct address_space **space);

/*
 * Adds a mapping. Existing mappings that overlap it are trimmed or removed. @mapping's image and
 * bias are ignored. Returns 0, -E2BIG if the space already has ADDRESS_SPACE_MAX mappings, or
 * -ENOMEM.
 */
int address_space_map(struct address_space **space, const struct live_mapping *mapping,
		      struct space_clock *clock);

/*
 * Replaces *@space by @fresh, which was just built from a new reading of the process's mappings;
 * takes ownership of @fresh. Mappings that are in both spaces keep their image and bias. If both
 * spaces have the same mappings, *@space is left as it was, with its stamp. Returns true if
 * something changed.
 */
bool address_space_replace(struct address_space **space, struct address_space *fresh);

/*
 * Returns the mapping that contains @addr, or NULL. The pointer is valid until the space changes.
 */
struct live_mapping *address_space_find(const struct address_space *space, uint64_t addr);

#endif
