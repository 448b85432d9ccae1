/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the table `tick`: the outcomes of the ticks of each event on each CPU (model/tick.h). */
#include <errno.h>

#include "store/recording-private.h"

/*
 * Compares @count with the count last written for row @at. If they differ, stores @count as the
 * last written count and returns 1. Returns 0 if they are equal, or -ENOMEM.
 */
static int has_changed(struct shadow *shadow, size_t at, uint64_t count)
{
	if (at >= shadow->ticks.count) {
		uint64_t *slot = vec_push(&shadow->ticks);

		if (!slot)
			return -ENOMEM;
		*slot = count;
		return 1;
	}
	if (shadow->ticks.at[at] == count)
		return 0;
	shadow->ticks.at[at] = count;
	return 1;
}

static int write_tick(struct recording *recording, const struct model *model,
		      const struct tick_count *tick, struct err *err)
{
	sqlite3_stmt *set;
	int rc = recording_prepare(recording, &recording->set_tick,
				   "INSERT OR REPLACE INTO tick VALUES(?1, ?2, ?3, ?4)", err);

	if (rc < 0)
		return rc;
	set = recording->set_tick;
	(void)sqlite3_bind_int64(set, 1, tick->event);
	(void)sqlite3_bind_int64(set, 2, tick->cpu);
	(void)sqlite3_bind_text(set, 3, model_string(model, tick->outcome), -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(set, 4, (sqlite3_int64)tick->count);
	return recording_step(recording, set, err);
}

int recording_write_ticks(struct recording *recording, const struct model *model, struct err *err)
{
	for (size_t i = 0; i < model->ticks.rows.count; i++) {
		const struct tick_count *tick = &model->ticks.rows.at[i];
		int rc = has_changed(&recording->shadow, i, tick->count);

		if (rc < 0)
			return err_sys(err, rc, "%s", recording->path);
		if (rc == 0)
			continue;
		rc = write_tick(recording, model, tick, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
