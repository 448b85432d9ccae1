/* SPDX-License-Identifier: GPL-2.0-or-later */
/* presets.h - what users often want to measure, by name */
#ifndef ASSAY_STOPWATCH_PRESETS_H
#define ASSAY_STOPWATCH_PRESETS_H

#include <stdbool.h>
#include <stddef.h>

#define PRESET_POINTS_MAX 4

/* Either points whose calls are measured, or two points and their key, or the run queues. */
struct stopwatch_preset {
	const char *name;
	const char *question;		/* that it answers */
	const char *points[PRESET_POINTS_MAX + 1];	/* NULL-terminated */
	const char *from, *to, *key;
	bool run_queue;
};

extern const struct stopwatch_preset stopwatch_presets[];
extern const size_t stopwatch_preset_count;

const struct stopwatch_preset *stopwatch_preset_find(const char *name);	/* NULL: none */

#endif
