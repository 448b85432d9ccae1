/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_names.h - finds the name of a control group by its id
 *
 * The in-kernel sampler sends the id of a task's group in the unified hierarchy. The group's
 * directory has the same id and is opened by it, so a group's name can be found even after the task
 * has exited. This needs CAP_DAC_READ_SEARCH, and cgroup v2 alone mounted at /sys/fs/cgroup
 * (otherwise a task has more than one group). The root's name is known even if cgroup v2 is not
 * mounted, unless a cgroup v1 hierarchy would name its tasks.
 */
#ifndef ASSAY_PROCESS_CGROUP_NAMES_H
#define ASSAY_PROCESS_CGROUP_NAMES_H

#include <stdint.h>

#include "base/u64map.h"
#include "model/model.h"

struct cgroup_names {
	struct model *model;		/* borrowed */
	int root_fd;			/* -1: not available */
	bool root_is_known;		/* the root's id is known, and its name is "/" */
	struct u64map known;		/* id -> string id in the model; 0: the group has no name */
};

void cgroup_names_init(struct cgroup_names *names, struct model *model);
void cgroup_names_fini(struct cgroup_names *names);

/*
 * Returns the group's name as a string id of the model, as /proc/TGID/cgroup would show it (for
 * example "/user.slice"); 0: not known.
 */
uint32_t cgroup_names_find(struct cgroup_names *names, uint64_t id);

#endif
