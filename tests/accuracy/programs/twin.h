/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a twin writes about its life. */
#ifndef ASSAY_TESTS_TWIN_H
#define ASSAY_TESTS_TWIN_H

#include <stddef.h>
#include <stdint.h>

#define TWIN_LOG_FD 9

struct twin_life {
	uint32_t tgid, which;		/* @which: 1 is alpha, 2 is beta */
	uint64_t start_ns, end_ns;	/* CLOCK_MONOTONIC */
};

#endif
