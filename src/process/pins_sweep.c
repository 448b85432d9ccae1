/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

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

/* Rebuilds the paths and the index from the remaining pins. Changes nothing if out of memory. */
static int rebuild(struct pins *pins)
{
	struct strpool paths;
	struct intern index = { 0 };
	VEC(uint32_t) path_of = VEC_INIT;
	int rc = strpool_init(&paths);

	if (rc == 0)
		rc = vec_reserve(&path_of, pins->pins.count);
	for (uint32_t id = 1; rc == 0 && id < pins->pins.count; id++) {
		const struct pin *pin = &pins->pins.at[id];
		const char *path = strpool_get(&pins->paths, pin->path);

		rc = strpool_intern(&paths, path, strlen(path), &path_of.at[id]);
		if (rc == 0 && !pin->free && !pin->stale)
			rc = intern_add(&index, pin_hash(&pin->identity, path), id);
	}
	if (rc < 0) {
		intern_fini(&index);
		strpool_fini(&paths);
		vec_free(&path_of);
		return rc;
	}
	for (size_t id = 1; id < pins->pins.count; id++)
		pins->pins.at[id].path = path_of.at[id];
	vec_free(&path_of);
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
