/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped_files.h - which files processes have mapped as code, on the whole machine
 *
 * For addresses that the kernel reports as a file and an offset, from whatever process. Unlike the
 * tracker, this follows no process, so it need not apply all events in time order: what was mapped
 * once is known from then on, also if its process is gone. Files of short-lived processes are seen
 * by perf's records, the others in /proc.
 *
 * A file is found by its device and inode in the kernel (vm_area_struct.vm_file). Of a file on
 * overlayfs these are those of the file below, while /proc and newer kernels' records show those of
 * the overlay. Such a file is found by where it is mapped.
 */
#ifndef ASSAY_PROCESS_MAPPED_FILES_H
#define ASSAY_PROCESS_MAPPED_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "process/pins.h"

struct mapped_files;

/* Reads /proc, and follows what is mapped from now on. Needs CAP_PERFMON. @pins is borrowed. */
int mapped_files_new(struct pins *pins, struct mapped_files **ret_files, struct err *err);
void mapped_files_free(struct mapped_files *files);	/* NULL is fine */

/* Opens what was mapped since the last call. Returns 0 or -ENOMEM. */
int mapped_files_read(struct mapped_files *files);

/*
 * Reads /proc again. This helps if records were lost, or if very many files were mapped, because
 * then those that were seen before are forgotten. Returns 0 or -ENOMEM.
 */
int mapped_files_scan(struct mapped_files *files);

/* a file, and where a process has it mapped */
struct mapped_place {
	uint64_t dev, inode;		/* dev as makedev() has it */
	uint64_t start_addr;
	struct pin_user user;
};

/*
 * Finds the pin of a file, and who mapped it last. A forked process has what its parent had mapped.
 * Returns false if no such file was mapped.
 */
bool mapped_files_find(const struct mapped_files *files, const struct mapped_place *place,
		       uint32_t *ret_pin, struct pin_user *ret_user);

#endif
