/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the separate debug file of a stripped file, in the places where the GNU tools put it
 * ("Debugging Information in Separate Files", gdb manual):
 *	<debug dir>/.build-id/ab/cdef....debug		must have the same build-id
 *	<dir>/<link>, <dir>/.debug/<link>, <debug dir><dir>/<link>	must have the linked CRC32
 * <link> is the file name in .gnu_debuglink, and the linked CRC32 is the checksum in that section.
 * To compute the CRC of a candidate, the whole candidate must be read. So the total size of all
 * candidates for one image is limited. If the file is in none of these places, a provider may be
 * asked for it by build-id (debug_source.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "elf/symbol_sources.h"

#define CRC_CHUNK_BYTES (256 * 1024)
#define CRC_BUDGET_BYTES (UINT64_C(512) << 20)
#define LINK_MAX_BYTES 4096

struct debug_link {
	const struct debug_places *places;
	char name[NAME_MAX + 1];
	uint32_t crc;
	uint64_t budget_bytes;	/* bytes of candidates that may still be read to compute CRCs */
};

static bool same_build_id(const uint8_t *wanted, size_t wanted_size, const struct image_file *debug)
{
	struct elf_source source = { .fd = debug->fd, .size_bytes = debug->size_bytes };
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	_cleanup_free_ uint8_t *note = NULL;
	struct elf_sections sections;
	const struct elf_shdr *shdr;
	size_t size_bytes = 0;

	if (debug->build_id_size > 0)
		return debug->build_id_size == wanted_size &&
		       memcmp(debug->build_id, wanted, wanted_size) == 0;

	/*
	 * The program headers of a debug file may be copies from the stripped file and then do not
	 * lead to the build-id note. But the note is also a section, so look for it there.
	 */
	if (elf_sections_read(&source, &sections) < 0)
		return false;
	shdr = elf_section_find(&sections, ".note.gnu.build-id");
	if (shdr && elf_section_load(&source, shdr, LINK_MAX_BYTES, &note, &size_bytes) == 0)
		size_bytes = elf_note_build_id(note, size_bytes, debug->swapped, build_id);
	elf_sections_fini(&sections);
	return size_bytes == wanted_size && memcmp(build_id, wanted, wanted_size) == 0;
}

static int open_file(const struct debug_places *places, const char *path,
		     struct image_file *ret_file)
{
	int fd;

	if (!places->open)
		return image_file_open(AT_FDCWD, path, ret_file, NULL);
	fd = places->open(path);
	return fd < 0 ? fd : image_file_from_fd(fd, path, ret_file, NULL);
}

static int open_by_build_id(const uint8_t *build_id, size_t size, const char *dir,
			    const struct debug_places *places, struct image_file *ret_file)
{
	char hex[2 * IMAGE_BUILD_ID_MAX + 1], path[PATH_MAX];
	struct image_file debug;
	int rc;

	for (size_t i = 0; i < size; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", build_id[i]);
	rc = snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", dir, hex, hex + 2);
	if (rc < 0 || (size_t)rc >= sizeof(path))
		return -ENOENT;
	rc = open_file(places, path, &debug);
	if (rc < 0)
		return rc;
	if (!same_build_id(build_id, size, &debug)) {
		image_file_fini(&debug);
		return -ENOENT;
	}
	*ret_file = debug;
	return 0;
}

static int open_from_source(const uint8_t *build_id, size_t size, const struct debug_places *places,
			    struct image_file *ret_file)
{
	const struct debug_source *source = places->source;
	struct image_file debug;
	int rc;

	if (!source)
		return -ENOENT;
	rc = source->find(source->context, places->name, build_id, size);
	if (rc < 0)
		return rc;
	rc = image_file_from_fd(rc, "debug file", &debug, NULL);
	if (rc < 0)
		return rc;
	if (!same_build_id(build_id, size, &debug)) {
		image_file_fini(&debug);
		return -EBADMSG;
	}
	*ret_file = debug;
	return 0;
}

const char *const *debug_places_dirs(const struct debug_places *places)
{
	static const char *const default_dirs[] = { "/usr/lib/debug", NULL };

	return places->dirs ? places->dirs : default_dirs;
}

static int open_in_dirs(const uint8_t *build_id, size_t size, const struct debug_places *places,
			struct image_file *ret_file)
{
	for (const char *const *dir = debug_places_dirs(places); size >= 2 && *dir; dir++)
		if (open_by_build_id(build_id, size, *dir, places, ret_file) == 0)
			return 0;
	return -ENOENT;
}

int debug_file_of_id(const uint8_t *build_id, size_t size, const struct debug_places *places,
		     struct image_file *ret_file)
{
	if (size < 2 || size > IMAGE_BUILD_ID_MAX)
		return -ENOENT;
	if (open_in_dirs(build_id, size, places, ret_file) == 0)
		return 0;
	return open_from_source(build_id, size, places, ret_file);
}

static int file_crc(const struct image_file *file, uint64_t *budget_bytes, uint32_t *ret_crc)
{
	struct elf_source source = { .fd = file->fd, .size_bytes = file->size_bytes };
	_cleanup_free_ uint8_t *chunk = malloc(CRC_CHUNK_BYTES);
	uLong crc = crc32(0, NULL, 0);

	if (!chunk)
		return -ENOMEM;
	if (file->size_bytes > *budget_bytes)
		return -EFBIG;
	*budget_bytes -= file->size_bytes;
	for (uint64_t at = 0; at < file->size_bytes;) {
		uint64_t left = file->size_bytes - at;
		size_t size_bytes = left < CRC_CHUNK_BYTES ? (size_t)left : CRC_CHUNK_BYTES;
		int rc = elf_source_read(&source, at, size_bytes, chunk);

		if (rc < 0)
			return rc;
		crc = crc32(crc, chunk, (uInt)size_bytes);
		at += size_bytes;
	}
	*ret_crc = (uint32_t)crc;
	return 0;
}

static int open_by_crc(const struct image_file *file, const char *path, struct debug_link *link,
		       struct image_file *ret_file)
{
	struct image_file debug;
	uint32_t crc;
	int rc = open_file(link->places, path, &debug);

	if (rc < 0)
		return rc;
	if ((debug.dev == file->dev && debug.inode == file->inode) ||
	    file_crc(&debug, &link->budget_bytes, &crc) < 0 || crc != link->crc) {
		image_file_fini(&debug);
		return -ENOENT;
	}
	*ret_file = debug;
	return 0;
}

/*
 * Reads .gnu_debuglink. Rejects a file name that contains "/", because such a name could lead out
 * of the directories that are searched.
 */
static bool read_link(const struct elf_source *source, const struct elf_sections *sections,
		      struct debug_link *ret_link)
{
	const struct elf_shdr *shdr = elf_section_find(sections, ".gnu_debuglink");
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size_bytes, length;
	struct byte_reader r;
	const char *name;

	if (!shdr || elf_section_load(source, shdr, LINK_MAX_BYTES, &bytes, &size_bytes) < 0)
		return false;
	r = byte_reader_of(bytes, size_bytes);
	r.swapped = sections->header.swapped;
	name = byte_reader_string(&r, &length);
	byte_reader_skip(&r, -(length + 1) & 3);
	ret_link->crc = byte_reader_u32(&r);
	if (r.failed || length == 0 || length > NAME_MAX || strchr(name, '/'))
		return false;
	memcpy(ret_link->name, name, length + 1);
	return true;
}

bool debug_image_dir(int fd, char *ret_dir, size_t size_bytes)
{
	char link[64], *slash;
	ssize_t length;

	if (fd < 0)
		return false;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, ret_dir, size_bytes - 1);
	if (length <= 0 || ret_dir[0] != '/')
		return false;
	ret_dir[length] = '\0';
	slash = strrchr(ret_dir, '/');
	*slash = '\0';
	return true;
}

static int open_by_link(const struct image_file *file, struct debug_link *link,
			struct image_file *ret_file)
{
	const char *const *debug_dirs = debug_places_dirs(link->places);
	const char *dir = link->places->image_dir;
	char own_dir[PATH_MAX], path[3 * PATH_MAX];
	int rc;

	if (!dir && !debug_image_dir(file->fd, own_dir, sizeof(own_dir)))
		return -ENOENT;
	dir = dir ? dir : own_dir;
	(void)snprintf(path, sizeof(path), "%s/%s", dir, link->name);
	rc = open_by_crc(file, path, link, ret_file);
	if (rc < 0) {
		(void)snprintf(path, sizeof(path), "%s/.debug/%s", dir, link->name);
		rc = open_by_crc(file, path, link, ret_file);
	}
	for (; rc < 0 && *debug_dirs; debug_dirs++) {
		(void)snprintf(path, sizeof(path), "%s%s/%s", *debug_dirs, dir, link->name);
		rc = open_by_crc(file, path, link, ret_file);
	}
	return rc;
}

int debug_file_open(const struct image_file *file, const struct elf_source *source,
		    const struct elf_sections *sections, const struct debug_places *places,
		    struct image_file *ret_file)
{
	struct debug_link link = { .places = places, .budget_bytes = CRC_BUDGET_BYTES };

	if (open_in_dirs(file->build_id, file->build_id_size, places, ret_file) == 0)
		return 0;
	if (read_link(source, sections, &link) && open_by_link(file, &link, ret_file) == 0)
		return 0;
	if (file->build_id_size < 2)
		return -ENOENT;
	return open_from_source(file->build_id, file->build_id_size, places, ret_file);
}
