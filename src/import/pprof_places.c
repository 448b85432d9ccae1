/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the images that the locations of a profile belong to.
 *
 * If a mapping begins at 0, as in the output of assay export, its addresses are already virtual
 * addresses in the mapped ELF file. Other programs write run-time addresses. To convert these, the
 * mapped file is needed: it must exist on this machine and have the build-id that the profile
 * gives. In that case, the symbols of the file also name the locations that have no names in the
 * profile. If the file is not found, addresses remain run-time addresses.
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

/* Ignores a build-id that is not hexadecimal, because Go has build-ids in a different format. */
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
 * Opens the file at @path and keeps it open if it is the file of @image. Returns 0. Returns -ENOENT
 * if the file has a different build-id, if it cannot be opened, or if too many files are open.
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

/*
 * Returns the image of a mapping. The image is of kind IMAGE_FILE only if the profile's addresses
 * are, or can be converted to, addresses in the ELF file.
 */
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

/*
 * Converts @addr to an address in the image. Returns false if the result would be outside the
 * mapped parts of the file.
 */
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
 * Reads the lines of a location, innermost first, and returns their number. Functions without a
 * name are skipped. If there are too many lines, some lines before the last one are dropped. The
 * last line is kept, because its function contains the code.
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
	/* the location has neither a name nor an address in the image */
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
