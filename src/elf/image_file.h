/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_file.h - an ELF file that some process runs, kept open
 *
 * A profiled process can exit, and its files can be replaced, long before their symbols are needed.
 * The collector (the part that takes the samples) therefore opens each image when the image first
 * appears. It keeps the descriptor open, so that the file stays readable even if it is removed or
 * replaced. At that moment, capture needs only the identity of the file and the segments, which
 * convert file offsets to addresses. Only these are read here. elf/symbols.h reads the symbol
 * tables later.
 *
 * The file belongs to a process that may be malicious. Only regular files are opened
 * (elf/regular_file.h), and their contents are parsed only with base/byte_reader, which checks all
 * bounds.
 */
#ifndef ASSAY_ELF_IMAGE_FILE_H
#define ASSAY_ELF_IMAGE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define IMAGE_BUILD_ID_MAX 20

/*
 * A PT_LOAD segment, executable or not: file bytes [offset, offset + file_size) are mapped at
 * vaddr.
 */
struct elf_segment {
	uint64_t offset;
	uint64_t file_size_bytes;
	uint64_t vaddr;
	bool executable;
};

struct image_file {
	int fd;				/* owned; -1 if not open */
	uint64_t dev, inode, mtime_ns, size_bytes;
	uint8_t build_id_size;		/* 0: the file has none */
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	uint16_t machine;		/* e_machine */
	bool is_elf64, swapped;
	bool is_program;		/* linked at fixed addresses, or has PT_INTERP */
	uint64_t entry_vaddr;		/* e_entry; 0 for libraries without one */
	struct elf_segment eh_frame_hdr;	/* PT_GNU_EH_FRAME; empty if there is none */
	VEC(struct elf_segment) segments;	/* sorted by vaddr */
};

/*
 * Opens @path relative to the directory descriptor @dir_fd (or AT_FDCWD, as in openat(2)). Returns
 * 0, an error of open(2) such as -ENOENT, -EINVAL if @path is not a regular file, or -ENOEXEC if
 * the file is not an ELF image or is damaged. On failure *ret_file is not written.
 */
int image_file_open(int dir_fd, const char *path, struct image_file *ret_file, struct err *err);

/*
 * Like image_file_open(), but uses the open descriptor @fd. Takes ownership of @fd, even on
 * failure.
 */
int image_file_from_fd(int fd, const char *name, struct image_file *ret_file, struct err *err);

/*
 * Like image_file_open(), but reads the image from memory (for the vdso). Does not copy the bytes.
 * Sets ret_file->fd to -1.
 */
int image_file_from_bytes(const void *bytes, size_t size_bytes, const char *name,
			  struct image_file *ret_file, struct err *err);

void image_file_fini(struct image_file *file);

/*
 * Converts the file offset @offset to the vaddr at which this byte is mapped. Uses the PT_LOAD
 * segments, rounded to pages as the kernel maps them. Returns false if no segment covers the
 * offset.
 */
bool image_file_vaddr(const struct image_file *file, uint64_t offset, uint64_t *ret_vaddr);

/*
 * Returns the segment whose file bytes are mapped at @vaddr, or NULL. If segments overlap, returns
 * the one with the highest start address. Uses binary search, because a file may have a thousand
 * segments.
 */
const struct elf_segment *image_file_segment(const struct image_file *file, uint64_t vaddr);

/*
 * Copies the @size_bytes of code at @vaddr. @bytes is the whole image if it is in memory, or NULL
 * to read file->fd. Returns 0, -ENOENT if there is no code at that address, or an error of read(2).
 */
int image_file_code(const struct image_file *file, const void *bytes, uint64_t vaddr,
		    size_t size_bytes, void *ret_code);

/*
 * Finds the build-id among the ELF notes at @notes. Returns the size of the build-id, or 0 if there
 * is none.
 */
size_t elf_note_build_id(const void *notes, size_t size_bytes, bool swapped,
			 uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX]);

#endif
