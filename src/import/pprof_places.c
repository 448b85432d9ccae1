/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the images that the locations of a profile belong to.
 *
 * If a mapping begins at 0, its addresses are addresses in the mapped file, as in the output of
 * assay export. For mappings that other programs write, the mapped file is needed. If that file
 * exists here with the build-id in the profile, addresses are converted to addresses in the file,
 * and the file's symbols name the locations that the profile does not name. Otherwise addresses
 * remain run-time addresses.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/hex.h"
#include "import/pprof-private.h"

#define FILES_MAX 256u		/* limit on files that are open at the same time */

uint32_t pprof_string(const struct pprof *pprof, uint64_t index)
{
	return index < pprof->strings.count ? pprof->strings.at[index] : 0;
}

static struct model *model_of(const struct pprof *pprof)
{
	return pprof->named.import->model;
}

static const char *text_of(const struct pprof *pprof, uint64_t index)
{
	return model_string(model_of(pprof), pprof_string(pprof, index));
}

/* ---- images ---- */

/* A build-id that is not hexadecimal is ignored. Build-ids of Go have a different format. */
static void read_build_id(const char *text, struct image *image)
{
	size_t length = strlen(text);

	if (length % 2 || length > 2 * (size_t)BUILD_ID_MAX)
		return;
	for (size_t i = 0; i < length / 2; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0) {
			image->build_id_size = 0;
			return;
		}
		image->build_id[i] = (uint8_t)(high << 4 | low);
		image->build_id_size = (uint8_t)(i + 1);
	}
}

static bool is_same_file(const struct image_file *file, const struct image *image)
{
	return image->build_id_size && file->build_id_size == image->build_id_size &&
	       memcmp(file->build_id, image->build_id, image->build_id_size) == 0;
}

static bool is_kept(const struct pprof *pprof, const struct image *image)
{
	for (size_t i = 0; i < pprof->files.count; i++)
		if (is_same_file(&pprof->files.at[i].file, image) &&
		    pprof->files.at[i].path == image->path)
			return true;
	return false;
}

/*
 * Keeps the file open if it is the file of @image. Returns 0, or -ENOENT if the file is a different
 * one, cannot be opened, or exceeds the limit on open files.
 */
static int keep_file(struct pprof *pprof, const char *path, const struct image *image)
{
	struct pprof_file *kept;
	struct image_file file;

	if (path[0] != '/' || !image->build_id_size || pprof->files.count >= FILES_MAX ||
	    image_file_open(AT_FDCWD, path, &file, NULL) < 0)
		return -ENOENT;
	kept = is_same_file(&file, image) ? vec_push(&pprof->files) : NULL;
	if (!kept) {
		image_file_fini(&file);
		return -ENOENT;
	}
	*kept = (struct pprof_file){ .file = file, .path = image->path };
	return 0;
}

static const struct image_file *file_of(const struct pprof *pprof, uint32_t image)
{
	for (size_t i = 0; i < pprof->files.count; i++)
		if (pprof->files.at[i].image == image)
			return &pprof->files.at[i].file;
	return NULL;
}

static bool is_kernel_path(const char *path)
{
	return strncmp(path, "[kernel", 7) == 0 || strncmp(path, "[guest.kernel", 13) == 0;
}

/* The kind of an image depends on whether its addresses are addresses in the file. */
static uint32_t image_of_mapping(struct pprof *pprof, struct pprof_mapping *mapping)
{
	struct model *model = model_of(pprof);
	const char *path = text_of(pprof, mapping->path);
	struct image image = { .kind = IMAGE_UNKNOWN, .path = pprof_string(pprof, mapping->path) };
	bool opened = false;

	if (mapping->image)
		return mapping->image;
	read_build_id(text_of(pprof, mapping->build_id), &image);
	if (is_kernel_path(path)) {
		image.kind = IMAGE_KERNEL;
		image.path = named_string(&pprof->named, "[kernel]", strlen("[kernel]"));
	} else if (!path[0]) {
		image.path = named_string(&pprof->named, "[unknown]", strlen("[unknown]"));
	} else if (path[0] == '/') {
		bool known = is_kept(pprof, &image);

		opened = !known && keep_file(pprof, path, &image) == 0;
		if (opened || known || (mapping->start_addr == 0 && mapping->offset == 0))
			image.kind = IMAGE_FILE;
	}
	mapping->image = model_image_id(model, &image);
	if (opened)
		pprof->files.at[pprof->files.count - 1].image = mapping->image;
	return mapping->image;
}

/* Computes the address in the image. Returns false if that is outside the file's mapped parts. */
static bool find_addr(const struct pprof *pprof, const struct pprof_mapping *mapping, uint64_t addr,
		      uint64_t *ret_vaddr)
{
	const struct image_file *file = file_of(pprof, mapping->image);

	*ret_vaddr = addr;
	if (!file || mapping->start_addr == 0)
		return true;
	return image_file_vaddr(file, addr - mapping->start_addr + mapping->offset, ret_vaddr);
}

/* ---- locations ---- */

/*
 * Reads the lines of a location, innermost first. Functions without a name are skipped. If there
 * are too many lines, some in the middle are dropped. The last line is kept, because its function
 * contains the code.
 */
static size_t read_lines(struct pprof *pprof, const struct pprof_location *location,
			 struct named_line lines[static NAMED_LINES_MAX])
{
	size_t count = 0;
	bool is_cut = false;

	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct pprof_line *line = &pprof->lines.at[location->first_line + i];
		const struct pprof_function *function;
		uint32_t row;

		if (!u64map_get(&pprof->function_index, line->function, &row))
			continue;
		function = &pprof->functions.at[row];
		if (!pprof_string(pprof, function->name))
			continue;
		is_cut |= count == NAMED_LINES_MAX;
		count -= count == NAMED_LINES_MAX;
		lines[count++] = (struct named_line){
			.name = pprof_string(pprof, function->name),
			.linkage_name = pprof_string(pprof, function->linkage_name),
			.file = pprof_string(pprof, function->file),
			.line = line->line <= UINT32_MAX ? (uint32_t)line->line : 0,
		};
	}
	if (is_cut)
		loss_add(&model_of(pprof)->losses, LOSS_LINE_BUDGET, 1);
	return count;
}

static void enter_place(struct pprof *pprof, struct pprof_location *location)
{
	struct model *model = model_of(pprof);
	struct named_line lines[NAMED_LINES_MAX];
	struct named_place place = { .lines = lines };
	uint32_t row = 0;

	location->is_entered = true;
	place.line_count = read_lines(pprof, location, lines);
	if (place.line_count == 1 && !location->mapping) {
		const char *name = model_string(model, lines[0].name);

		location->is_root = stack_root_of_name(name, strlen(name), &location->root);
		if (location->is_root)
			return;
	}
	(void)u64map_get(&pprof->mapping_index, location->mapping, &row);
	place.image = image_of_mapping(pprof, &pprof->mappings.at[row]);
	place.has_addr = location->addr &&
			 find_addr(pprof, &pprof->mappings.at[row], location->addr, &place.addr);
	/* neither an address in the image nor a name */
	if (!place.has_addr && place.line_count == 0)
		place.image = named_image(&pprof->named, model->images.at[place.image].path,
					  IMAGE_UNKNOWN);
	location->location = named_location(&pprof->named, &place);
}

const struct pprof_location *pprof_place(struct pprof *pprof, uint64_t id)
{
	struct pprof_location *location;
	uint32_t row;

	if (!u64map_get(&pprof->location_index, id, &row))
		return NULL;
	location = &pprof->locations.at[row];
	if (!location->is_entered)
		enter_place(pprof, location);
	return location;
}
