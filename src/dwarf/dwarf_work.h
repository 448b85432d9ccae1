/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_work.h - opens the units that contain queried addresses, one after another
 *
 * Private to src/dwarf. Finds the unit of each query. Then opens each such unit, and its split unit
 * if it has one, and lets a function answer the queries of this unit.
 */
#ifndef ASSAY_DWARF_DWARF_WORK_H
#define ASSAY_DWARF_DWARF_WORK_H

#include "dwarf/dwarf_files.h"
#include "dwarf/dwarf_query.h"

struct dwarf_work {
	struct dwarf_files files;
	struct debug_lines_health *health;
	/*
	 * Answers the queries of a unit. @unit has their line program, @tree their entries: the
	 * split unit if there is one; NULL: it is missing. Returns a negative value to stop.
	 */
	int (*answer)(struct dwarf_work *work, const struct dwarf_cu *unit,
		      const struct dwarf_cu *tree, struct dwarf_queries *queries);
	void *context;			/* for answer() */

	struct dwarf_queries queries;
	struct dwarf_ranges ranges;
	/* true: the current unit is already counted as damaged */
	bool is_damaged;
};

/*
 * Opens the files of an image and initializes *@work except for answer() and context. Returns 0 or
 * an error of dwarf_files_open(). *@ret_health is always written. Call dwarf_work_fini() in both
 * cases.
 */
int dwarf_work_open(struct dwarf_work *work, const struct image_file *file,
		    const struct debug_lines_options *options,
		    struct debug_lines_health *ret_health);
void dwarf_work_fini(struct dwarf_work *work);

/* Answers all @vaddrs, which must be in ascending order. Returns 0, -ENOMEM or what stopped it. */
int dwarf_work_run(struct dwarf_work *work, const uint64_t *vaddrs, size_t count);

/* Calls answer() for each unit that may have functions, without queries (NULL). As above. */
int dwarf_work_all(struct dwarf_work *work);

/*
 * Decides whether the work goes on after the result @rc. If a unit is damaged, counts the unit and
 * returns 0, so that only this unit is skipped. If the budget is exhausted, sets health->exhausted
 * and returns 0; all remaining units are then skipped. Returns any other @rc unchanged.
 */
int dwarf_work_note(struct dwarf_work *work, int rc);

#endif
