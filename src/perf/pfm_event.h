/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm_event.h - the events of a CPU by the names that its maker gave them, through libpfm4
 *
 *	L2_RQSTS:MISS			of the CPU that this is
 *	skl::L2_RQSTS:MISS:u		of this PMU, if the CPU has it
 *
 * Kept apart from all other uses of perf, as libpfm4 brings a struct perf_event_attr of its own
 * that cannot be included beside the kernel's.
 * Source: libpfm4, perf_examples and man pages; pfm_get_os_event_encoding(3).
 */
#ifndef ASSAY_PERF_PFM_EVENT_H
#define ASSAY_PERF_PFM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct pfm_event {
	uint32_t type;
	uint64_t config, config1, config2;
	bool no_user, no_kernel, no_hypervisor;
};

/* -ENOENT: the CPU has no such event; others: what is wrong with @text is in *err. */
int pfm_event_find(const char *text, struct pfm_event *ret_event, struct err *err);

#endif
