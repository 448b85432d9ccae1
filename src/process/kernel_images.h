/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_images.h - which kernel image an address belongs to
 *
 * The kernel proper, each module (/proc/modules) and BPF programs (KSYMBOL records and
 * kallsyms' [bpf]) are images of their own; addresses are the run-time ones.  Where
 * /proc/modules may not be read, everything is the kernel's.
 *
 * An image becomes a row of the model when the first address in it is asked for.  The kernel
 * sends no record when a module is loaded: an address outside of all that is known makes
 * /proc/modules be read again, at most once a second.
 */
#ifndef ASSAY_PROCESS_KERNEL_IMAGES_H
#define ASSAY_PROCESS_KERNEL_IMAGES_H

#include "perf/record.h"
#include "elf/kallsyms.h"
#include "model/model.h"

struct kernel_images;

int kernel_images_new(struct model *model, struct kernel_images **ret_images);

/* Those of another kernel, or another boot: only what kernel_images_place() says is known. */
int kernel_images_new_elsewhere(struct model *model, struct kernel_images **ret_images);

/* Where such a kernel has its own text (@name NULL) or a module, and with which build-id. */
struct kernel_place_told {
	const char *name;
	uint64_t start_addr, size_bytes;
	const uint8_t *build_id;
	uint8_t build_id_size;		/* 0: not known */
};
int kernel_images_place(struct kernel_images *images, const struct kernel_place_told *place);

void kernel_images_free(struct kernel_images *images);	/* NULL is fine */

/* The kernel's own bounds and the BPF programs that were loaded before. 0 or -ENOMEM. */
int kernel_images_add_kallsyms(struct kernel_images *images, const struct kallsyms *kallsyms);

/* A KSYMBOL record; other kinds are ignored. */
void kernel_images_apply(struct kernel_images *images, const struct perf_record *ksymbol);

/* The model's image for a kernel address; 0: out of memory. */
uint32_t kernel_image_at(struct kernel_images *images, uint64_t addr);

/* Changes whenever an address may have got another image. */
uint64_t kernel_images_stamp(const struct kernel_images *images);

#endif
