/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibration.h - the cost of one sampling interrupt, measured once for each boot
 *
 * A measurement keeps a CPU busy for 200 ms, which should not be repeated at the start of every
 * recording. So the result is stored in the cache directory, as one line that begins with the boot
 * id. The stored result is used only during the same boot, because after the next boot a virtual
 * machine may be on another host, or the kernel may use another timer. Without a cache directory
 * (NULL), the cost is measured each time.
 */
#ifndef ASSAY_SESSION_CALIBRATION_H
#define ASSAY_SESSION_CALIBRATION_H

#include "perf/calibrate.h"

/*
 * Returns the cached cost of this boot. If there is none, measures the cost and caches it. Returns
 * 0 or the error of interrupt_cost_measure().
 */
int calibration_get(const char *cache_dir, struct interrupt_cost *ret_cost, struct err *err);

/* Measures the cost now and caches it. Returns 0 or the error of interrupt_cost_measure(). */
int calibration_renew(const char *cache_dir, struct interrupt_cost *ret_cost, struct err *err);

#endif
