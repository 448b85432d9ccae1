/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins.h - the image files that were seen, held open
 *
 * At its first sight a file is opened: through /proc/TGID/map_files (deleted and replaced
 * files), through /proc/TGID/root (other mount namespaces; the parent's where the process is
 * gone), else by its path in ours; and is kept only if it is the file that was mapped
 * (build-id, or inode).  A file is known again by build-id and path, or by device, inode,
 * generation and path, without being opened: an exec storm costs a hash look-up a mapping.
 *
 * A pin becomes an image of the model, a row, only when an address in it is asked for.  At most
 * half of RLIMIT_NOFILE stay open; past that, files that were not seen lately are closed and
 * opened again by path when they are asked for.
 *
 * A process may map and delete files without end: pins that nobody maps any more and that were
 * never hit are forgotten after a while (pins_sweep), and what finds no room beside those that
 * are needed is one image, "[too many files]", whose addresses stay as they ran.
 *
 * Why the inode but not the device: on btrfs and overlayfs stat(2) tells another device than
 * perf and /proc/PID/maps do.
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

/* Instead of a pin: memory without a file, whose code the process wrote itself. */
#define PIN_GENERATED 0u

struct pin_user {	/* who maps the file; 0: not known */
	uint32_t tgid;
	uint32_t parent_tgid;
};

int pins_new(struct model *model, struct pins **ret_pins);
void pins_free(struct pins *pins);	/* NULL is fine */

/*
 * The pin for a mapping, opened if it is new.  PIN_GENERATED for anonymous and shared memory,
 * and for a memfd that holds no ELF image; also when out of memory (LOSS_MEMORY).
 */
uint32_t pins_see(struct pins *pins, struct pin_user user, const struct record_mmap *mmap);

/* The path it was mapped under, without " (deleted)"; valid until the next pins_see() or sweep. */
const char *pins_path(const struct pins *pins, uint32_t pin);

/* True for a file; false for the vdso and its like. */
bool pins_is_file(const struct pins *pins, uint32_t pin);

/* Tells files apart for good: ids of pins are given again, serials are not. */
uint64_t pins_serial(const struct pins *pins, uint32_t pin);

/* The open file of a pin, or NULL; valid until the next pins_see() or sweep. */
const struct image_file *pins_pin_file(struct pins *pins, uint32_t pin);

/*
 * The model's image for a pin that is not PIN_GENERATED, made on first use, when a file that
 * could not be opened at first sight is tried once more; 0: out of memory.  What stays
 * unopened is counted here (LOSS_IMAGE_*), once for each image; LOSS_IMAGE_TABLE_FULL for each
 * mapping that was hit.
 */
uint32_t pins_image(struct pins *pins, uint32_t pin, struct pin_user user);

/*
 * run-time address - vaddr for a mapping that shows file offset @offset at @start_addr.  vaddrs of
 * a file that was not read yet are its offsets; pins_image() reads it if it can be read.
 */
uint64_t pins_bias(const struct pins *pins, uint32_t pin, uint64_t start_addr, uint64_t offset);

/*
 * Forgetting: when pins_are_many(), the caller marks every pin that it holds, then sweeps; what
 * was neither marked nor hit nor seen lately is gone, and its id will mean another file.
 */
bool pins_are_many(const struct pins *pins);
void pins_mark(struct pins *pins, uint32_t pin);
void pins_sweep(struct pins *pins);
size_t pins_count(const struct pins *pins);

/* For symbolize: the same of an image. Matches image_file_fn. */
const struct image_file *pins_file(void *pins, uint32_t image);

#endif
