/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address_space.h - the executable mappings of a process
 *
 * An address space is a sorted array of mappings. Forked processes share one array until one of
 * them changes it. So every function that changes an address space takes a pointer to the caller's
 * reference, and copies the array first if other processes share it. A space without mappings is
 * NULL.
 *
 * The kernel places mappings from the top of the address space downwards, so the array is sorted by
 * descending address. A new mapping then usually goes to the end of the array, so adding a mapping
 * is cheap even in a process that has as many mappings as the kernel allows.
 *
 * Neighboring mappings that show successive parts of the same file are merged. Adding a mapping
 * that is already covered changes nothing. So if a JIT compiler keeps changing the protection of
 * its pages, the array does not grow, and its stamp (a number that changes with the contents) stays
 * the same.
 */
#ifndef ASSAY_PROCESS_ADDRESS_SPACE_H
#define ASSAY_PROCESS_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * Limit on mappings per process: twice the default of vm.max_map_count. The kernel sends no record
 * for munmap, so without a limit the array would grow forever in a process that keeps mapping and
 * unmapping at new addresses.
 */
#define ADDRESS_SPACE_MAX 131072

struct live_mapping {
	uint64_t start_addr, end_addr;
	uint64_t offset;	/* file offset of start_addr */
	/* pin of the mapped file (process/pins.h); PIN_GENERATED: no file, generated code */
	uint32_t pin;
	uint32_t image;		/* id in the model; 0 until an address in the mapping is sampled */
	/* run-time address minus the ELF file's vaddr; valid only when image is set */
	uint64_t bias;
};

struct address_space {
	/* sorted by descending address; the mappings do not overlap */
	VEC(struct live_mapping) mappings;
	uint32_t holders;
	/* true once a PIN_GENERATED mapping was added, even if it was removed since */
	bool generated;
	uint64_t stamp;		/* changes whenever the mappings change */
	/*
	 * number of the last sweep_pins() that visited this space, so that a sweep visits a shared
	 * space only once
	 */
	uint32_t marked;
};

/*
 * The last stamp that was given to an address space. The stamps of two spaces may be compared only
 * if both spaces took them from the same counter.
 */
struct space_clock {
	uint64_t last;
};

/* Takes a reference to @space, which may be NULL, and returns @space. */
struct address_space *address_space_share(struct address_space *space);
void address_space_drop(struct address_space *space);	/* NULL is allowed */

/*
 * Makes sure that the caller holds the only reference to *@space, by copying the space if needed.
 * The copy has the same stamp. Returns 0 or -ENOMEM.
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
 * Replaces *@space by @fresh, which the caller has just built by reading the process's mappings
 * again. Takes ownership of @fresh. Mappings that are in both spaces keep the image and bias that
 * they have in *@space. If both spaces contain the same mappings, frees @fresh and leaves *@space
 * and its stamp unchanged. Returns true if the mappings changed.
 */
bool address_space_replace(struct address_space **space, struct address_space *fresh);

/*
 * Returns the mapping that contains @addr, or NULL. The pointer is valid until the space changes.
 */
struct live_mapping *address_space_find(const struct address_space *space, uint64_t addr);

#endif
