/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/wait_chain.h"

#include <errno.h>

#include "analyze/lookup.h"
#include "analyze/match.h"
#include "analyze/wait_place.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "model/wait.h"

#define STEPS_MAX 10000000u	/* about a second */
#define ROWS_MAX (1u << 20)	/* then no further rows of wakers are added */

/* One wait: a thread was blocked from from_ns to to_ns. */
struct wait {
	uint64_t from_ns, to_ns;
	uint64_t end_ns;		/* timestamp of its samples */
	uint32_t thread, stack;
	uint32_t waker_thread, waker_stack;	/* thread 0: not recorded */
	uint8_t waker_context;		/* enum context */
	bool is_wanted;			/* passes the filter */
};

struct making {
	struct model *model;
	struct wait_chains *chains;
	struct wait_places places;
	struct match match;
	struct intern index;		/* of the rows, by parent and places */
	int kinds[256];			/* by event: enum wait_kind, or -1 */
	uint32_t waker_event;		/* MODEL_NO_EVENT: leave out the wakers */
	VEC(struct wait) waits;
	uint32_t steps;
};

bool wait_place_is_interrupt(const struct wait_place *place)
{
	return context_is_interrupt(place->context);
}

/* ---- reading: the samples of one wait are adjacent (intake/waits.c) ---- */

static int add_wait(struct making *making, const struct sample *sample)
{
	struct wait *wait;

	if (making->waits.count == WAIT_CHAIN_WAITS_MAX) {
		making->chains->cut = true;
		return 0;
	}
	wait = vec_push(&making->waits);
	if (!wait)
		return -ENOMEM;
	*wait = (struct wait){
		.from_ns = sample->time_ns > sample->weight ? sample->time_ns - sample->weight : 0,
		.to_ns = sample->time_ns,
		.end_ns = sample->time_ns,
		.thread = sample->thread,
		.stack = sample->stack,
		.is_wanted = match_sample(&making->match, sample) &&
			     match_calls(&making->match, sample),
	};
	return 0;
}

/* The time on a run queue comes after the sleep, which therefore was earlier than assumed. */
static void add_queue(struct wait *wait, const struct sample *sample)
{
	uint64_t ns = sample->weight < wait->from_ns ? sample->weight : wait->from_ns;

	wait->from_ns -= ns;
	wait->to_ns -= ns;
}

static void add_waker(struct making *making, struct wait *wait, const struct sample *waker)
{
	struct sample sample = *waker;

	sample_make_safe(making->model, &sample);
	wait->waker_thread = sample.thread;
	wait->waker_stack = sample.stack;
	wait->waker_context = sample.context;
	making->chains->has_wakers = true;
}

static struct wait *last_wait(struct making *making)
{
	return making->waits.count ? &making->waits.at[making->waits.count - 1] : NULL;
}

static int take_sleep(struct making *making, const struct sample_batch *batch, size_t index,
		      const struct sample *sample)
{
	const struct sample *waker = wait_waker(batch, index, making->waker_event);
	size_t before = making->waits.count;

	if (add_wait(making, sample) < 0)
		return -ENOMEM;
	if (waker && making->waits.count > before)
		add_waker(making, last_wait(making), waker);
	return 0;
}

static int take_sample(struct making *making, const struct sample_batch *batch, size_t index)
{
	struct sample sample = batch->samples.at[index];
	struct wait *last = last_wait(making);

	sample_make_safe(making->model, &sample);
	switch (making->kinds[sample.event]) {
	case WAIT_BLOCKED:
	case WAIT_BLOCKED_IO:
	case WAIT_BLOCKED_UNINTERRUPTIBLE:
	case WAIT_STOPPED:
		return take_sleep(making, batch, index, &sample);
	case WAIT_RUNNABLE:
		if (last && last->end_ns == sample.time_ns && last->thread == sample.thread)
			add_queue(last, &sample);
		return 0;
	default:
		return 0;
	}
}

static int visit(void *context, const struct sample_batch *batch)
{
	struct making *making = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		int rc = take_sample(making, batch, i);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- rows ---- */

struct search {
	const struct wait_row *rows, *wanted;
};

static bool same_row(uint32_t id, const void *arg)
{
	const struct search *search = arg;
	const struct wait_row *have = &search->rows[id], *wanted = search->wanted;

	return have->parent == wanted->parent && have->waiter == wanted->waiter &&
	       have->waker == wanted->waker;
}

static int row_of(struct making *making, const struct wait_row *wanted, uint32_t *ret_id)
{
	struct search search = { making->chains->rows.at, wanted };
	uint64_t hash = hash_pair(wanted->parent, (uint64_t)wanted->waiter << 32 | wanted->waker);
	struct wait_row *slot;

	*ret_id = intern_find(&making->index, hash, same_row, &search);
	if (*ret_id)
		return 0;
	slot = vec_push(&making->chains->rows);
	if (!slot)
		return -ENOMEM;
	*slot = *wanted;
	*ret_id = (uint32_t)making->chains->rows.count - 1;
	return intern_add(&making->index, hash, *ret_id);
}

static int places_of(struct making *making, const struct wait *wait, struct wait_row *row)
{
	const struct wait_stack waker = { wait->waker_thread, wait->waker_stack,
					  (enum context)wait->waker_context, true };
	int rc = wait_place_of(&making->places,
			       &(struct wait_stack){ wait->thread, wait->stack, CONTEXT_USER,
						     false },
			       &row->waiter);

	if (rc < 0 || !wait->waker_thread)
		return rc;
	return wait_place_of(&making->places, &waker, &row->waker);
}

/* Adds @ns of the wait to the row below @parent. */
static int count_wait(struct making *making, const struct wait *wait, uint32_t parent, uint64_t ns,
		      uint32_t *ret_row)
{
	struct wait_row wanted = { .parent = parent,
				   .depth = making->chains->rows.at[parent].depth + 1 };
	struct wait_row *row;

	if (places_of(making, wait, &wanted) < 0 || row_of(making, &wanted, ret_row) < 0)
		return -ENOMEM;
	row = &making->chains->rows.at[*ret_row];
	row->waits++;
	row->ns += ns;
	if (ns > row->longest_ns)
		row->longest_ns = ns;
	return 0;
}

/* ---- what the waker waited for ---- */

static int compare_waits(const void *a, const void *b)
{
	const struct wait *left = a, *right = b;

	if (left->thread != right->thread)
		return left->thread < right->thread ? -1 : 1;
	return (left->to_ns > right->to_ns) - (left->to_ns < right->to_ns);
}

/* Returns the first wait of the thread that ends after @from_ns. */
static size_t first_wait(const struct making *making, uint32_t thread, uint64_t from_ns)
{
	size_t low = 0, high = making->waits.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct wait *wait = &making->waits.at[middle];

		if (wait->thread < thread || (wait->thread == thread && wait->to_ns <= from_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_thread(const struct wait *wait)
{
	return wait->waker_thread && !context_is_interrupt((enum context)wait->waker_context);
}

static bool may_go_on(struct making *making, uint32_t depth)
{
	if (depth >= WAIT_CHAIN_DEPTH_MAX)
		return false;
	if (making->steps++ < STEPS_MAX && making->chains->rows.count < ROWS_MAX)
		return true;
	making->chains->cut = true;
	return false;
}

/*
 * Adds below @parent what the waker of @wait waited for between @from_ns and @to_ns. The recursion
 * is limited to WAIT_CHAIN_DEPTH_MAX.
 */
static int descend(struct making *making, const struct wait *wait, uint32_t parent,
		   uint64_t from_ns, uint64_t to_ns)
{
	uint32_t thread = wait->waker_thread;

	if (!is_thread(wait) || thread == wait->thread)
		return 0;
	for (size_t i = first_wait(making, thread, from_ns); i < making->waits.count; i++) {
		const struct wait *other = &making->waits.at[i];
		uint64_t begin_ns = other->from_ns > from_ns ? other->from_ns : from_ns;
		uint64_t end_ns = other->to_ns < to_ns ? other->to_ns : to_ns;
		uint32_t row;

		if (other->thread != thread || other->from_ns >= to_ns ||
		    !may_go_on(making, making->chains->rows.at[parent].depth))
			break;
		if (end_ns <= begin_ns)
			continue;
		if (count_wait(making, other, parent, end_ns - begin_ns, &row) < 0 ||
		    descend(making, other, row, begin_ns, end_ns) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- the whole ---- */

static int count_threads(struct making *making)
{
	_cleanup_free_ bool *seen = calloc(making->model->threads.count + 1, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; i < making->waits.count; i++) {
		const struct wait *wait = &making->waits.at[i];

		making->chains->threads += wait->is_wanted && !seen[wait->thread];
		seen[wait->thread] = seen[wait->thread] || wait->is_wanted;
	}
	return 0;
}

static int make_rows(struct making *making)
{
	struct wait_row *total = &making->chains->rows.at[0];

	if (making->waits.count)
		qsort(making->waits.at, making->waits.count, sizeof(*making->waits.at),
		      compare_waits);
	for (size_t i = 0; i < making->waits.count; i++) {
		const struct wait *wait = &making->waits.at[i];
		uint64_t ns = wait->to_ns - wait->from_ns;
		uint32_t row;

		if (!wait->is_wanted)
			continue;
		if (count_wait(making, wait, 0, ns, &row) < 0 ||
		    descend(making, wait, row, wait->from_ns, wait->to_ns) < 0)
			return -ENOMEM;
		total = &making->chains->rows.at[0];
		total->waits++;
		total->ns += ns;
		if (ns > total->longest_ns)
			total->longest_ns = ns;
	}
	return count_threads(making);
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct wait_row *rows = arg;
	const struct wait_row *left = &rows[*(const uint32_t *)a];
	const struct wait_row *right = &rows[*(const uint32_t *)b];

	if (left->parent != right->parent)
		return left->parent < right->parent ? -1 : 1;
	if (left->ns != right->ns)
		return left->ns > right->ns ? -1 : 1;
	return (left > right) - (left < right);
}

static int order_rows(struct wait_chains *chains)
{
	for (uint32_t id = 1; id < chains->rows.count; id++) {
		uint32_t *slot = vec_push(&chains->order);

		if (!slot)
			return -ENOMEM;
		*slot = id;
	}
	if (chains->order.count)
		qsort_r(chains->order.at, chains->order.count, sizeof(*chains->order.at),
			compare_rows, chains->rows.at);
	return 0;
}

static int begin(struct making *making, const struct filter *filter)
{
	const struct model *model = making->model;

	for (uint32_t i = 0; i < 256; i++)
		making->kinds[i] = i < model->events.count
					   ? wait_kind_of_name(
						     string_of(model, model->events.at[i].name))
					   : -1;
	if (!vec_push(&making->chains->places) || !vec_push(&making->chains->rows))
		return -ENOMEM;
	return match_init(&making->match, filter, model, model_fact_u64(model, FACT_START_NS));
}

static void making_fini(struct making *making)
{
	wait_places_fini(&making->places);
	match_fini(&making->match);
	intern_fini(&making->index);
	vec_free(&making->waits);
}

static int read_waits(struct recording *recording, struct model *model, const struct filter *filter,
		      uint32_t waker_event, struct wait_chains *ret_chains, struct err *err)
{
	_cleanup_(making_fini) struct making making = {
		.model = model,
		.chains = ret_chains,
		.waker_event = waker_event,
		.places = { .model = model, .chains = ret_chains },
	};
	int rc;

	*ret_chains = (struct wait_chains){ .model = model };
	if (!model_fact(model, FACT_OFF_CPU_MIN_NS))
		return err_set(err, -ENODATA, "no waits were recorded");
	rc = begin(&making, filter);
	if (rc == 0)
		rc = match_read_spans(&making.match, filter, recording, model, err);
	if (rc == 0)
		rc = recording_each_block(recording, model, NULL, visit, &making, err);
	if (rc == 0)
		rc = make_rows(&making);
	if (rc == 0)
		rc = order_rows(ret_chains);
	return rc == -ENOMEM ? err_set(err, rc, "no memory for the waits of the recording") : rc;
}

int wait_places_read(struct recording *recording, struct model *model, const struct filter *filter,
		     struct wait_chains *ret_chains, struct err *err)
{
	return read_waits(recording, model, filter, MODEL_NO_EVENT, ret_chains, err);
}

int wait_chains_read(struct recording *recording, struct model *model, const struct filter *filter,
		     struct wait_chains *ret_chains, struct err *err)
{
	return read_waits(recording, model, filter, wait_event_of(model, WAIT_WAKER), ret_chains,
			  err);
}

void wait_chains_fini(struct wait_chains *chains)
{
	vec_free(&chains->places);
	vec_free(&chains->rows);
	vec_free(&chains->order);
}

const uint32_t *wait_chains_children(const struct wait_chains *chains, uint32_t parent,
				     size_t *ret_count)
{
	size_t low = 0, high = chains->order.count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (chains->rows.at[chains->order.at[middle]].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	end = low;
	while (end < chains->order.count && chains->rows.at[chains->order.at[end]].parent == parent)
		end++;
	*ret_count = end - low;
	return chains->order.at + low;
}
