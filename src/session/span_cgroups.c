/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/span_cgroups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/u64map.h"
#include "model/model.h"
#include "process/cgroup_names.h"

struct span_cgroups {
	struct model model;		/* has the texts */
	struct cgroup_names names;
	struct u64map shown;		/* id -> string of the model */
};

int span_cgroups_new(struct span_cgroups **ret_cgroups, struct err *err)
{
	struct span_cgroups *cgroups = calloc(1, sizeof(*cgroups));

	if (!cgroups || model_init(&cgroups->model) < 0) {
		free(cgroups);
		return err_sys(err, -ENOMEM, "control groups");
	}
	cgroup_names_init(&cgroups->names, &cgroups->model);
	*ret_cgroups = cgroups;
	return 0;
}

void span_cgroups_free(struct span_cgroups *cgroups)
{
	if (!cgroups)
		return;
	cgroup_names_fini(&cgroups->names);
	u64map_fini(&cgroups->shown);
	model_fini(&cgroups->model);
	free(cgroups);
}

int span_cgroups_find(struct span_cgroups *cgroups, const struct span_group *groups, size_t count,
		      struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t id = groups[i].id;
		uint32_t name;
		char text[40];

		if (u64map_get(&cgroups->shown, id, &name))
			continue;
		name = cgroup_names_find(&cgroups->names, id);
		if (!name) {
			(void)snprintf(text, sizeof(text), "[cgroup %" PRIu64 "]", id);
			name = model_intern(&cgroups->model, text);
		}
		if (u64map_put(&cgroups->shown, id, name) < 0)
			return err_sys(err, -ENOMEM, "control groups");
	}
	return 0;
}

const char *span_cgroups_name(const struct span_cgroups *cgroups, uint64_t id)
{
	uint32_t name = 0;

	(void)u64map_get(&cgroups->shown, id, &name);
	return model_string(&cgroups->model, name);
}
