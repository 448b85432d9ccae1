/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_names.h - finds the name of a control group by its id
 *
 * The in-kernel sampler sends the id of a task's control group in the unified hierarchy (cgroup
 * v2). That id is also the file handle of the group's directory, so the directory can be opened by
 * id, even after the task has exited. This needs CAP_DAC_READ_SEARCH. It also needs cgroup v2
 * mounted at /sys/fs/cgroup without any v1 hierarchy, because a task has more than one group
 * otherwise. The name of the root group is known even if cgroup v2 is not mounted, unless tasks
 * would be named by a cgroup v1 hierarchy.
 */
#ifndef ASSAY_PROCESS_CGROUP_NAMES_H
#define ASSAY_PROCESS_CGROUP_NAMES_H

#include <stdint.h>

#include "base/u64map.h"
#include "model/model.h"

struct cgroup_names {
	struct model *model;		/* borrowed */
	int root_fd;			/* -1: not available */
	bool root_is_known;		/* the root's id is known; the root's name is "/" */
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
