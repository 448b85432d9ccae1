/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins.h - keeps the image files of all mappings open
 *
 * A pin represents a file that a process has mapped executable. The file is opened when the pin is
 * added, at the first mapping of the file, so that it can be read even after the process has
 * exited. These paths are tried in order:
 *
 * - /proc/TGID/map_files, which also finds deleted and replaced files
 * - /proc/TGID/root, which also finds files of other mount namespaces; then the same of the parent
 *   process
 * - the file's path in our own mount namespace
 *
 * The opened file is accepted only if its build-id or inode shows that it is the file that was
 * mapped. The device is not compared, because on btrfs and overlayfs stat(2) shows another device
 * than perf and /proc/PID/maps do. Later mappings of the file are recognized without opening it
 * again: by build-id and path, or by device, inode, generation and path. So a burst of execs costs
 * one hash look-up per mapping.
 *
 * A pin gets an image in the model (the recorded data) only when an address in the file is looked
 * up; this is called a hit. At most half as many files as RLIMIT_NOFILE allows stay open. Above
 * that, files that were not used lately are closed, and are opened again by path when they are
 * needed.
 *
 * A process may map and delete files without end. So pins that are no longer mapped and never had a
 * hit are removed after a while (pins_sweep()). If the table is nevertheless full, all further
 * files share one pin named "[too many files]". Addresses in them stay run-time addresses.
 */
#ifndef ASSAY_PROCESS_PINS_H
#define ASSAY_PROCESS_PINS_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/record.h"
#include "elf/file_opener.h"
#include "elf/image_file.h"
#include "model/model.h"

struct pins;

#define PINS_MAX 32768		/* unless pins_limit() lowers it */
#define PINS_PATH_MAX_BYTES (8u * 1024 * 1024)	/* total size of the paths of all pins */

/* Used instead of a pin's id in mappings that have no file and hold generated code. */
#define PIN_GENERATED 0u

/* a process that maps the file, and the parent of that process; tgid 0: unknown */
struct pin_user {
	uint32_t tgid;
	uint32_t parent_tgid;
};

/* @opener is borrowed. If it is NULL, files are opened directly. */
int pins_new(struct model *model, struct file_opener *opener, struct pins **ret_pins);
void pins_free(struct pins *pins);	/* NULL is fine */
void pins_limit(struct pins *pins, size_t count_max);
struct file_opener *pins_opener(const struct pins *pins);

/*
 * Returns the id of the pin for a mapping. Adds the pin and opens its file if the pin does not
 * exist yet. Returns PIN_GENERATED for anonymous and shared memory, and for a memfd that holds no
 * ELF image. Also returns PIN_GENERATED if out of memory, which is counted as LOSS_MEMORY.
 */
uint32_t pins_see(struct pins *pins, struct pin_user user, const struct record_mmap *mmap);

/*
 * Returns the path under which the file was mapped, without " (deleted)". The string is valid until
 * the next pins_see() or pins_sweep().
 */
const char *pins_path(const struct pins *pins, uint32_t pin);

/* Returns true if the pin belongs to a file, false if it belongs to the vdso or a similar image. */
bool pins_is_file(const struct pins *pins, uint32_t pin);

/* Returns the pin's serial number. Unlike ids of pins, serial numbers are never reused. */
uint64_t pins_serial(const struct pins *pins, uint32_t pin);

/*
 * Returns the file of a pin, and opens it again if it was closed. Returns NULL if the pin has no
 * ELF file, or if the file cannot be opened or has been written to. The result is valid until the
 * next pins_see() or pins_sweep().
 */
const struct image_file *pins_pin_file(struct pins *pins, uint32_t pin);

/*
 * Returns the id (in the model) of the image of a pin, or 0 if out of memory. The pin must not be
 * PIN_GENERATED. The first call for a pin creates the image. If the file could not be opened when
 * the pin was added, this call tries to open it once more, through the /proc entries of @user. If
 * that fails too, the image has no file, and the symbolizer counts the loss later (LOSS_IMAGE_*).
 * For the pin "[too many files]", every call counts LOSS_IMAGE_TABLE_FULL.
 */
uint32_t pins_image(struct pins *pins, uint32_t pin, struct pin_user user);

/*
 * Returns the bias (run-time address minus vaddr) of a mapping of the pin's file. The mapping shows
 * the content from file offset @offset on at @start_addr. Call pins_image() first, which opens the
 * file if possible. If the file was never opened, vaddrs are assumed to be equal to file offsets.
 */
uint64_t pins_bias(const struct pins *pins, uint32_t pin, uint64_t start_addr, uint64_t offset);

/*
 * When pins_are_many() returns true, the caller must call pins_mark() for every pin that it still
 * needs, then pins_sweep(). The sweep removes pins that are not marked, never had a hit and were
 * not seen recently. The ids of removed pins are reused for other files.
 */
bool pins_are_many(const struct pins *pins);
void pins_mark(struct pins *pins, uint32_t pin);
void pins_sweep(struct pins *pins);
size_t pins_count(const struct pins *pins);

/*
 * Returns the file of an image as pins_pin_file() does, or NULL. This function has the type
 * image_file_fn, which symbolize requires.
 */
const struct image_file *pins_file(void *pins, uint32_t image);

#endif
