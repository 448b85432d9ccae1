/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_clean.h - end what is old in the cache
 *
 * libdebuginfod removes debug files and programs that nobody used for a week, but knows neither
 * sections nor what a client that was killed had begun: both would stay for good.  Removed here are
 * sections that were not used for as long as the cache's own file max_unused_age_s says (a week
 * without one), and begun files that were not written to for an hour.  Nothing else is touched:
 * only files of these names, in directories that are called as build-ids are.
 *
 * The directory may belong to somebody else, whom nothing here trusts: no link is followed, nothing
 * but names and times is believed, and the walk has a limit.
 */
#ifndef ASSAY_FETCH_CACHE_CLEAN_H
#define ASSAY_FETCH_CACHE_CLEAN_H

/* Of what cannot be removed nobody is told: it is tried again the next time. */
void cache_clean(int cache_fd);

#endif
