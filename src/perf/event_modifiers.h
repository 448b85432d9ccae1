/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_modifiers.h - the letters after an event that say when it counts
 *
 *	u k h	only in user code, the kernel, the hypervisor (several: in any of them)
 *	G H	only in guests, only in the host
 *	I	not while the CPU is idle
 *	p P	as precise as the number of p letters asks for; as precise as possible
 *	D e	pinned to the PMU; exclusive on the PMU
 */
#ifndef ASSAY_PERF_EVENT_MODIFIERS_H
#define ASSAY_PERF_EVENT_MODIFIERS_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/err.h"

/* Returns true if @letters is not empty and has only letters of the list above. */
bool event_modifiers_are_valid(const char *letters);

/*
 * Sets the flags of *@attr according to @letters; "" is allowed. On -EINVAL, the message names the
 * modifiers.
 */
int event_modifiers_apply(const char *letters, struct perf_event_attr *attr, struct err *err);

#endif
