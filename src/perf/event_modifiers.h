/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_modifiers.h - the letters behind an event that say when it counts
 *
 *	u k h	only in user code, the kernel, the hypervisor (several: in each of them)
 *	G H	only in guests, only in the host
 *	I	not while idle
 *	p P	as precise as ppp asks; as precise as it gets
 *	D e	pinned to the PMU; alone on the PMU
 */
#ifndef ASSAY_PERF_EVENT_MODIFIERS_H
#define ASSAY_PERF_EVENT_MODIFIERS_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/err.h"

/* Only letters of the list above, at least one. */
bool event_modifiers_are_valid(const char *letters);

/* Into *attr; "" changes nothing. -EINVAL names the letter. */
int event_modifiers_apply(const char *letters, struct perf_event_attr *attr, struct err *err);

#endif
