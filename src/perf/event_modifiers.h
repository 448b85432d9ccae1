/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_modifiers.h - the letters after an event's name that restrict when it counts
 *
 *	u k h	counts only in user code, the kernel, the hypervisor (several: in any of them)
 *	G H	counts only in guests, only in the host
 *	I	does not count while the CPU is idle
 *	p P	precise: the number of p letters is the level; P requests the highest level
 *	D e	pinned to the PMU; exclusive on the PMU
 */
#ifndef ASSAY_PERF_EVENT_MODIFIERS_H
#define ASSAY_PERF_EVENT_MODIFIERS_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/err.h"

/* Returns true if @letters is not empty and contains only letters of the list above. */
bool event_modifiers_are_valid(const char *letters);

/*
 * Sets the flags of *@attr according to @letters; "" is allowed. On -EINVAL, the message names the
 * modifiers.
 */
int event_modifiers_apply(const char *letters, struct perf_event_attr *attr, struct err *err);

#endif
