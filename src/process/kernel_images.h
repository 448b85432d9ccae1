/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_images.h - finds the kernel image that contains an address
 *
 * There is one image for the kernel proper, one for each module (from /proc/modules) and one for
 * each BPF program (from KSYMBOL records and the [bpf] symbols of kallsyms). All addresses are
 * run-time addresses. If /proc/modules cannot be read, every address belongs to the kernel proper.
 *
 * An image is added to the model (the recorded data) when the first address in it is looked up. The
 * kernel sends no record when a module is loaded. So if an address lies outside of all known
 * images, /proc/modules is read again, at most once a second.
 */
#ifndef ASSAY_PROCESS_KERNEL_IMAGES_H
#define ASSAY_PROCESS_KERNEL_IMAGES_H

#include "perf/record.h"
#include "elf/kallsyms.h"
#include "model/model.h"

struct kernel_images;

int kernel_images_new(struct model *model, struct kernel_images **ret_images);

/*
 * Creates the images of a recording that was made on another kernel or in another boot. Only the
 * images passed to kernel_images_place() are known.
 */
int kernel_images_new_elsewhere(struct model *model, struct kernel_images **ret_images);

/*
 * The address range and build-id of the kernel's own text (@name NULL) or of one of its modules,
 * for the images of kernel_images_new_elsewhere().
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
 * Adds the bounds of the kernel's own text, and the BPF programs that are already loaded. Returns 0
 * or -ENOMEM.
 */
int kernel_images_add_kallsyms(struct kernel_images *images, const struct kallsyms *kallsyms);

/* Applies a KSYMBOL record; other kinds are ignored. */
void kernel_images_apply(struct kernel_images *images, const struct perf_record *ksymbol);

/* Returns the model's image for a kernel address; 0 if out of memory. */
uint32_t kernel_image_at(struct kernel_images *images, uint64_t addr);

/* Returns a number that changes whenever some address may belong to another image than before. */
uint64_t kernel_images_stamp(const struct kernel_images *images);

#endif
