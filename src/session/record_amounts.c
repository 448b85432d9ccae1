/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/record_amounts.h"

#include <errno.h>

_Static_assert(SPAN_VALUE_MAX == SPAN_MEASURED_MAX, "values are added up in two places");

/* ---- opening ---- */

static int add_column(struct record_amounts *amounts, uint32_t sent, uint32_t event,
		      struct err *err)
{
	if (event == SPAN_NO_EVENT)
		return err_sys(err, -ENOMEM, "counters");
	amounts->sent[amounts->count] = (uint8_t)sent;
	amounts->events[amounts->count++] = event;
	return 0;
}

static uint32_t add_counter(const struct span_counters *counters, size_t i, struct model *model)
{
	struct event *event = vec_push(&model->events);

	if (!event)
		return SPAN_NO_EVENT;
	*event = (struct event){
		.name = model_intern(model, counters->names[i]),
		.type = counters->kinds[i].type,
		.config = counters->kinds[i].config,
		.is_time = counters->kinds[i].is_time,
		.is_counter = true,
	};
	return (uint32_t)(model->events.count - 1);
}

static int add_counters(struct record_amounts *amounts, const char *events, struct model *model,
			struct err *err)
{
	int rc = span_counters_open(&amounts->counters, events, err);

	for (size_t i = 0; i < amounts->counters.open.count && rc == 0; i++)
		rc = add_column(amounts, (uint32_t)i, add_counter(&amounts->counters, i, model),
				err);
	return rc;
}

int record_amounts_open(struct record_amounts *amounts,
			const struct record_amounts_options *options, struct model *model,
			struct err *err)
{
	const struct {
		uint32_t sent;
		enum span_amount amount;
		bool is_wanted;
	} others[] = {
		{ SPAN_SENT_VALUE, SPAN_AMOUNT_VALUE, options->value != NULL },
		{ SPAN_SENT_INTERRUPTS, SPAN_AMOUNT_INTERRUPTS, options->interrupts },
		{ SPAN_SENT_RUNNABLE, SPAN_AMOUNT_RUNNABLE, options->waits },
		{ SPAN_SENT_BLOCKED, SPAN_AMOUNT_BLOCKED, options->waits },
	};
	int rc = options->events ? add_counters(amounts, options->events, model, err) : 0;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && rc == 0; i++)
		if (others[i].is_wanted)
			rc = add_column(amounts, others[i].sent,
					span_amount_add(model, others[i].amount, options->value),
					err);
	return rc;
}

void record_amounts_close(struct record_amounts *amounts)
{
	span_counters_close(&amounts->counters);
}

/* ---- results ---- */

/* What is known of one column. */
static struct span_amount_sum sum_of(uint32_t sent, const struct span_times *times,
				     const uint64_t inside[SPAN_COUNTERS])
{
	uint32_t counter = sent == SPAN_SENT_INTERRUPTS ? SPAN_INTERRUPTS : sent;

	switch (sent) {
	case SPAN_SENT_VALUE:
		return (struct span_amount_sum){ .total = (uint64_t)times->values,
						 .missing = times->no_amount };
	case SPAN_SENT_RUNNABLE:
		return (struct span_amount_sum){ .total = (uint64_t)times->run_queue_ns };
	case SPAN_SENT_BLOCKED:
		return (struct span_amount_sum){ .total = (uint64_t)(times->off_ns -
								     times->run_queue_ns) };
	default:
		return (struct span_amount_sum){ .total = (uint64_t)times->counts[counter],
						 .missing = times->incomplete,
						 .inside = inside[counter] };
	}
}

int record_amounts_read(const struct record_amounts *amounts, const struct span_times *times,
			const uint64_t inside[SPAN_COUNTERS], struct span_total *total)
{
	for (size_t i = 0; i < amounts->count; i++) {
		struct span_amount_sum *sum = span_total_amount(total, amounts->events[i]);

		if (!sum)
			return -ENOMEM;
		*sum = sum_of(amounts->sent[i], times, inside);
		sum->counter = amounts->events[i];
	}
	return 0;
}
