/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_file.h - an ELF file that some process runs, held open
 *
 * A target can exit and its files can be replaced long before anyone asks for a symbol.  So
 * the collector opens each image when it is first seen and keeps the descriptor: the file
 * stays readable whatever happens to its name.  What is read here is what capture needs at
 * that moment (identity, and how file offsets become addresses); symbol tables come later
 * through elf/symbols.h.
 *
 * The file belongs to a possibly hostile target: nothing but a regular file is even opened
 * (elf/regular_file.h), and it is read only through base/byte_reader.
 */
#ifndef ASSAY_ELF_IMAGE_FILE_H
#define ASSAY_ELF_IMAGE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define IMAGE_BUILD_ID_MAX 20

/* An executable or other PT_LOAD: file bytes [offset, offset + file_size) shown at vaddr. */
struct elf_segment {
	uint64_t offset;
	uint64_t file_size_bytes;
	uint64_t vaddr;
	bool executable;
};

struct image_file {
	int fd;				/* owned; -1 when not open */
	uint64_t dev, inode, mtime_ns, size_bytes;
	uint8_t build_id_size;		/* 0: the file carries none */
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	uint16_t machine;		/* e_machine */
	bool is_elf64, swapped;
	bool is_program;		/* at fixed addresses or with PT_INTERP */
	uint64_t entry_vaddr;		/* e_entry; 0 for libraries without */
	struct elf_segment eh_frame_hdr;	/* PT_GNU_EH_FRAME; file_size_bytes 0: none */
	VEC(struct elf_segment) segments;	/* by vaddr */
};

/*
 * Opens @path below directory descriptor @dir_fd (AT_FDCWD for the ordinary rules).
 * -ENOENT and the like from open(2), -EINVAL for what is no regular file, -ENOEXEC for what
 * is no ELF image or a damaged one.  On failure *ret_file is not written.
 */
int image_file_open(int dir_fd, const char *path, struct image_file *ret_file, struct err *err);

/* The same from a descriptor, which the image_file owns from then on, also on failure. */
int image_file_from_fd(int fd, const char *name, struct image_file *ret_file, struct err *err);

/* From bytes in memory (the vdso); the bytes are not kept, fd is -1. */
int image_file_from_bytes(const void *bytes, size_t size_bytes, const char *name,
			  struct image_file *ret_file, struct err *err);

void image_file_fini(struct image_file *file);

/*
 * The vaddr that a mapping of this file shows at file offset @offset, through the PT_LOAD
 * segments (page-rounded as the kernel maps them). False where no segment covers it.
 */
bool image_file_vaddr(const struct image_file *file, uint64_t offset, uint64_t *ret_vaddr);

/*
 * The segment whose file bytes are shown at @vaddr, or NULL.  By binary search, because a file may
 * have a thousand; of those that overlap the one that begins last.
 */
const struct elf_segment *image_file_segment(const struct image_file *file, uint64_t vaddr);

/*
 * The @size_bytes of code that the file shows at @vaddr.  @bytes is the image itself when it is in
 * memory, NULL to read file->fd.  0, -ENOENT where it is no code, or an error of read(2).
 */
int image_file_code(const struct image_file *file, const void *bytes, uint64_t vaddr,
		    size_t size_bytes, void *ret_code);

/* The build-id inside a note section or segment; its size, 0 when there is none. */
size_t elf_note_build_id(const void *notes, size_t size_bytes, bool swapped,
			 uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX]);

#endif
