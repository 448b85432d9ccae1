/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/live.h"

#include <string.h>

#include "analyze/lookup.h"
#include "analyze/tally.h"
#include "base/cleanup.h"

#define LABEL_MAX 4096

void live_init(struct live *live, uint64_t window_ns)
{
	*live = (struct live){ .window_ns = window_ns };
}

void live_fini(struct live *live)
{
	sample_batch_fini(&live->samples);
	vec_free(&live->points);
}

/* ---- moving the window ---- */

/*
 * Drops samples older than @before_ns. Returns the start of the window, which is later than
 * @before_ns if there are too many samples.
 */
static uint64_t forget_samples(struct live *live, uint64_t before_ns)
{
	struct sample_batch *samples = &live->samples;
	size_t count = samples->samples.count, old = 0;

	if (count > LIVE_SAMPLES_MAX) {
		old = count - LIVE_SAMPLES_MAX;
		if (before_ns < samples->samples.at[old].time_ns)
			before_ns = samples->samples.at[old].time_ns;
	}
	while (old < count && samples->samples.at[old].time_ns < before_ns)
		old++;
	if (old == 0)
		return before_ns;
	memmove(samples->samples.at, samples->samples.at + old,
		(count - old) * sizeof(*samples->samples.at));
	samples->samples.count = count - old;
	return before_ns;
}

/*
 * Drops the points before the window, except the newest of them. The sums of the window are
 * computed as differences from that point.
 */
static void forget_points(struct live *live, uint64_t before_ns)
{
	size_t count = live->points.count, old = 0;

	while (old + 1 < count && live->points.at[old + 1].time_ns <= before_ns)
		old++;
	if (old == 0)
		return;
	memmove(live->points.at, live->points.at + old, (count - old) * sizeof(*live->points.at));
	live->points.count = count - old;
}

/* Counts can go down: some are corrected, and the kernel's idle time can decrease. */
static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static uint64_t passed(const struct cpu_ledger *cpu, enum cpu_time which)
{
	return grown(cpu->last_ns[which], cpu->first_ns[which]);
}

static struct live_point point_of(const struct model *model, uint64_t own_cpu_ns, uint64_t now_ns)
{
	const struct interrupts *interrupts = &model->interrupts;
	struct live_point point = {
		.time_ns = now_ns,
		.own_cpu_ns = own_cpu_ns,
		.losses = model->losses,
	};

	for (size_t i = 0; i < model->ledger.cpus.count; i++) {
		const struct cpu_ledger *cpu = &model->ledger.cpus.at[i];

		point.cpu_ns += cpu->end_ns - cpu->start_ns;
		point.idle_ns += passed(cpu, CPU_TIME_IDLE) + passed(cpu, CPU_TIME_IOWAIT);
		point.steal_ns += passed(cpu, CPU_TIME_STEAL);
	}
	for (size_t i = 0; i < interrupts->times.count; i++) {
		const struct interrupt_time *time = &interrupts->times.at[i];

		if (time->kind == INTERRUPT_SOFTIRQ)
			point.softirq_ns += time->ns;
		else
			point.hardirq_ns += time->ns;
	}
	return point;
}

int live_begin(struct live *live, const struct model *model, uint64_t own_cpu_ns, uint64_t now_ns)
{
	struct live_point *point;

	vec_clear(&live->samples.samples);
	vec_clear(&live->points);
	point = vec_push(&live->points);
	if (!point)
		return -ENOMEM;
	*point = model ? point_of(model, own_cpu_ns, now_ns)
		       : (struct live_point){ .time_ns = now_ns, .own_cpu_ns = own_cpu_ns };
	return 0;
}

int live_add(struct live *live, const struct model *model, const struct sample_batch *batch,
	     uint64_t own_cpu_ns, uint64_t now_ns)
{
	uint64_t before_ns = now_ns > live->window_ns ? now_ns - live->window_ns : 0;
	struct live_point *point = vec_push(&live->points);

	if (!point)
		return -ENOMEM;
	*point = point_of(model, own_cpu_ns, now_ns);
	for (size_t i = 0; i < batch->samples.count; i++) {
		struct sample *sample = vec_push(&live->samples.samples);

		if (!sample)
			return -ENOMEM;
		*sample = batch->samples.at[i];
	}
	forget_points(live, forget_samples(live, before_ns));
	return 0;
}

void live_forget(struct live *live)
{
	vec_clear(&live->samples.samples);
	if (!live->points.count)
		return;
	live->points.at[0] = live->points.at[live->points.count - 1];
	live->points.count = 1;
}

/* ---- a look at the window ---- */

static bool is_wanted(const void *context, const struct profile *profile, const struct hit *hit)
{
	const struct live_question *question = context;

	return hit->event == question->event && hit->context != CONTEXT_IDLE &&
	       (!question->process ||
		thread_of(profile->model, hit->thread)->process == question->process);
}

struct named_row {
	struct group_row row;
	char *label;	/* only if rows are sorted by label */
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct named_row *)a)->label, ((const struct named_row *)b)->label);
}

static int sort_by_name(const struct profile *profile, struct group_table *table)
{
	size_t count = table->rows.count, done = 0;
	struct named_row *named = calloc(count + 1, sizeof(*named));
	char label[LABEL_MAX];

	for (; named && done < count; done++) {
		named[done].row = table->rows.at[done];
		group_label(profile, table->by[0], named[done].row.key[0], label, sizeof(label));
		named[done].label = strdup(label);
		if (!named[done].label)
			break;
	}
	if (named && done == count) {
		qsort(named, count, sizeof(*named), compare_names);
		for (size_t i = 0; i < count; i++)
			table->rows.at[i] = named[i].row;
	}
	for (size_t i = 0; i < done; i++)
		free(named[i].label);
	free(named);
	return named && done == count ? 0 : -ENOMEM;
}

/* Sorts by number of late samples. */
static void sort_by_late(struct group_table *table)
{
	for (size_t i = 0; i < table->rows.count; i++)
		table->rows.at[i].rank = table->rows.at[i].late_samples;
	group_sort_by_rank(table);
}

static void turn_around(struct group_table *table)
{
	for (size_t i = 0, j = table->rows.count; i + 1 < j; i++) {
		struct group_row row = table->rows.at[i];

		table->rows.at[i] = table->rows.at[--j];
		table->rows.at[j] = row;
	}
}

static int sort(const struct live_question *question, struct live_frame *frame)
{
	int rc = 0;

	switch (question->order) {
	case LIVE_BY_SHARE:
		group_sort_by_rank(&frame->table);
		break;
	case LIVE_BY_NAME:
		rc = sort_by_name(&frame->profile, &frame->table);
		break;
	case LIVE_BY_LATE:
		sort_by_late(&frame->table);
		break;
	}
	if (question->reverse)
		turn_around(&frame->table);
	return rc;
}

static void keep_names(const regex_t *names, struct live_frame *frame)
{
	struct group_table *table = &frame->table;
	char label[LABEL_MAX];
	size_t kept = 0;

	for (size_t i = 0; i < table->rows.count; i++) {
		group_label(&frame->profile, table->by[0], table->rows.at[i].key[0], label,
			    sizeof(label));
		if (regexec(names, label, 0, NULL, 0) == 0)
			table->rows.at[kept++] = table->rows.at[i];
	}
	table->rows.count = kept;
}

static struct live_point since(const struct live *live)
{
	const struct live_point *first, *last;
	struct live_point sums;

	if (live->points.count == 0)
		return (struct live_point){ 0 };
	first = &live->points.at[0];
	last = &live->points.at[live->points.count - 1];
	sums = *last;
	sums.cpu_ns = grown(last->cpu_ns, first->cpu_ns);
	sums.idle_ns = grown(last->idle_ns, first->idle_ns);
	sums.steal_ns = grown(last->steal_ns, first->steal_ns);
	sums.hardirq_ns = grown(last->hardirq_ns, first->hardirq_ns);
	sums.softirq_ns = grown(last->softirq_ns, first->softirq_ns);
	sums.own_cpu_ns = grown(last->own_cpu_ns, first->own_cpu_ns);
	for (int i = 0; i < LOSS_COUNT; i++)
		sums.losses.count[i] = grown(last->losses.count[i], first->losses.count[i]);
	return sums;
}

static int total(const struct live *live, struct model *model, struct profile *profile)
{
	static const struct profile_options everything;
	_cleanup_(tally_fini) struct tally tally = { 0 };
	int rc = tally_init(&tally, model, &everything, LATE_THRESHOLD_DEFAULT_NS, profile);

	if (rc < 0)
		return rc;
	return tally_batch(&tally, &live->samples);
}

static void count_contexts(uint8_t event, struct live_frame *frame)
{
	for (size_t i = 0; i < frame->profile.hits.count; i++) {
		const struct hit *hit = &frame->profile.hits.at[i];

		if (hit->event == event)
			frame->contexts[hit->context] += hit->count.samples;
	}
}

int live_look(const struct live *live, struct model *model, const struct live_question *question,
	      struct live_frame *ret_frame)
{
	int rc;

	*ret_frame = (struct live_frame){ .since = since(live) };
	if (live->points.count)
		ret_frame->span_ns = ret_frame->since.time_ns - live->points.at[0].time_ns;
	rc = total(live, model, &ret_frame->profile);
	if (rc < 0)
		return rc;
	rc = group_hits(&ret_frame->profile, &question->by, 1, is_wanted, question,
			&ret_frame->table);
	if (rc < 0)
		return rc;
	count_contexts(question->event, ret_frame);
	if (question->names)
		keep_names(question->names, ret_frame);
	return sort(question, ret_frame);
}

void live_frame_fini(struct live_frame *frame)
{
	group_table_fini(&frame->table);
	profile_fini(&frame->profile);
}

uint64_t live_lost(const struct live_frame *frame, enum loss *ret_most)
{
	const struct losses *losses = &frame->since.losses;
	uint64_t all = 0;

	*ret_most = LOSS_COUNT;
	for (int i = 0; i < LOSS_COUNT; i++) {
		all += losses->count[i];
		if (losses->count[i] &&
		    (*ret_most == LOSS_COUNT || losses->count[i] > losses->count[*ret_most]))
			*ret_most = (enum loss)i;
	}
	return all;
}
