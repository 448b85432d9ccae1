/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores the totals of spans (model/span.h). Rows are written again when their values change. */
#include "store/recording-private.h"

/*
 * Limits on rows that are read. A model has fewer events, and a histogram fewer buckets. Without
 * the limits, the rows of a damaged table might never end.
 */
#define BUCKETS_MAX 1024u

/* ---- writing ---- */

static void bind_u64(sqlite3_stmt *set, int parameter, uint64_t value)
{
	(void)sqlite3_bind_int64(set, parameter, (sqlite3_int64)value);
}

static int write_total(struct recording *recording, const struct span_total *total, struct err *err)
{
	int rc = recording_prepare(
		recording, &recording->set_span_total,
		"INSERT OR REPLACE INTO span_total VALUES(?1, ?2, ?3, ?4, ?5, ?6,"
		" ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
		err);
	sqlite3_stmt *set = recording->set_span_total;
	const uint64_t values[] = {
		total->least_ns, total->most_ns,   total->open,
		total->no_entry, total->too_deep,  total->no_memory,
		total->unsent,	 total->inside_ns, total->slow_ns,
	};

	if (rc < 0)
		return rc;
	bind_u64(set, 1, total->event);
	bind_u64(set, 2, total->count);
	bind_u64(set, 3, total->ns);
	(void)sqlite3_bind_double(set, 4, total->square_ns2);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		bind_u64(set, (int)i + 5, values[i]);
	return recording_step(recording, set, err);
}

static int write_bucket(struct recording *recording, uint32_t event,
			const struct span_bucket *bucket, struct err *err)
{
	int rc = recording_prepare(recording, &recording->set_span_bucket,
				   "INSERT OR REPLACE INTO span_bucket VALUES(?1, ?2, ?3, ?4)",
				   err);
	sqlite3_stmt *set = recording->set_span_bucket;

	if (rc < 0)
		return rc;
	bind_u64(set, 1, event);
	bind_u64(set, 2, bucket->from_ns);
	bind_u64(set, 3, bucket->to_ns);
	bind_u64(set, 4, bucket->count);
	return recording_step(recording, set, err);
}

static int write_amount(struct recording *recording, uint32_t event,
			const struct span_amount_sum *amount, struct err *err)
{
	int rc = recording_prepare(recording, &recording->set_span_amount,
				   "INSERT OR REPLACE INTO span_amount VALUES(?1, ?2, ?3, ?4, ?5)",
				   err);
	sqlite3_stmt *set = recording->set_span_amount;

	if (rc < 0)
		return rc;
	bind_u64(set, 1, event);
	bind_u64(set, 2, amount->counter);
	bind_u64(set, 3, amount->total);
	bind_u64(set, 4, amount->missing);
	bind_u64(set, 5, amount->inside);
	return recording_step(recording, set, err);
}

/* Buckets may become empty, because the cost of the probes is subtracted. */
static int forget_buckets(struct recording *recording, uint32_t event, struct err *err)
{
	int rc = recording_prepare(recording, &recording->forget_span_buckets,
				   "DELETE FROM span_bucket WHERE event = ?1", err);

	if (rc < 0)
		return rc;
	bind_u64(recording->forget_span_buckets, 1, event);
	return recording_step(recording, recording->forget_span_buckets, err);
}

/* Returns a number that tells whether the row has changed, as counts only grow. */
static uint64_t state_of(const struct span_total *total)
{
	return 1 + total->count + total->open + total->no_entry + total->too_deep +
	       total->no_memory + total->unsent;
}

static int write_changed(struct recording *recording, const struct span_total *total,
			 uint64_t *written, struct err *err)
{
	int rc;

	if (*written == state_of(total))
		return 0;
	*written = state_of(total);
	rc = write_total(recording, total, err);
	if (rc == 0)
		rc = forget_buckets(recording, total->event, err);
	for (size_t i = 0; rc == 0 && i < total->buckets.count; i++)
		rc = write_bucket(recording, total->event, &total->buckets.at[i], err);
	for (size_t i = 0; rc == 0 && i < total->amounts.count; i++)
		rc = write_amount(recording, total->event, &total->amounts.at[i], err);
	return rc;
}

int recording_write_spans(struct recording *recording, const struct model *model, struct err *err)
{
	struct shadow *shadow = &recording->shadow;

	for (size_t i = 0; i < model->spans.rows.count; i++) {
		int rc;

		if (i >= shadow->spans.count && !vec_push(&shadow->spans))
			return err_sys(err, -ENOMEM, "%s", recording->path);
		rc = write_changed(recording, &model->spans.rows.at[i], &shadow->spans.at[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- reading ---- */

static uint64_t read_u64(sqlite3_stmt *select, int column)
{
	return (uint64_t)sqlite3_column_int64(select, column);
}

int span_total_read(sqlite3_stmt *select, struct model *model)
{
	uint64_t event = read_u64(select, 0);
	struct span_total *total;

	if (!model_event_is_span(model, event) || span_total_find(&model->spans, (uint32_t)event))
		return -EBADMSG;
	total = span_total_of(&model->spans, (uint32_t)event);
	if (!total)
		return -ENOMEM;
	total->count = read_u64(select, 1);
	total->ns = read_u64(select, 2);
	total->square_ns2 = sqlite3_column_double(select, 3);
	total->least_ns = read_u64(select, 4);
	total->most_ns = read_u64(select, 5);
	total->open = read_u64(select, 6);
	total->no_entry = read_u64(select, 7);
	total->too_deep = read_u64(select, 8);
	total->no_memory = read_u64(select, 9);
	total->unsent = read_u64(select, 10);
	total->inside_ns = read_u64(select, 11);
	total->slow_ns = read_u64(select, 12);
	return 0;
}

int span_bucket_read(sqlite3_stmt *select, struct model *model)
{
	uint64_t event = read_u64(select, 0);
	const struct span_bucket bucket = {
		.from_ns = read_u64(select, 1),
		.to_ns = read_u64(select, 2),
		.count = read_u64(select, 3),
	};
	struct span_total *total;

	if (!model_event_is_span(model, event) || bucket.from_ns >= bucket.to_ns)
		return -EBADMSG;
	total = span_total_of(&model->spans, (uint32_t)event);
	if (!total)
		return -ENOMEM;
	if (total->buckets.count >= BUCKETS_MAX)
		return -EBADMSG;
	return span_total_add_bucket(total, &bucket);
}

int span_amount_read(sqlite3_stmt *select, struct model *model)
{
	uint64_t event = read_u64(select, 0), counter = read_u64(select, 1);
	struct span_total *total;
	struct span_amount_sum *sum;

	if (!model_event_is_span(model, event) || counter >= model->events.count ||
	    !model->events.at[counter].is_counter)
		return -EBADMSG;
	total = span_total_of(&model->spans, (uint32_t)event);
	sum = total ? span_total_amount(total, (uint32_t)counter) : NULL;
	if (!sum)
		return -ENOMEM;
	sum->total = read_u64(select, 2);
	sum->missing = read_u64(select, 3);
	sum->inside = read_u64(select, 4);
	return 0;
}
