/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm_event.h - CPU events by the names that the CPU makers gave them, through libpfm4
 *
 *	L2_RQSTS:MISS			an event of this machine's CPU
 *	skl::L2_RQSTS:MISS:u		an event of the PMU skl, if the CPU has it
 *
 * libpfm4's headers define their own struct perf_event_attr, so they cannot be included together
 * with the kernel's <linux/perf_event.h>. For this reason only pfm_event.c includes them, and
 * struct pfm_event replaces struct perf_event_attr here. Source: libpfm4, perf_examples and man
 * pages; pfm_get_os_event_encoding(3).
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

/*
 * Looks up the event called @text. Returns 0, -ENOENT if this machine's CPU has no such event, or
 * -EINVAL if libpfm4 rejects @text. After an error, *err contains the reason.
 */
int pfm_event_find(const char *text, struct pfm_event *ret_event, struct err *err);

#endif
