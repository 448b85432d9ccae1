/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "dwarf/dwarf_split.h"
#include "elf/regular_file.h"
#include "elf/symbol_sources.h"

/*
 * Sizes of the budgets of steps and memory. Each budget is a fixed amount plus an amount per byte
 * of the file, up to a maximum. A few steps per byte are enough: in the file, an attribute takes
 * about three bytes, an instruction of a line program takes one or two bytes, and nothing has to be
 * read more than a few times. The maximum is needed because a sparse file can be huge without using
 * disk space.
 */
#define STEPS_FREE (UINT64_C(64) << 20)
#define STEPS_PER_BYTE 8
#define MEMORY_FREE (UINT64_C(256) << 20)
#define STEPS_MAX (UINT64_C(4) << 30)
#define MEMORY_PER_BYTE 6
#define MEMORY_MAX (UINT64_C(4) << 30)
#define LINK_MAX_BYTES 4096

static void worth(struct dwarf_budget *budget, uint64_t size_bytes)
{
	budget->steps = size_bytes < (STEPS_MAX - STEPS_FREE) / STEPS_PER_BYTE
				? STEPS_FREE + size_bytes * STEPS_PER_BYTE
				: STEPS_MAX;
	budget->memory_bytes = size_bytes < (MEMORY_MAX - MEMORY_FREE) / MEMORY_PER_BYTE
				       ? MEMORY_FREE + size_bytes * MEMORY_PER_BYTE
				       : MEMORY_MAX;
}

static int open_path(struct dwarf_files *files, const char *path, bool split,
		     struct dwarf_file *ret_file)
{
	_cleanup_close_ int fd = files->options->open ? files->options->open(path)
						      : regular_file_open(AT_FDCWD, path, 0);
	struct elf_source source = { .fd = fd };
	struct stat st;
	int rc;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	source.size_bytes = (uint64_t)st.st_size;
	rc = dwarf_file_init(ret_file, &source, fd, split, &files->budget);
	if (rc < 0)
		return rc;
	(void)TAKE_FD(fd);	/* @ret_file owns fd now */
	return 0;
}

static void path_of_fd(int fd, char ret_path[static PATH_MAX])
{
	char link[64];
	ssize_t length;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, ret_path, PATH_MAX - 1);
	ret_path[length > 0 && ret_path[0] == '/' ? length : 0] = '\0';
}

/*
 * Stores in @ret_path the path of the file @name in the directory of @path. Returns false if @path
 * has no directory or the result is too long.
 */
static bool beside(const char *path, const char *name, char ret_path[static PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) : 0;

	return slash && snprintf(ret_path, PATH_MAX, "%.*s/%s", length, path, name) < PATH_MAX;
}

static bool below_sysroot(const struct dwarf_files *files, const char *path,
			  char ret_path[static PATH_MAX])
{
	const char *sysroot = files->options->sysroot ? files->options->sysroot : "";

	return snprintf(ret_path, PATH_MAX, "%s%s", sysroot, path) < PATH_MAX;
}

/* ---- the dwz file ---- */

struct shared_link {
	/* contents of the link section: path, NUL, build-id */
	uint8_t bytes[LINK_MAX_BYTES + 1];
	const uint8_t *build_id;
	size_t build_id_size;
};

static bool read_link(const struct dwarf_file *file, struct shared_link *link)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct elf_sections sections;
	const struct elf_shdr *shdr;
	size_t size_bytes = 0, length;

	if (elf_sections_read(&file->source, &sections) < 0)
		return false;
	shdr = elf_section_find(&sections, ".gnu_debugaltlink");
	if (shdr && elf_section_load(&file->source, shdr, LINK_MAX_BYTES, &bytes, &size_bytes) < 0)
		size_bytes = 0;
	elf_sections_fini(&sections);
	if (size_bytes == 0)
		return false;
	memcpy(link->bytes, bytes, size_bytes);
	link->bytes[size_bytes] = '\0';
	length = strlen((const char *)link->bytes);
	if (length + 1 >= size_bytes)
		return false;
	link->build_id = link->bytes + length + 1;
	link->build_id_size = size_bytes - length - 1;
	return link->build_id_size >= 2 && link->build_id_size <= IMAGE_BUILD_ID_MAX;
}

static struct debug_places places_of(const struct dwarf_files *files)
{
	const struct debug_lines_options *options = files->options;

	return (struct debug_places){
		.dirs = options->debug_dirs,
		.source = options->source,
		.name = options->name,
		.image_dir = options->image_dir,
		.open = options->open,
	};
}

static bool has_build_id(const struct dwarf_file *file, const struct shared_link *link)
{
	_cleanup_free_ uint8_t *note = NULL;
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	struct elf_sections sections;
	const struct elf_shdr *shdr;
	size_t size_bytes = 0;

	if (elf_sections_read(&file->source, &sections) < 0)
		return false;
	shdr = elf_section_find(&sections, ".note.gnu.build-id");
	if (shdr && elf_section_load(&file->source, shdr, LINK_MAX_BYTES, &note, &size_bytes) == 0)
		size_bytes = elf_note_build_id(note, size_bytes, file->swapped, build_id);
	else
		size_bytes = 0;
	elf_sections_fini(&sections);
	return size_bytes == link->build_id_size &&
	       memcmp(build_id, link->build_id, size_bytes) == 0;
}

static bool try_shared(struct dwarf_files *files, const struct shared_link *link, const char *path)
{
	if (open_path(files, path, false, &files->shared) < 0)
		return false;
	if (!has_build_id(&files->shared, link)) {
		dwarf_file_fini(&files->shared);
		return false;
	}
	files->has_shared = true;
	files->main.alt = &files->shared;
	return true;
}

static bool try_shared_in(struct dwarf_files *files, const struct shared_link *link,
			  const char *debug_dir)
{
	const char *name = strrchr((const char *)link->bytes, '/');
	char hex[2 * IMAGE_BUILD_ID_MAX + 1], path[PATH_MAX];

	for (size_t i = 0; i < link->build_id_size; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", link->build_id[i]);
	if (snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", debug_dir, hex, hex + 2) <
		    PATH_MAX &&
	    try_shared(files, link, path))
		return true;
	return snprintf(path, sizeof(path), "%s/.dwz/%s", debug_dir,
			name ? name + 1 : (const char *)link->bytes) < PATH_MAX &&
	       try_shared(files, link, path);
}

static const char *const *debug_dirs(const struct dwarf_files *files)
{
	static const char *const default_dirs[] = { "/usr/lib/debug", NULL };

	return files->options->debug_dirs ? files->options->debug_dirs : default_dirs;
}

/*
 * @rc is the result of debug_file_open() or debug_file_of_id(). If @rc is an error other than
 * -ENOENT, records that the debug_source did not deliver a file. Returns true if @rc is 0.
 */
static bool note_source(struct dwarf_files *files, int rc)
{
	files->not_fetched = files->not_fetched || (rc < 0 && rc != -ENOENT);
	return rc == 0;
}

static bool shared_by_id(struct dwarf_files *files, const struct shared_link *link)
{
	const char *path = (const char *)link->bytes, *slash = strrchr(path, '/');
	struct debug_places places = places_of(files);
	struct elf_source source = { 0 };
	struct image_file shared;

	places.name = slash ? slash + 1 : path;
	if (!note_source(files,
			 debug_file_of_id(link->build_id, link->build_id_size, &places, &shared)))
		return false;
	source.fd = TAKE_FD(shared.fd);
	source.size_bytes = shared.size_bytes;
	image_file_fini(&shared);
	if (dwarf_file_init(&files->shared, &source, source.fd, false, &files->budget) < 0) {
		(void)close(source.fd);
		return false;
	}
	files->has_shared = true;
	files->main.alt = &files->shared;
	return true;
}

static void open_shared(struct dwarf_files *files)
{
	struct shared_link link;
	const char *name = (const char *)link.bytes;
	char path[PATH_MAX];

	if (!read_link(&files->main, &link))
		return;
	for (const char *const *dir = debug_dirs(files); *dir; dir++)
		if (try_shared_in(files, &link, *dir))
			return;
	if (name[0] == '/' ? below_sysroot(files, name, path)
			   : beside(files->main_path, name, path))
		if (try_shared(files, &link, path))
			return;
	files->missing_shared = !shared_by_id(files, &link);
}

/* ---- the image, or its debug file ---- */

static bool has_debug_information(const struct dwarf_file *file)
{
	return file->sections[DWARF_INFO].size_bytes > 0;
}

static int open_debug_file(struct dwarf_files *files, const struct image_file *file)
{
	struct elf_sections sections;
	struct elf_source source = { .fd = file->fd, .size_bytes = file->size_bytes };
	const struct debug_places places = places_of(files);
	struct image_file debug;
	int rc = elf_sections_read(&source, &sections);

	if (rc < 0)
		return rc == -ENOEXEC ? -EBADMSG : rc;
	rc = debug_file_open(file, &source, &sections, &places, &debug);
	elf_sections_fini(&sections);
	if (!note_source(files, rc))
		return -ENOENT;
	source.fd = TAKE_FD(debug.fd);
	source.size_bytes = debug.size_bytes;
	image_file_fini(&debug);
	worth(&files->budget, source.size_bytes);
	rc = dwarf_file_init(&files->main, &source, source.fd, false, &files->budget);
	path_of_fd(source.fd, files->main_path);
	return rc;
}

int dwarf_files_open(struct dwarf_files *files, const struct image_file *file,
		     const struct debug_lines_options *options)
{
	struct elf_source source = { .fd = file->fd, .size_bytes = file->size_bytes };
	int rc;

	memset(files, 0, sizeof(*files));
	files->options = options;
	worth(&files->budget, file->size_bytes);
	path_of_fd(file->fd, files->image_path);
	memcpy(files->main_path, files->image_path, sizeof(files->main_path));
	rc = dwarf_file_init(&files->main, &source, -1, false, &files->budget);
	if (rc < 0)
		return rc;
	if (!has_debug_information(&files->main)) {
		dwarf_file_fini(&files->main);
		rc = open_debug_file(files, file);
		if (rc < 0)
			return rc;
		if (!has_debug_information(&files->main))
			return -ENOENT;
	}
	open_shared(files);
	return 0;
}

int dwarf_files_from_bytes(struct dwarf_files *files, const void *bytes, size_t size_bytes)
{
	static const struct debug_lines_options no_options = { 0 };
	struct elf_source source = { .fd = -1, .bytes = bytes, .size_bytes = size_bytes };
	int rc;

	memset(files, 0, sizeof(*files));
	files->options = &no_options;
	worth(&files->budget, size_bytes);
	rc = dwarf_file_init(&files->main, &source, -1, false, &files->budget);
	if (rc < 0)
		return rc;
	return has_debug_information(&files->main) ? 0 : -ENOENT;
}

void dwarf_files_close(struct dwarf_files *files)
{
	dwarf_file_fini(&files->main);
	if (files->has_shared)
		dwarf_file_fini(&files->shared);
	if (files->has_packed)
		dwarf_file_fini(&files->packed);
}

/* ---- split units ---- */

static int try_packed(struct dwarf_files *files, const char *beside_path)
{
	char path[PATH_MAX];

	if (files->has_packed || !beside_path[0] ||
	    snprintf(path, sizeof(path), "%s.dwp", beside_path) >= PATH_MAX)
		return -ENOENT;
	if (open_path(files, path, true, &files->packed) < 0)
		return -ENOENT;
	files->has_packed = true;
	return 0;
}

static int try_dwo(struct dwarf_files *files, const struct dwarf_cu *skeleton, const char *path,
		   struct dwarf_file *ret_file, struct dwarf_cu *ret_cu)
{
	int rc = open_path(files, path, true, ret_file);

	if (rc < 0)
		return -ENOENT;
	ret_file->alt = files->main.alt;
	rc = dwarf_split_open(ret_file, skeleton, ret_cu);
	if (rc < 0)
		dwarf_file_fini(ret_file);
	return rc;
}

/*
 * Looks for a .dwo at the path where the compiler wrote it. If the unit is not found there, looks
 * for a file of the same name in the directory of the image.
 */
static int find_dwo(struct dwarf_files *files, const struct dwarf_cu *skeleton, const char *name,
		    struct dwarf_file *ret_file, struct dwarf_cu *ret_cu)
{
	const struct dwarf_value *comp_dir = die_value(&skeleton->root, SLOT_COMP_DIR);
	const char *slash = strrchr(name, '/');
	char dir[DWARF_TEXT_MAX] = "", joined[2 * DWARF_TEXT_MAX], path[PATH_MAX];
	int rc = -ENOENT;

	if (comp_dir && name[0] != '/')
		(void)dwarf_cu_text(skeleton, comp_dir, dir);
	(void)snprintf(joined, sizeof(joined), "%s%s%s", dir, name[0] == '/' ? "" : "/", name);
	if (below_sysroot(files, joined, path))
		rc = try_dwo(files, skeleton, path, ret_file, ret_cu);
	if (rc == -ENOENT && beside(files->image_path, slash ? slash + 1 : name, path))
		rc = try_dwo(files, skeleton, path, ret_file, ret_cu);
	return rc;
}

int dwarf_files_split(struct dwarf_files *files, const struct dwarf_cu *skeleton,
		      struct dwarf_file *ret_file, struct dwarf_cu *ret_cu)
{
	const struct dwarf_value *name = die_value(&skeleton->root, SLOT_DWO_NAME);
	char text[DWARF_TEXT_MAX];
	int rc;

	ret_file->owned_fd = -1;
	if (files->main.source.bytes)
		return -ENOENT;		/* an image in memory has no other files */
	if (try_packed(files, files->image_path) < 0)
		(void)try_packed(files, files->main_path);
	if (files->has_packed) {
		rc = dwarf_split_open(&files->packed, skeleton, ret_cu);
		if (rc != -ENOENT)
			return rc;
	}
	rc = name ? dwarf_cu_text(skeleton, name, text) : -ENOENT;
	return rc < 0 ? rc : find_dwo(files, skeleton, text, ret_file, ret_cu);
}
