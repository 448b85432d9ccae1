/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/record_room.h"

#include <malloc.h>

#include "process/memory_limit.h"

#define ROWS_SHARE 16
/* Larger arrays have pages of their own, which the kernel gets back when they are freed. */
#define OWN_PAGES_BYTES (128 << 10)

void record_room_init(struct record_room *room, uint64_t memory_bytes,
		      const struct session_watch *watch, struct model *model,
		      struct capture_memory *memory)
{
	uint64_t quarter_bytes = memory_limit_bytes("") / 4;

	if (!memory_bytes)
		memory_bytes = quarter_bytes < CAPTURE_MEMORY_FULL_BYTES
				       ? quarter_bytes
				       : CAPTURE_MEMORY_FULL_BYTES;
	*room = (struct record_room){
		.watch = watch,
		.stack_bytes_max = (size_t)memory_bytes / 8,
		.row_bytes_max = (size_t)memory_bytes / ROWS_SHARE,
		.generated_bytes_max = (size_t)memory_bytes / 8,
	};
	(void)mallopt(M_MMAP_THRESHOLD, OWN_PAGES_BYTES);
	model_limit_places(model, (size_t)memory_bytes / 8);
	capture_memory_divide(memory_bytes, memory);
	model_fact_set_u64(model, FACT_MEMORY_BUDGET_BYTES, memory_bytes);
}

static size_t row_bytes(const struct record_room *room, const struct model *model)
{
	return (model->processes.count - room->processes) * sizeof(*model->processes.at) +
	       (model->threads.count - room->threads) * sizeof(*model->threads.at) +
	       (model->mappings.count - room->mappings) * sizeof(*model->mappings.at);
}

/* At the last flush that was written, the stacks may have used nearly all of their share. */
bool record_room_is_used_up(const struct record_room *room, const struct model *model)
{
	return model_stack_bytes(model) + row_bytes(room, model) > 2 * room->stack_bytes_max;
}

void record_room_make(struct record_room *room, struct capture *capture, struct model *model)
{
	const struct session_watch *watch = room->watch;
	bool stacks = model_stack_bytes(model) > room->stack_bytes_max;

	if (watch && !stacks && row_bytes(room, model) <= room->row_bytes_max)
		return;
	if (watch && watch->on_release)
		watch->on_release(watch->context);
	if (stacks)
		capture_forget_stacks(capture);
	model_release_rows(model);
	room->processes = model->processes.count;
	room->threads = model->threads.count;
	room->mappings = model->mappings.count;
}
