/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/pins-private.h"

bool pins_are_many(const struct pins *pins)
{
	return pins->new_count >= PINS_MAX / 4 || pins->new_bytes >= PINS_PATH_MAX_BYTES / 4;
}

void pins_mark(struct pins *pins, uint32_t pin)
{
	pins->pins.at[pin].marked = true;
}

size_t pins_count(const struct pins *pins)
{
	return pins->pins.count - 1 - pins->unused.count;
}

static void forget(struct pins *pins, uint32_t id)
{
	struct pin *pin = &pins->pins.at[id];
	uint32_t *slot = vec_push(&pins->unused);

	if (!slot)
		return;
	*slot = id;
	if (pin->file.fd >= 0)
		pins->open_count--;
	image_file_fini(&pin->file);
	*pin = (struct pin){ .free = true, .file.fd = -1 };
}

/* Adds the remaining pins to @paths and @index, and writes to ret_path_of where each path is. */
static int add_pins(const struct pins *pins, struct strpool *paths, struct intern *index,
		    uint32_t *ret_path_of)
{
	for (uint32_t id = 1; id < pins->pins.count; id++) {
		const struct pin *pin = &pins->pins.at[id];
		const char *path = strpool_get(&pins->paths, pin->path);
		int rc = strpool_intern(paths, path, strlen(path), &ret_path_of[id]);

		if (rc < 0)
			return rc;
		if (pin->free || pin->stale)
			continue;
		rc = intern_add(index, pin_hash(&pin->identity, path), id);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Rebuilds the paths and the index from the remaining pins. Changes nothing if out of memory. */
static int rebuild(struct pins *pins)
{
	_cleanup_free_ uint32_t *path_of = calloc(pins->pins.count, sizeof(*path_of));
	struct strpool paths;
	struct intern index = { 0 };
	int rc = strpool_init(&paths);

	if (rc < 0 || !path_of || add_pins(pins, &paths, &index, path_of) < 0) {
		intern_fini(&index);
		strpool_fini(&paths);
		return -ENOMEM;
	}
	for (size_t id = 1; id < pins->pins.count; id++)
		pins->pins.at[id].path = path_of[id];
	intern_fini(&pins->index);
	strpool_fini(&pins->paths);
	pins->index = index;
	pins->paths = paths;
	return 0;
}

void pins_sweep(struct pins *pins)
{
	for (uint32_t id = 1; id < pins->pins.count; id++) {
		struct pin *pin = &pins->pins.at[id];
		bool needed = pin->free || pin->marked || pin->image || id == pins->too_many;

		pin->marked = false;
		if (needed)
			continue;
		if (pin->use != USE_NONE)
			pin->use--;
		else
			forget(pins, id);
	}
	pins->new_count = 0;
	pins->new_bytes = 0;
	if (rebuild(pins) < 0)
		loss_add(&pins->model->losses, LOSS_MEMORY, 1);
}
