/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_images.h - finds the kernel image that contains an address
 *
 * There is one image for the kernel itself, one for each module (from /proc/modules) and one for
 * each BPF program (from KSYMBOL records and the [bpf] symbols of kallsyms). All addresses are
 * run-time addresses. If an address is in no known module or BPF program, it is assigned to the
 * kernel itself. This applies to all module addresses if /proc/modules cannot be read.
 *
 * An image is added to the model (the recorded data) when the first address in it is looked up. The
 * kernel writes no record when it loads a module. So if an address is outside of all known images,
 * /proc/modules is read again, at most once a second.
 */
#ifndef ASSAY_PROCESS_KERNEL_IMAGES_H
#define ASSAY_PROCESS_KERNEL_IMAGES_H

#include "perf/record.h"
#include "elf/kallsyms.h"
#include "model/model.h"

struct kernel_images;

int kernel_images_new(struct model *model, struct kernel_images **ret_images);

/*
 * Creates the images for a recording that was made on another kernel or in another boot. /proc is
 * not read. The caller must add each image with kernel_images_place().
 */
int kernel_images_new_elsewhere(struct model *model, struct kernel_images **ret_images);

/*
 * Address range and build-id of the kernel's own text (if @name is NULL) or of one of its modules.
 * kernel_images_place() adds it to images that were created by kernel_images_new_elsewhere().
 */
struct kernel_place_told {
	const char *name;
	uint64_t start_addr, size_bytes;
	const uint8_t *build_id;
	uint8_t build_id_size;		/* 0: unknown */
};
int kernel_images_place(struct kernel_images *images, const struct kernel_place_told *place);

void kernel_images_free(struct kernel_images *images);	/* NULL is fine */

/*
 * Takes from kallsyms the bounds of the kernel's own text, and the BPF programs that were loaded
 * when kallsyms was read. Returns 0 or -ENOMEM.
 */
int kernel_images_add_kallsyms(struct kernel_images *images, const struct kallsyms *kallsyms);

/* Adds or removes the BPF program that a KSYMBOL record describes. Ignores all other records. */
void kernel_images_apply(struct kernel_images *images, const struct perf_record *ksymbol);

/*
 * Returns the id (in the model) of the image that contains a kernel address, or 0 if out of memory.
 */
uint32_t kernel_image_at(struct kernel_images *images, uint64_t addr);

/* Returns a number that changes whenever the mapping from addresses to images may have changed. */
uint64_t kernel_images_stamp(const struct kernel_images *images);

#endif
