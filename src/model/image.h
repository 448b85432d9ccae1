/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - what holds code, and where processes show it
 *
 * An image is an executable file, the kernel, a module, the vdso, a BPF program's text or a
 * process's own generated code.  Two mappings show the same image when the build-id agrees
 * or, where there is none, device, inode and modification time.  A file replaced during the
 * run is therefore two images with one path.
 *
 * Addresses inside an image ("vaddr") are
 *	IMAGE_FILE, IMAGE_VDSO	the virtual address of the ELF file, as nm and objdump print it
 *	IMAGE_KERNEL, IMAGE_MODULE, IMAGE_BPF, IMAGE_JIT, IMAGE_UNKNOWN
 *				the run-time address itself (base_addr tells the load address)
 */
#ifndef ASSAY_MODEL_IMAGE_H
#define ASSAY_MODEL_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define BUILD_ID_MAX 20

enum image_kind {
	IMAGE_UNKNOWN,	/* user addresses in no known mapping, one such image for all */
	IMAGE_FILE,
	IMAGE_KERNEL,
	IMAGE_MODULE,
	IMAGE_VDSO,
	IMAGE_BPF,
	IMAGE_JIT,	/* anonymous executable memory of one process */
};

struct image {
	uint32_t path;			/* string; "[kernel]", "[vdso]", "//anon" where no file */
	enum image_kind kind;
	uint8_t build_id_size;		/* 0: none known */
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t dev;			/* st_dev; 0 with inode 0: unknown */
	uint64_t inode;
	uint64_t mtime_ns;
	uint64_t base_addr;		/* kernel, module, BPF: first byte of text at run time */
	uint32_t process;		/* JIT: its owner; else 0 */
	uint32_t tgid;			/* JIT: the owner's tgid inside its own pid namespace */
};

/* From @time_ns on, until a later mapping of the process overlaps it. */
struct mapping {
	uint32_t process;
	uint32_t image;
	uint64_t start_addr;
	uint64_t end_addr;		/* one past */
	uint64_t bias;			/* run-time address - vaddr, modulo 2^64 */
	uint64_t time_ns;
};

const char *image_kind_name(enum image_kind kind);	/* "file", "kernel", ... */

#endif
