/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores the measured time of interrupts. Rows are written again when their values have grown. */
#include "store/recording-private.h"

/*
 * Maximum number of rows to read. The largest machine needs fewer. Without the limit, the rows of a
 * damaged table might never end.
 */
#define ROWS_MAX (1u << 20)

#define VICTIM_HARD "hardirq"
#define VICTIM_SOFT "softirq"

static void bind_u64(sqlite3_stmt *set, int parameter, uint64_t value)
{
	(void)sqlite3_bind_int64(set, parameter, (sqlite3_int64)value);
}

/*
 * Compares @now with the values last written for row @at. If they differ, stores @now as the last
 * written values and returns 1. Returns 0 if they are equal, or -ENOMEM.
 */
static int has_changed(struct shadow *shadow, bool victim, size_t at, struct shadow_time now)
{
	struct shadow_times *times = &shadow->interrupts[victim];

	while (times->rows.count <= at)
		if (!vec_push(&times->rows))
			return -ENOMEM;
	if (memcmp(&times->rows.at[at], &now, sizeof(now)) == 0)
		return 0;
	times->rows.at[at] = now;
	return 1;
}

static int write_time(struct recording *recording, const struct model *model,
		      const struct interrupt_time *time, struct err *err)
{
	int rc = recording_prepare(recording, &recording->set_interrupt_time,
				   "INSERT OR REPLACE INTO interrupt_time"
				   " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
				   err);
	sqlite3_stmt *set = recording->set_interrupt_time;

	if (rc < 0)
		return rc;
	(void)sqlite3_bind_text(set, 1, interrupt_kind_name(time->kind), -1, SQLITE_STATIC);
	bind_u64(set, 2, time->vector);
	bind_u64(set, 3, time->cpu);
	(void)sqlite3_bind_text(set, 4, model_string(model, time->name), -1, SQLITE_STATIC);
	bind_u64(set, 5, time->count);
	if (time->kind >= INTERRUPT_UNTIMED)
		(void)sqlite3_bind_null(set, 6);
	else
		bind_u64(set, 6, time->ns);
	return recording_step(recording, set, err);
}

static int write_victim(struct recording *recording, const struct model *model,
			const struct interrupt_victim *victim, struct err *err)
{
	int rc = recording_prepare(recording, &recording->set_interrupt_victim,
				   "INSERT OR REPLACE INTO interrupt_victim"
				   " VALUES(?1, ?2, ?3, ?4, ?5)",
				   err);
	sqlite3_stmt *set = recording->set_interrupt_victim;

	if (rc < 0)
		return rc;
	(void)sqlite3_bind_text(set, 1, victim->soft ? VICTIM_SOFT : VICTIM_HARD, -1,
				SQLITE_STATIC);
	bind_u64(set, 2, victim->tgid);
	(void)sqlite3_bind_text(set, 3, model_string(model, victim->name), -1, SQLITE_STATIC);
	bind_u64(set, 4, victim->count);
	bind_u64(set, 5, victim->ns);
	return recording_step(recording, set, err);
}

static int write_changed(struct recording *recording, const struct model *model, struct err *err)
{
	const struct interrupts *interrupts = &model->interrupts;

	for (size_t i = 0; i < interrupts->times.count; i++) {
		const struct interrupt_time *time = &interrupts->times.at[i];
		int rc = has_changed(&recording->shadow, false, i,
				     (struct shadow_time){ time->count, time->ns, time->name });

		if (rc > 0)
			rc = write_time(recording, model, time, err);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < interrupts->victims.count; i++) {
		const struct interrupt_victim *victim = &interrupts->victims.at[i];
		int rc = has_changed(&recording->shadow, true, i,
				     (struct shadow_time){ victim->count, victim->ns,
							   victim->name });

		if (rc > 0)
			rc = write_victim(recording, model, victim, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int recording_write_interrupts(struct recording *recording, const struct model *model,
			       struct err *err)
{
	int rc = write_changed(recording, model, err);

	return rc == -ENOMEM ? err_sys(err, rc, "%s", recording->path) : rc;
}

/* ---- reading ---- */

static uint64_t read_u64(sqlite3_stmt *select, int column)
{
	return (uint64_t)sqlite3_column_int64(select, column);
}

int interrupt_time_read(sqlite3_stmt *select, struct model *model)
{
	const char *kind = (const char *)sqlite3_column_text(select, 0);
	int which = kind ? interrupt_kind_of_name(kind) : -1;
	uint64_t vector = read_u64(select, 1), cpu = read_u64(select, 2);
	struct interrupt_time *time;

	if (which < 0 || vector > UINT32_MAX || cpu > UINT16_MAX ||
	    model->interrupts.times.count >= ROWS_MAX)
		return -EBADMSG;
	time = vec_push(&model->interrupts.times);
	if (!time)
		return -ENOMEM;
	*time = (struct interrupt_time){
		.kind = (enum interrupt_kind)which,
		.vector = (uint32_t)vector,
		.cpu = (uint32_t)cpu,
		.name = table_read_string(select, 3, model),
		.count = read_u64(select, 4),
		.ns = read_u64(select, 5),
	};
	return 0;
}

int interrupt_victim_read(sqlite3_stmt *select, struct model *model)
{
	const char *kind = (const char *)sqlite3_column_text(select, 0);
	uint64_t tgid = read_u64(select, 1);
	struct interrupt_victim *victim;
	bool soft = kind && strcmp(kind, VICTIM_SOFT) == 0;

	if (!kind || (!soft && strcmp(kind, VICTIM_HARD) != 0) || tgid > UINT32_MAX ||
	    model->interrupts.victims.count >= ROWS_MAX)
		return -EBADMSG;
	victim = vec_push(&model->interrupts.victims);
	if (!victim)
		return -ENOMEM;
	*victim = (struct interrupt_victim){
		.soft = soft,
		.tgid = (uint32_t)tgid,
		.name = table_read_string(select, 2, model),
		.count = read_u64(select, 3),
		.ns = read_u64(select, 4),
	};
	return 0;
}
