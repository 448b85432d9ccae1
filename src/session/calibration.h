/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibration.h - what an interrupt costs here, measured once for each boot
 *
 * Measuring takes 200 ms of spinning, which no recording should begin with again and again: the
 * figure is kept in the cache directory, in one line that begins with the boot it is true of
 * (a virtual machine may wake up on another host, a kernel with another timer).  Without such a
 * directory (NULL) it is measured each time.
 */
#ifndef ASSAY_SESSION_CALIBRATION_H
#define ASSAY_SESSION_CALIBRATION_H

#include "perf/calibrate.h"

/*
 * Returns the cached cost of this boot. If there is none, measures the cost and caches it. Returns
 * 0 or the error of interrupt_cost_measure().
 */
int calibration_get(const char *cache_dir, struct interrupt_cost *ret_cost, struct err *err);

/* Measures the cost now and caches it. Returns the same errors. */
int calibration_renew(const char *cache_dir, struct interrupt_cost *ret_cost, struct err *err);

#endif
