/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_names.h - the control group that a number stands for
 *
 * The in-kernel sampler says of a task the id of its group in the unified hierarchy, which is also
 * that of the group's directory: it is opened by it, so that a group has its name also when the
 * task is gone.  Needs cgroup v2 alone at /sys/fs/cgroup (elsewhere a task has more groups than
 * one) and CAP_DAC_READ_SEARCH.  The root has its name also where cgroup v2 is not mounted, as
 * long as no hierarchy of cgroup v1 would name its tasks.
 */
#ifndef ASSAY_PROCESS_CGROUP_NAMES_H
#define ASSAY_PROCESS_CGROUP_NAMES_H

#include <stdint.h>

#include "base/u64map.h"
#include "model/model.h"

struct cgroup_names {
	struct model *model;		/* borrowed */
	int root_fd;			/* -1: not to be had */
	bool root_is_known;		/* what its id is, and that "/" is its name */
	struct u64map known;		/* id -> string of the model; 0: it has no name */
};

void cgroup_names_init(struct cgroup_names *names, struct model *model);
void cgroup_names_fini(struct cgroup_names *names);

/* A string of the model, as /proc/TGID/cgroup would say it ("/user.slice"); 0: not known. */
uint32_t cgroup_names_find(struct cgroup_names *names, uint64_t id);

#endif
