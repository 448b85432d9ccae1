/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/image_file.h"

#include <elf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "elf/elf_format.h"
#include "elf/regular_file.h"

/*
 * In nearly every file the header, the program headers and the notes are in the first page, so one
 * read is enough.
 */
#define HEAD_BYTES 4096
#define PHDRS_MAX 1024
#define NOTES_MAX_BYTES 4096

/* The image that is being read, and the first bytes of its file. */
struct reading {
	struct elf_source source;
	struct elf_header header;
	size_t head_size_bytes;
	uint8_t head[HEAD_BYTES];
};

size_t elf_note_build_id(const void *notes, size_t size_bytes, bool swapped,
			 uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX])
{
	struct byte_reader r = byte_reader_of(notes, size_bytes);

	r.swapped = swapped;
	while (byte_reader_left(&r) > 0) {
		size_t name_bytes = byte_reader_u32(&r);
		size_t desc_bytes = byte_reader_u32(&r);
		uint32_t type = byte_reader_u32(&r);
		const void *name = byte_reader_bytes(&r, name_bytes);
		const void *desc;

		byte_reader_skip(&r, -name_bytes & 3);
		desc = byte_reader_bytes(&r, desc_bytes);
		if (desc && type == NT_GNU_BUILD_ID && name_bytes == sizeof(ELF_NOTE_GNU) &&
		    memcmp(name, ELF_NOTE_GNU, name_bytes) == 0 && desc_bytes > 0 &&
		    desc_bytes <= IMAGE_BUILD_ID_MAX) {
			memcpy(ret_build_id, desc, desc_bytes);
			return desc_bytes;
		}
		byte_reader_skip(&r, -desc_bytes & 3);
	}
	return 0;
}

/*
 * Returns a pointer to @size_bytes of the file at @offset. The pointer leads into reading->head if
 * the head contains all these bytes. Otherwise reads the bytes into @buffer and returns @buffer, or
 * NULL if they cannot be read.
 */
static const void *reading_bytes(const struct reading *reading, uint64_t offset, size_t size_bytes,
				 void *buffer)
{
	if (offset <= reading->head_size_bytes && size_bytes <= reading->head_size_bytes - offset)
		return reading->head + offset;
	if (elf_source_read(&reading->source, offset, size_bytes, buffer) < 0)
		return NULL;
	return buffer;
}

static void add_build_id(const struct reading *reading, const struct elf_phdr *phdr,
			 struct image_file *file)
{
	uint8_t buffer[NOTES_MAX_BYTES];
	size_t size_bytes = phdr->file_size_bytes < sizeof(buffer) ? (size_t)phdr->file_size_bytes
								   : sizeof(buffer);
	const void *notes = reading_bytes(reading, phdr->offset, size_bytes, buffer);

	if (notes)
		file->build_id_size = (uint8_t)elf_note_build_id(notes, size_bytes, file->swapped,
								 file->build_id);
}

static struct elf_segment segment_of(const struct elf_phdr *phdr)
{
	return (struct elf_segment){
		.offset = phdr->offset,
		.file_size_bytes = phdr->file_size_bytes,
		.vaddr = phdr->vaddr,
		.executable = phdr->flags & PF_X,
	};
}

static int add_segment(const struct elf_phdr *phdr, struct image_file *file)
{
	struct elf_segment *segment;

	if (phdr->file_size_bytes > UINT64_MAX - phdr->offset)
		return -ENOEXEC;
	segment = vec_push(&file->segments);
	if (!segment)
		return -ENOMEM;
	*segment = segment_of(phdr);
	return 0;
}

static int compare_segments(const void *a, const void *b)
{
	const struct elf_segment *left = a, *right = b;

	return (left->vaddr > right->vaddr) - (left->vaddr < right->vaddr);
}

static int read_phdrs(const struct reading *reading, struct image_file *file)
{
	const struct elf_header *h = &reading->header;
	size_t size_bytes = (size_t)h->phdr_count * h->phdr_size_bytes;
	_cleanup_free_ void *buffer = NULL;
	struct byte_reader r;
	const void *bytes;

	if (h->phdr_count > PHDRS_MAX)
		return -ENOEXEC;
	buffer = malloc(size_bytes + 1);
	if (!buffer)
		return -ENOMEM;
	bytes = reading_bytes(reading, h->phdr_offset, size_bytes, buffer);
	if (!bytes)
		return -ENOEXEC;
	r = byte_reader_of(bytes, size_bytes);
	r.swapped = h->swapped;
	for (unsigned int i = 0; i < h->phdr_count; i++) {
		struct elf_phdr phdr = elf_phdr_next(&r, h->is_elf64);
		int rc = phdr.type == PT_LOAD ? add_segment(&phdr, file) : 0;

		if (rc < 0)
			return rc;
		if (phdr.type == PT_NOTE && file->build_id_size == 0)
			add_build_id(reading, &phdr, file);
		if (phdr.type == PT_GNU_EH_FRAME)
			file->eh_frame_hdr = segment_of(&phdr);
		file->is_program |= phdr.type == PT_INTERP;
	}
	/* ELF requires ascending order, but /proc/kcore lists the kernel's text first. */
	if (file->segments.count)
		qsort(file->segments.at, file->segments.count, sizeof(*file->segments.at),
		      compare_segments);
	return 0;
}

static int parse_image(const struct elf_source *source, struct image_file *file)
{
	struct reading reading = { .source = *source };
	int rc;

	reading.head_size_bytes = source->size_bytes < HEAD_BYTES ? (size_t)source->size_bytes
								  : HEAD_BYTES;
	rc = elf_source_read(source, 0, reading.head_size_bytes, reading.head);
	if (rc < 0)
		return rc;
	rc = elf_header_parse(reading.head, reading.head_size_bytes, &reading.header);
	if (rc < 0)
		return rc;
	file->machine = reading.header.machine;
	file->is_elf64 = reading.header.is_elf64;
	file->swapped = reading.header.swapped;
	file->entry_vaddr = reading.header.entry_vaddr;
	file->is_program = reading.header.type == ET_EXEC;
	return read_phdrs(&reading, file);
}

/*
 * Fills @file from the contents of the image. The caller has already filled the members that
 * identify the file. On failure the segments are freed.
 */
static int read_image(const struct elf_source *source, const char *name, struct image_file *file,
		      struct err *err)
{
	int rc = parse_image(source, file);

	if (rc == 0)
		return 0;
	vec_free(&file->segments);
	if (rc == -ENOEXEC)
		return err_set(err, rc, "%s: not an ELF image, or a damaged one", name);
	return err_sys(err, rc, "cannot read %s", name);
}

int image_file_from_fd(int fd, const char *name, struct image_file *ret_file, struct err *err)
{
	_cleanup_close_ int owned = fd;
	struct image_file file = { 0 };
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0)
		return err_sys(err, -errno, "cannot stat %s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: not a regular file", name);
	file.dev = st.st_dev;
	file.inode = st.st_ino;
	file.mtime_ns = (uint64_t)st.st_mtim.tv_sec * NS_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
	file.size_bytes = (uint64_t)st.st_size;
	rc = read_image(&(struct elf_source){ .fd = fd, .size_bytes = file.size_bytes }, name,
			&file, err);
	if (rc < 0)
		return rc;
	file.fd = TAKE_FD(owned);
	*ret_file = file;
	return 0;
}

int image_file_open(int dir_fd, const char *path, struct image_file *ret_file, struct err *err)
{
	int fd = regular_file_open(dir_fd, path, 0);

	if (fd == -EINVAL)
		return err_set(err, fd, "%s: not a regular file", path);
	if (fd < 0)
		return err_sys(err, fd, "cannot open %s", path);
	return image_file_from_fd(fd, path, ret_file, err);
}

int image_file_from_bytes(const void *bytes, size_t size_bytes, const char *name,
			  struct image_file *ret_file, struct err *err)
{
	struct elf_source source = { .fd = -1, .bytes = bytes, .size_bytes = size_bytes };
	struct image_file file = { .fd = -1, .size_bytes = size_bytes };
	int rc = read_image(&source, name, &file, err);

	if (rc < 0)
		return rc;
	*ret_file = file;
	return 0;
}

void image_file_fini(struct image_file *file)
{
	cleanup_close(&file->fd);
	file->fd = -1;
	vec_free(&file->segments);
}

/*
 * How well a segment matches a file offset at which code was executed. The values are ordered from
 * the worst match to the best.
 */
enum fit { FIT_NONE, FIT_PADDING, FIT_BYTES, FIT_CODE_PADDING, FIT_CODE };

static enum fit segment_fit(const struct elf_segment *segment, uint64_t offset, uint64_t page_bytes)
{
	uint64_t end = segment->offset + segment->file_size_bytes;
	uint64_t tail = -end & (page_bytes - 1);

	if (offset >= segment->offset && offset < end)
		return segment->executable ? FIT_CODE : FIT_BYTES;
	if (segment->file_size_bytes > 0 && offset >= (segment->offset & ~(page_bytes - 1)) &&
	    (offset < end || offset - end < tail))
		return segment->executable ? FIT_CODE_PADDING : FIT_PADDING;
	return FIT_NONE;
}

bool image_file_vaddr(const struct image_file *file, uint64_t offset, uint64_t *ret_vaddr)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	enum fit best = FIT_NONE;

	for (size_t i = 0; i < file->segments.count; i++) {
		const struct elf_segment *segment = &file->segments.at[i];
		enum fit fit = segment_fit(segment, offset, page_bytes);

		if (fit <= best)
			continue;
		best = fit;
		*ret_vaddr = segment->vaddr + (offset - segment->offset);
	}
	return best != FIT_NONE;
}

const struct elf_segment *image_file_segment(const struct image_file *file, uint64_t vaddr)
{
	size_t low = 0, high = file->segments.count;
	const struct elf_segment *segment;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->segments.at[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	segment = &file->segments.at[low - 1];
	return vaddr - segment->vaddr < segment->file_size_bytes ? segment : NULL;
}

int image_file_code(const struct image_file *file, const void *bytes, uint64_t vaddr,
		    size_t size_bytes, void *ret_code)
{
	const struct elf_source source = { file->fd, bytes, file->size_bytes };
	const struct elf_segment *segment = image_file_segment(file, vaddr);
	uint64_t at = segment ? vaddr - segment->vaddr : 0;

	if (!segment || !segment->executable || size_bytes > segment->file_size_bytes - at)
		return -ENOENT;
	return elf_source_read(&source, segment->offset + at, size_bytes, ret_code);
}
