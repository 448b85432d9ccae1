/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/span_cgroups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/model.h"
#include "process/cgroup_names.h"

struct span_cgroups {
	struct model model;		/* has the texts */
	struct cgroup_names names;
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
	model_fini(&cgroups->model);
	free(cgroups);
}

const char *span_cgroups_name(struct span_cgroups *cgroups, uint64_t id)
{
	uint32_t name = cgroup_names_find(&cgroups->names, id);
	char text[40];

	if (!name) {
		(void)snprintf(text, sizeof(text), "[cgroup %" PRIu64 "]", id);
		name = model_intern(&cgroups->model, text);
	}
	return model_string(&cgroups->model, name);
}
