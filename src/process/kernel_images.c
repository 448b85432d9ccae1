/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/kernel_images.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "elf/kernel_notes.h"

#define NAME_MAX_BYTES 64		/* MODULE_NAME_LEN; names of BPF programs are shorter */
#define BPF_PROGRAM_MAX_BYTES (UINT64_C(1) << 20)
#define REREAD_NS NS_PER_SEC

/* Address range of a module or BPF program. */
struct area {
	uint64_t start_addr, end_addr;
	enum image_kind kind;
	/* id of the image in the model; 0 until an address in it is first looked up */
	uint32_t image;
	char name[NAME_MAX_BYTES];
	/* set by kernel_images_place(); if build_id_size is 0, the build-id is read from sysfs */
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
};

struct kernel_images {
	struct model *model;
	VEC(struct area) areas;		/* sorted by start_addr */
	uint64_t text_start_addr, text_end_addr;	/* the kernel's own text; both 0: unknown */
	uint64_t stamp;
	uint64_t modules_read_ns;
	/* id of the image in the model; 0 until an address in it is first looked up */
	uint32_t kernel;
	/* the recording was made on another kernel or in another boot */
	bool elsewhere;
	uint8_t build_id_size;		/* build-id of the kernel; used only if elsewhere is set */
	uint8_t build_id[BUILD_ID_MAX];
};

/* Returns the index of the first area that begins above @addr. */
static size_t first_above(const struct kernel_images *images, uint64_t addr)
{
	size_t low = 0, high = images->areas.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (images->areas.at[middle].start_addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void remove_area(struct kernel_images *images, uint64_t start_addr)
{
	size_t above = first_above(images, start_addr);
	struct area *area = above ? &images->areas.at[above - 1] : NULL;

	if (!area || area->start_addr != start_addr)
		return;
	memmove(area, area + 1, (images->areas.count - above) * sizeof(*area));
	images->areas.count--;
	images->stamp++;
}

/*
 * Adds a copy of @area. If there already is an area with the same name and range, it and its image
 * stay unchanged.
 */
static int add_area(struct kernel_images *images, const struct area *area)
{
	size_t above = first_above(images, area->start_addr);
	struct area *slot = above ? &images->areas.at[above - 1] : NULL;

	if (slot && slot->start_addr == area->start_addr) {
		if (slot->end_addr == area->end_addr && strcmp(slot->name, area->name) == 0)
			return 0;
		remove_area(images, area->start_addr);
		above--;
	}
	if (!vec_push(&images->areas))
		return -ENOMEM;
	slot = &images->areas.at[above];
	memmove(slot + 1, slot, (images->areas.count - 1 - above) * sizeof(*slot));
	*slot = *area;
	images->stamp++;
	return 0;
}

/*
 * Parses a line of /proc/modules, "name size refcount users state address". Since Linux 6.4 the
 * address is that of the module's text.
 */
static int add_module(struct kernel_images *images, const char *line)
{
	struct area area = { .kind = IMAGE_MODULE };
	unsigned long long size_bytes, addr;

	if (sscanf(line, "%63s %llu %*s %*s %*s %llx", area.name, &size_bytes, &addr) != 3 ||
	    addr == 0 || size_bytes > UINT64_MAX - addr)
		return 0;
	area.start_addr = addr;
	area.end_addr = addr + size_bytes;
	return add_area(images, &area);
}

static int read_modules(struct kernel_images *images)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/modules", "re");
	_cleanup_free_ char *line = NULL;
	size_t line_bytes = 0;

	images->modules_read_ns = clock_monotonic_ns();
	while (file && getline(&line, &line_bytes, file) > 0) {
		int rc = add_module(images, line);

		if (rc < 0)
			return rc;
	}
	return 0;
}

int kernel_images_new_elsewhere(struct model *model, struct kernel_images **ret_images)
{
	struct kernel_images *images = calloc(1, sizeof(*images));

	if (!images)
		return -ENOMEM;
	images->model = model;
	images->elsewhere = true;
	*ret_images = images;
	return 0;
}

int kernel_images_new(struct model *model, struct kernel_images **ret_images)
{
	struct kernel_images *images = calloc(1, sizeof(*images));

	if (!images)
		return -ENOMEM;
	images->model = model;
	if (read_modules(images) < 0) {
		kernel_images_free(images);
		return -ENOMEM;
	}
	*ret_images = images;
	return 0;
}

void kernel_images_free(struct kernel_images *images)
{
	if (!images)
		return;
	vec_free(&images->areas);
	free(images);
}

int kernel_images_place(struct kernel_images *images, const struct kernel_place_told *place)
{
	struct area area = { .kind = IMAGE_MODULE, .start_addr = place->start_addr };
	uint64_t room = UINT64_MAX - place->start_addr;
	uint8_t size = place->build_id_size <= BUILD_ID_MAX ? place->build_id_size : 0;

	area.end_addr = place->start_addr + (place->size_bytes < room ? place->size_bytes : room);
	if (place->name) {
		area.build_id_size = size;
		memcpy(area.build_id, place->build_id, size);
		(void)snprintf(area.name, sizeof(area.name), "%s", place->name);
		return add_area(images, &area);
	}
	images->text_start_addr = area.start_addr;
	images->text_end_addr = area.end_addr;
	images->build_id_size = size;
	memcpy(images->build_id, place->build_id, size);
	images->stamp++;
	return 0;
}

static int add_bpf(struct kernel_images *images, uint64_t addr, uint64_t size_bytes,
		   const char *name)
{
	struct area area = { .kind = IMAGE_BPF, .start_addr = addr };

	area.end_addr = size_bytes < UINT64_MAX - addr ? addr + size_bytes : UINT64_MAX;
	(void)snprintf(area.name, sizeof(area.name), "%s", name);
	return add_area(images, &area);
}

int kernel_images_add_kallsyms(struct kernel_images *images, const struct kallsyms *kallsyms)
{
	images->text_start_addr = kallsyms->text_start_addr;
	images->text_end_addr = kallsyms->text_end_addr;
	images->stamp++;
	for (size_t i = 0; i < kallsyms->symbols.count; i++) {
		const struct kernel_symbol *symbol = &kallsyms->symbols.at[i];
		uint64_t end_addr;
		int rc;

		if (strcmp(kallsyms_string(kallsyms, symbol->module), "bpf") != 0 ||
		    !kallsyms_lookup(kallsyms, symbol->addr, &end_addr))
			continue;
		if (end_addr - symbol->addr > BPF_PROGRAM_MAX_BYTES)
			end_addr = symbol->addr + BPF_PROGRAM_MAX_BYTES;
		rc = add_bpf(images, symbol->addr, end_addr - symbol->addr,
			     kallsyms_string(kallsyms, symbol->name));
		if (rc < 0)
			return rc;
	}
	return 0;
}

void kernel_images_apply(struct kernel_images *images, const struct perf_record *ksymbol)
{
	if (ksymbol->kind != RECORD_KSYMBOL || !ksymbol->ksymbol.bpf)
		return;
	if (ksymbol->ksymbol.gone)
		remove_area(images, ksymbol->ksymbol.addr);
	else if (add_bpf(images, ksymbol->ksymbol.addr, ksymbol->ksymbol.size_bytes,
			 ksymbol->ksymbol.name) < 0)
		loss_add(&images->model->losses, LOSS_MEMORY, 1);
}

/* Reads the build-id of the kernel or a module from its notes in sysfs. */
static void read_build_id(const char *path, struct image *image)
{
	size_t size;

	_Static_assert(IMAGE_BUILD_ID_MAX == BUILD_ID_MAX, "one size of build-id");
	if (kernel_notes_build_id(path, image->build_id, &size) == 0)
		image->build_id_size = (uint8_t)size;
}

static void take_build_id(struct image *image, const uint8_t *build_id, uint8_t size)
{
	image->build_id_size = size;
	memcpy(image->build_id, build_id, size);
}

static uint32_t kernel_row(struct kernel_images *images)
{
	struct image image = {
		.kind = IMAGE_KERNEL,
		.base_addr = images->text_start_addr,
		.path = model_intern(images->model, "[kernel]"),
	};

	if (!images->kernel) {
		if (images->elsewhere)
			take_build_id(&image, images->build_id, images->build_id_size);
		else
			read_build_id(KERNEL_NOTES_PATH, &image);
		images->kernel = model_image_id(images->model, &image);
	}
	return images->kernel;
}

static uint32_t area_row(struct kernel_images *images, struct area *area)
{
	struct image image = { .kind = area->kind, .base_addr = area->start_addr };
	char text[NAME_MAX_BYTES + 64];

	if (area->image)
		return area->image;
	if (images->elsewhere) {
		take_build_id(&image, area->build_id, area->build_id_size);
	} else if (area->kind == IMAGE_MODULE) {
		(void)snprintf(text, sizeof(text), "/sys/module/%s/notes/.note.gnu.build-id",
			       area->name);
		read_build_id(text, &image);
	}
	(void)snprintf(text, sizeof(text), "[%s]", area->name);
	image.path = model_intern(images->model, text);
	area->image = model_image_id(images->model, &image);
	return area->image;
}

static struct area *find_area(struct kernel_images *images, uint64_t addr)
{
	size_t above = first_above(images, addr);

	if (above == 0 || addr >= images->areas.at[above - 1].end_addr)
		return NULL;
	return &images->areas.at[above - 1];
}

/*
 * Returns true if the address may be in a module that is not known yet. This requires that the
 * bounds of the kernel's own text are known, the address is outside of the text, and the modules
 * were not read within the last second.
 */
static bool may_be_new(const struct kernel_images *images, uint64_t addr)
{
	if (images->elsewhere || images->text_end_addr == 0 ||
	    (addr >= images->text_start_addr && addr < images->text_end_addr))
		return false;
	return clock_monotonic_ns() - images->modules_read_ns >= REREAD_NS;
}

uint32_t kernel_image_at(struct kernel_images *images, uint64_t addr)
{
	struct area *area = find_area(images, addr);

	if (!area && may_be_new(images, addr) && read_modules(images) == 0)
		area = find_area(images, addr);
	return area ? area_row(images, area) : kernel_row(images);
}

uint64_t kernel_images_stamp(const struct kernel_images *images)
{
	return images->stamp;
}
