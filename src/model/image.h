/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - images, which hold code, and their mappings in processes
 *
 * An image is an executable file, the kernel, a module, the vdso, a BPF program's text or a
 * process's own generated code. Two mappings with the same path belong to the same image if their
 * build-ids are equal. Without build-ids, they belong to the same image if device, inode and
 * modification time are equal. So if a file is replaced during the run, there are two images with
 * the same path. A file that was read and the same file unread are two images, too.
 *
 * Addresses inside an image ("vaddr") are:
 *	IMAGE_FILE, IMAGE_VDSO	the virtual address in the ELF file, as nm and objdump print it;
 *				if the file could not be read (unread), the offset in the file
 *	IMAGE_KERNEL, IMAGE_MODULE, IMAGE_BPF, IMAGE_JIT, IMAGE_UNKNOWN
 *				the run-time address itself (base_addr is the load address)
 */
#ifndef ASSAY_MODEL_IMAGE_H
#define ASSAY_MODEL_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define BUILD_ID_MAX 20

enum image_kind {
	IMAGE_UNKNOWN,	/* one image for all user addresses that lie in no known mapping */
	IMAGE_FILE,
	IMAGE_KERNEL,
	IMAGE_MODULE,
	IMAGE_VDSO,
	IMAGE_BPF,
	IMAGE_JIT,	/* anonymous executable memory of one process */
};

struct image {
	/* string: path of the file, or "[kernel]", "[vdso]", "//anon" if there is no file */
	uint32_t path;
	enum image_kind kind;
	uint8_t build_id_size;		/* 0: the build-id is unknown */
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t dev;			/* st_dev; unknown if dev and inode are both 0 */
	uint64_t inode;
	uint64_t mtime_ns;
	/* kernel, module, BPF: run-time address of the first byte of text */
	uint64_t base_addr;
	uint32_t process;		/* JIT: the process that owns the code; otherwise 0 */
	uint32_t tgid;			/* JIT: the owner's tgid inside its own pid namespace */
	/* FILE: addresses are offsets in the file until symbolize/adopt.h finds the file */
	bool unread;
};

/*
 * A mapping of an image. It is valid from @time_ns until a later mapping of the same process
 * overlaps it.
 */
struct mapping {
	uint32_t process;
	uint32_t image;
	uint64_t start_addr;
	uint64_t end_addr;		/* first address after the mapping */
	uint64_t bias;			/* run-time address minus vaddr, modulo 2^64 */
	uint64_t time_ns;
};

const char *image_kind_name(enum image_kind kind);	/* returns "file", "kernel", ... */

#endif
