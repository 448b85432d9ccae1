/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_names.h - finds the name of a control group by its id
 *
 * The in-kernel sampler sends the id of a task's control group in the unified hierarchy (cgroup
 * v2). That id is also the file handle of the group's directory. So the directory can be opened by
 * id, even after the task has exited. This needs CAP_DAC_READ_SEARCH. It also needs cgroup v2
 * mounted directly at /sys/fs/cgroup, which is usually not the case on machines that also mount v1
 * hierarchies. There, a task has more than one group.
 *
 * The root group needs no look-up: its name is "/" in the initial cgroup namespace, even if cgroup
 * v2 is not mounted. But if there is a cgroup v1 hierarchy with perf_event, this name is not used,
 * because tasks are then shown with their group in that hierarchy.
 */
#ifndef ASSAY_PROCESS_CGROUP_NAMES_H
#define ASSAY_PROCESS_CGROUP_NAMES_H

#include <stdint.h>

#include "base/u64map.h"
#include "model/model.h"

struct cgroup_names {
	struct model *model;		/* borrowed */
	int root_fd;			/* -1: not available */
	bool root_is_known;		/* we may use the name "/" for the root group's id */
	struct u64map known;		/* id -> string id in the model; 0: the group has no name */
};

void cgroup_names_init(struct cgroup_names *names, struct model *model);
void cgroup_names_fini(struct cgroup_names *names);

/*
 * Returns the string id (in the model) of the name of control group @id. The name is the path that
 * /proc/TGID/cgroup shows, for example "/user.slice". Returns 0 if the name is not known.
 */
uint32_t cgroup_names_find(struct cgroup_names *names, uint64_t id);

#endif
