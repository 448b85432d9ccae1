/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins.h - keeps the image files of all mappings open
 *
 * A file is opened when its first mapping is seen: through /proc/TGID/map_files (for deleted and
 * replaced files), through /proc/TGID/root (for other mount namespaces; through the parent's if the
 * process has exited), else by its path in our own mount namespace. It is kept only if it is the
 * file that was mapped, as its build-id or inode shows. Later mappings of the file are recognized
 * by build-id and path, or by device, inode, generation and path, without opening it again, so a
 * burst of execs costs one hash look-up per mapping.
 *
 * A pin becomes an image, i.e. a row of the model, only when an address in it is looked up. At most
 * half of RLIMIT_NOFILE stay open. Above that, files that were not used lately are closed, and
 * opened again by path when they are needed.
 *
 * A process may map and delete files without end. So pins that are no longer mapped and never had a
 * hit are forgotten after a while (pins_sweep). Files for which there is no room beside the needed
 * ones all become one image, "[too many files]", whose addresses stay run-time addresses.
 *
 * The inode is compared but not the device, because on btrfs and overlayfs stat(2) shows another
 * device than perf and /proc/PID/maps.
 */
#ifndef ASSAY_PROCESS_PINS_H
#define ASSAY_PROCESS_PINS_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/record.h"
#include "elf/image_file.h"
#include "model/model.h"

struct pins;

#define PINS_MAX 32768
#define PINS_PATH_MAX_BYTES (8u * 1024 * 1024)	/* of all paths together */

/* Stands in for a pin: memory without a file, which holds generated code. */
#define PIN_GENERATED 0u

struct pin_user {	/* process that maps the file, and its parent; 0: unknown */
	uint32_t tgid;
	uint32_t parent_tgid;
};

int pins_new(struct model *model, struct pins **ret_pins);
void pins_free(struct pins *pins);	/* NULL is fine */

/*
 * Returns the pin of a mapping, and opens its file if the pin is new. Returns PIN_GENERATED for
 * anonymous and shared memory, for a memfd that holds no ELF image, and if out of memory
 * (LOSS_MEMORY).
 */
uint32_t pins_see(struct pins *pins, struct pin_user user, const struct record_mmap *mmap);

/*
 * Returns the path that the file was mapped under, without " (deleted)". Valid until the next
 * pins_see() or pins_sweep().
 */
const char *pins_path(const struct pins *pins, uint32_t pin);

/* Returns true for a file, false for the vdso and similar images. */
bool pins_is_file(const struct pins *pins, uint32_t pin);

/* Returns the pin's serial number. Ids of pins are reused, serial numbers are not. */
uint64_t pins_serial(const struct pins *pins, uint32_t pin);

/* Returns the open file of a pin, or NULL. Valid until the next pins_see() or pins_sweep(). */
const struct image_file *pins_pin_file(struct pins *pins, uint32_t pin);

/*
 * Returns the model's image of a pin other than PIN_GENERATED; 0 if out of memory. The image is
 * created on first use; if the file could not be opened when it was first seen, this is tried once
 * more. A file that stays unopened is counted as a loss: LOSS_IMAGE_* once for each image,
 * LOSS_IMAGE_TABLE_FULL for each mapping with a hit.
 */
uint32_t pins_image(struct pins *pins, uint32_t pin, struct pin_user user);

/*
 * Returns the bias (run-time address - vaddr) of a mapping that shows file offset @offset at
 * @start_addr. As long as a file has not been read, its offsets serve as vaddrs; pins_image() reads
 * the file if possible.
 */
uint64_t pins_bias(const struct pins *pins, uint32_t pin, uint64_t start_addr, uint64_t offset);

/*
 * When pins_are_many() returns true, the caller marks every pin that it holds, then calls
 * pins_sweep(). Pins that are not marked, never had a hit and were not seen lately are forgotten,
 * and their ids will be reused for other files.
 */
bool pins_are_many(const struct pins *pins);
void pins_mark(struct pins *pins, uint32_t pin);
void pins_sweep(struct pins *pins);
size_t pins_count(const struct pins *pins);

/* Returns the open file of an image, for symbolize. Matches image_file_fn. */
const struct image_file *pins_file(void *pins, uint32_t image);

#endif
