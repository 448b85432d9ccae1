/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/wall.h"

#include <errno.h>

#include "analyze/lookup.h"
#include "analyze/runs.h"
#include "base/cleanup.h"

#define NO_CLOCK UINT32_MAX

/* One row of the model's threads: one tid with one name, in one program. */
struct wall_thread {
	uint64_t first_ns, last_ns;	/* timestamps of its first and last sample; 0: none */
	uint64_t ns[WALL_PART_COUNT], count[WALL_PART_COUNT];
};

static const struct {
	const char *name;
	enum wall_group group;
} parts[WALL_PART_COUNT] = {
	[WALL_USER] = { "user", WALL_RUNNING },
	[WALL_SYSTEM] = { "system", WALL_RUNNING },
	[WALL_INTERRUPT] = { "interrupt", WALL_INTERRUPTED },
	[WALL_WOKEN] = { "after wakeup", WALL_WAITING },
	[WALL_PREEMPTED] = { "preempted", WALL_WAITING },
	[WALL_SHORT_RUNNABLE] = { "short waits", WALL_WAITING },
	[WALL_ASLEEP] = { "asleep", WALL_SLEEPING },
	[WALL_IO] = { "I/O", WALL_SLEEPING },
	[WALL_UNINTERRUPTIBLE] = { "uninterruptible", WALL_SLEEPING },
	[WALL_STOPPED] = { "stopped", WALL_SLEEPING },
	[WALL_SHORT_BLOCKED] = { "short waits", WALL_SLEEPING },
	[WALL_UNOBSERVED] = { "not observed", WALL_REST },
};

const char *wall_part_name(enum wall_part part)
{
	return (unsigned int)part < WALL_PART_COUNT ? parts[part].name : "?";
}

enum wall_group wall_part_group(enum wall_part part)
{
	return parts[part].group;
}

const char *wall_group_name(enum wall_group group)
{
	static const char *const names[WALL_GROUP_COUNT] = {
		[WALL_RUNNING] = "running",   [WALL_INTERRUPTED] = "interrupts",
		[WALL_WAITING] = "runnable",  [WALL_SLEEPING] = "blocked",
		[WALL_REST] = "not observed",
	};

	return (unsigned int)group < WALL_GROUP_COUNT ? names[group] : "?";
}

/* ---- figures of a row ---- */

/*
 * Adds two numbers. If the sum does not fit, returns INT64_MAX or -INT64_MAX. Weights and times can
 * have any value, because they come from a file that may be forged.
 */
static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? -INT64_MAX : INT64_MAX;
	return sum;
}

static uint64_t plus_u64(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static int64_t as_signed(uint64_t ns)
{
	return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

int64_t wall_group_ns(const struct wall_row *row, enum wall_group group)
{
	int64_t ns = 0;

	for (int part = 0; part < WALL_PART_COUNT; part++)
		if (parts[part].group == group)
			ns = plus(ns, row->ns[part]);
	return ns;
}

uint64_t wall_group_count(const struct wall_row *row, enum wall_group group)
{
	uint64_t count = 0;

	for (int part = 0; part < WALL_PART_COUNT; part++)
		if (parts[part].group == group)
			count += row->count[part];
	return count;
}

double wall_share(const struct wall_row *row, int64_t ns)
{
	return row->wall_ns ? (double)ns / (double)row->wall_ns : 0;
}

/*
 * Returns the period of the clock. If the period is not fixed, returns the average period of the
 * row's samples.
 */
static double period_ns(const struct wall *wall, const struct wall_row *row)
{
	uint64_t samples = 0;
	int64_t ns = 0;

	if (wall->period_ns)
		return (double)wall->period_ns;
	for (int part = 0; part < WALL_SAMPLED_COUNT; part++) {
		samples += row->count[part];
		ns = plus(ns, row->ns[part]);
	}
	return samples ? (double)ns / (double)samples : 0;
}

struct interval wall_interval(const struct wall *wall, const struct wall_row *row, uint64_t count)
{
	double period = period_ns(wall, row);
	double ticks = period > 0 ? (double)row->wall_ns / period : 0;

	return interval_of((double)count, ticks > (double)count ? ticks : (double)count);
}

/* ---- adding up ---- */

static void know_events(struct wall_making *making)
{
	const struct model *model = making->model;

	making->clock = NO_CLOCK;
	for (uint32_t i = 0; i < 256; i++) {
		const struct event *event = i < model->events.count ? &model->events.at[i] : NULL;

		making->kinds[i] = event ? wait_kind_of_name(string_of(model, event->name)) : -1;
		if (event && event->is_time && !event->is_counter && making->kinds[i] < 0 &&
		    !event_is_span(event) && making->clock == NO_CLOCK)
			making->clock = i;
	}
}

int wall_begin(struct wall_making *making, const struct model *model, const struct filter *filter)
{
	*making = (struct wall_making){
		.model = model,
		.threads = calloc(model->threads.count + 1, sizeof(*making->threads)),
		.runs = runs_of_processes(model),
	};
	know_events(making);
	if (!making->threads || !making->runs)
		return -ENOMEM;
	return match_init(&making->match, filter, model, model_fact_u64(model, FACT_START_NS));
}

static enum wall_part part_of_context(enum context context)
{
	if (context == CONTEXT_USER)
		return WALL_USER;
	return context_is_interrupt(context) ? WALL_INTERRUPT : WALL_SYSTEM;
}

static const enum wall_part part_of_kind[WAIT_KIND_COUNT] = {
	[WAIT_BLOCKED] = WALL_ASLEEP,
	[WAIT_BLOCKED_IO] = WALL_IO,
	[WAIT_BLOCKED_UNINTERRUPTIBLE] = WALL_UNINTERRUPTIBLE,
	[WAIT_STOPPED] = WALL_STOPPED,
	[WAIT_RUNNABLE] = WALL_WOKEN,
	[WAIT_PREEMPTED] = WALL_PREEMPTED,
	[WAIT_SHORT_BLOCKED] = WALL_SHORT_BLOCKED,
	[WAIT_SHORT_RUNNABLE] = WALL_SHORT_RUNNABLE,
};

static void add_wait(struct wall_thread *thread, enum wait_kind kind, uint64_t weight)
{
	if (kind == WAIT_SHORT_COUNT) {
		thread->count[WALL_SHORT_BLOCKED] += weight;
		return;
	}
	thread->ns[part_of_kind[kind]] = plus_u64(thread->ns[part_of_kind[kind]], weight);
	if (kind != WAIT_SHORT_BLOCKED && kind != WAIT_SHORT_RUNNABLE)
		thread->count[part_of_kind[kind]]++;
}

static void add_sample(struct wall_making *making, const struct sample *sample)
{
	struct wall_thread *thread = &making->threads[sample->thread];
	int kind = making->kinds[sample->event];

	/*
	 * This sample belongs to the thread that ended a wait (the waker), but its time is the end
	 * of the wait. The waker may have exited by then, so the sample does not show that the
	 * waker is alive.
	 */
	if (kind == WAIT_WAKER)
		return;
	if (!thread->first_ns || sample->time_ns < thread->first_ns)
		thread->first_ns = sample->time_ns;
	if (sample->time_ns > thread->last_ns)
		thread->last_ns = sample->time_ns;
	if (kind >= 0) {
		add_wait(thread, (enum wait_kind)kind, sample->weight);
	} else if (sample->event == making->clock && sample->context != CONTEXT_IDLE) {
		enum wall_part part = part_of_context((enum context)sample->context);

		thread->ns[part] = plus_u64(thread->ns[part], sample->weight);
		thread->count[part] += event_samples(&making->model->events.at[sample->event],
						     sample->weight);
	}
}

void wall_batch(struct wall_making *making, const struct sample_batch *batch)
{
	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];

		if (!making->first_ns || sample->time_ns < making->first_ns)
			making->first_ns = sample->time_ns;
		if (sample->time_ns > making->last_ns)
			making->last_ns = sample->time_ns;
		if (sample->thread > 0 && sample->thread < making->model->threads.count &&
		    thread_of(making->model, sample->thread)->tid != 0)
			add_sample(making, sample);
	}
}

void wall_making_fini(struct wall_making *making)
{
	match_fini(&making->match);
	free(making->threads);
	free(making->runs);
	making->threads = NULL;
	making->runs = NULL;
}

void wall_fini(struct wall *wall)
{
	vec_free(&wall->rows);
}

/* ---- how long each thread lived ---- */

struct order {
	const struct wall_making *making;
	uint32_t id;
};

static uint32_t tgid_of(const struct model *model, uint32_t id)
{
	return process_of(model, thread_of(model, id)->process)->tgid;
}

static const struct run *run_of(const struct wall_making *making, uint32_t id)
{
	return run_of_process(making->runs, making->model, thread_of(making->model, id)->process);
}

/* Sorts by run, tgid and tid, then by first sample, so that all names of one task are adjacent. */
static int compare_tasks(const void *a, const void *b)
{
	const struct order *left = a, *right = b;
	const struct model *model = left->making->model;
	uint64_t keys[2][5] = {
		{ run_of(left->making, left->id)->number, tgid_of(model, left->id),
		  thread_of(model, left->id)->tid, left->making->threads[left->id].first_ns,
		  left->id },
		{ run_of(right->making, right->id)->number, tgid_of(model, right->id),
		  thread_of(model, right->id)->tid, right->making->threads[right->id].first_ns,
		  right->id },
	};

	for (int i = 0; i < 5; i++)
		if (keys[0][i] != keys[1][i])
			return keys[0][i] < keys[1][i] ? -1 : 1;
	return 0;
}

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t begin_ns(const struct wall_making *making, uint32_t id, uint64_t after_ns)
{
	const struct thread *thread = thread_of(making->model, id);
	const struct process *process = process_of(making->model, thread->process);
	uint64_t start_ns = model_fact_u64(making->model, FACT_START_NS);
	uint64_t begin = latest(latest(start_ns ? start_ns : making->first_ns, after_ns),
				latest(thread->start_ns, process->exec_ns));

	return begin < making->threads[id].last_ns ? begin : making->threads[id].first_ns;
}

/* ---- rows ---- */

static void add_thread(struct wall_row *row, const struct wall_thread *thread, uint64_t wall_ns)
{
	row->threads++;
	row->wall_ns = plus_u64(row->wall_ns, wall_ns);
	for (int part = 0; part < WALL_PART_COUNT; part++) {
		row->ns[part] = plus(row->ns[part], as_signed(thread->ns[part]));
		row->count[part] += thread->count[part];
	}
}

static void close_row(struct wall_row *row)
{
	row->ns[WALL_UNOBSERVED] = as_signed(row->wall_ns);
	for (int part = 0; part < WALL_UNOBSERVED; part++)
		row->ns[WALL_UNOBSERVED] = plus(row->ns[WALL_UNOBSERVED], -row->ns[part]);
}

/*
 * Sorts by the time in which threads ran, were interrupted or waited for a CPU, longest first. The
 * threads with the longest such time matter most, because most other threads only sleep.
 */
static int compare_rows(const void *a, const void *b)
{
	const struct wall_row *left = a, *right = b;
	int64_t busy[2] = { 0 };

	for (int group = WALL_RUNNING; group <= WALL_WAITING; group++) {
		busy[0] = plus(busy[0], wall_group_ns(left, (enum wall_group)group));
		busy[1] = plus(busy[1], wall_group_ns(right, (enum wall_group)group));
	}
	if (busy[0] != busy[1])
		return busy[0] > busy[1] ? -1 : 1;
	if (left->wall_ns != right->wall_ns)
		return left->wall_ns > right->wall_ns ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

/* Lists the threads that have samples and passed the filter. All names of one task are adjacent. */
static size_t order_threads(const struct wall_making *making, struct order *order)
{
	size_t count = 0;

	for (uint32_t id = 1; id < making->model->threads.count; id++)
		if (making->threads[id].last_ns &&
		    (!making->match.threads || making->match.threads[id]))
			order[count++] = (struct order){ making, id };
	qsort(order, count, sizeof(*order), compare_tasks);
	return count;
}

static bool same_task(const struct wall_making *making, const struct order *a,
		      const struct order *b)
{
	const struct model *model = making->model;

	return run_of(making, a->id)->number == run_of(making, b->id)->number &&
	       tgid_of(model, a->id) == tgid_of(model, b->id) &&
	       thread_of(model, a->id)->tid == thread_of(model, b->id)->tid;
}

static struct wall_row *row_of(struct wall *wall, uint32_t *row_at, uint32_t id)
{
	if (!row_at[id]) {
		struct wall_row *row = vec_push(&wall->rows);

		if (!row)
			return NULL;
		row->id = id;
		row_at[id] = (uint32_t)wall->rows.count;
	}
	return &wall->rows.at[row_at[id] - 1];
}

static int fill_rows(const struct wall_making *making, const struct order *order, size_t count,
		     uint32_t *row_at, struct wall *wall)
{
	const struct model *model = making->model;
	uint64_t before_ns = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t id = order[i].id;
		const struct wall_thread *thread = &making->threads[id];
		bool is_last = i + 1 == count || !same_task(making, &order[i], &order[i + 1]);
		uint64_t fact_ns = run_of(making, order[i].id)->end_ns;
		uint64_t run_end_ns = fact_ns ? fact_ns : making->last_ns;
		uint64_t end_ns = is_last && !wall->min_ns ? latest(run_end_ns, thread->last_ns)
							   : thread->last_ns;
		uint64_t from_ns = begin_ns(making, id, before_ns);
		uint64_t wall_ns = end_ns > from_ns ? end_ns - from_ns : 0;
		struct wall_row *row = row_of(
			wall, row_at, wall->by == BY_THREAD ? id : thread_of(model, id)->process);

		if (!row)
			return -ENOMEM;
		add_thread(row, thread, wall_ns);
		add_thread(&wall->total, thread, wall_ns);
		before_ns = is_last ? 0 : end_ns;
	}
	return 0;
}

/* ---- what the recording lacks ---- */

static const char *what_is_missing(const struct wall_making *making, bool has_waits)
{
	if (!has_waits)
		return "Waits were not recorded, so it is not known what threads did while they "
		       "were not running. Record off-CPU waits too.";
	if (making->clock == NO_CLOCK)
		return "No clock was sampled, so it is not known when threads ran. Record "
		       "cpu-clock too.";
	return NULL;
}

static void know_recording(const struct wall_making *making, struct wall *wall)
{
	const struct model *model = making->model;
	bool has_waits = false;

	for (int i = 0; i < 256; i++)
		has_waits = has_waits || making->kinds[i] >= 0;
	if (has_waits)
		wall->min_ns = latest(model_fact_u64(model, FACT_OFF_CPU_MIN_NS), 1);
	if (making->clock != NO_CLOCK)
		wall->period_ns = model->events.at[making->clock].period;
	wall->missing = what_is_missing(making, has_waits);
}

int wall_end(struct wall_making *making, enum dimension by, struct wall *ret_wall)
{
	size_t most = latest(making->model->threads.count, making->model->processes.count) + 1;
	_cleanup_free_ struct order *order = calloc(most, sizeof(*order));
	_cleanup_free_ uint32_t *row_at = calloc(most, sizeof(*row_at));
	int rc;

	*ret_wall = (struct wall){ .by = by };
	know_recording(making, ret_wall);
	if (!order || !row_at)
		return -ENOMEM;
	rc = fill_rows(making, order, order_threads(making, order), row_at, ret_wall);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ret_wall->rows.count; i++)
		close_row(&ret_wall->rows.at[i]);
	close_row(&ret_wall->total);
	if (ret_wall->rows.count)
		qsort(ret_wall->rows.at, ret_wall->rows.count, sizeof(*ret_wall->rows.at),
		      compare_rows);
	return 0;
}
