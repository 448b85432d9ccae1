/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/stack_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/context.h"

int stack_counts_init(struct stack_counts *counts, const struct model *model, bool wants_idle)
{
	size_t count = model->stacks.count < STACK_ROOT_COUNT ? STACK_ROOT_COUNT
							      : model->stacks.count;

	*counts = (struct stack_counts){
		.at = calloc(count, sizeof(struct count)),
		.contexts = calloc(count, sizeof(uint8_t)),
		.count = count,
		.wants_idle = wants_idle,
	};
	return counts->at && counts->contexts ? 0 : -ENOMEM;
}

void stack_counts_fini(struct stack_counts *counts)
{
	free(counts->at);
	free(counts->contexts);
	counts->at = NULL;
	counts->contexts = NULL;
}

/*
 * Drops all counts and starts to count @event. Called for the first sample, and when a sample's
 * event has a lower number than the event that was counted so far.
 */
static void begin_again(struct stack_counts *counts, uint8_t event)
{
	if (counts->begun)
		memset(counts->at, 0, counts->count * sizeof(*counts->at));
	counts->total = (struct count){ 0 };
	counts->idle_samples = 0;
	counts->event = event;
	counts->begun = true;
}

void stack_counts_add(struct stack_counts *counts, const struct sample *sample,
		      const struct count *count)
{
	if (!counts->begun || sample->event < counts->event)
		begin_again(counts, sample->event);
	if (sample->event != counts->event)
		return;
	if (sample->context == CONTEXT_IDLE && !counts->wants_idle) {
		counts->idle_samples += count->samples;
		return;
	}
	counts->contexts[sample->stack] = sample->context;
	count_add(&counts->at[sample->stack], count);
	count_add(&counts->total, count);
}
