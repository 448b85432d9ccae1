/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/annotate.h"

#include "analyze/lookup.h"
#include "analyze/rows_choose.h"
#include "base/cleanup.h"
#include "disasm/leaders.h"

/* ---- rows ---- */

static void count_in_function(struct annotation *annotation, const struct hit *hit)
{
	const struct profile *profile = annotation->input.profile;
	uint64_t vaddr = location_of(profile->model, hit->location)->vaddr;
	size_t at = instruction_find(&annotation->instructions, vaddr);
	struct annotate_row *row;

	count_add(&annotation->total, &hit->count);
	annotation->late_samples += hit->late ? hit->count.samples : 0;
	if (at == INSTRUCTION_NONE) {
		count_add(&annotation->outside, &hit->count);
		return;
	}
	row = &annotation->rows.at[at];
	count_add(&row->count, &hit->count);
	row->late_samples += hit->late ? hit->count.samples : 0;
	if (vaddr != annotation->instructions.list.at[at].vaddr)
		row->inside_samples += hit->count.samples;
}

static int make_rows(struct annotation *annotation)
{
	const struct annotate_input *input = &annotation->input;
	size_t count = annotation->instructions.list.count;

	if (vec_reserve(&annotation->rows, count) < 0)
		return -ENOMEM;
	if (count)
		memset(annotation->rows.at, 0, count * sizeof(*annotation->rows.at));
	annotation->rows.count = count;
	for (size_t i = 0; i < input->profile->hits.count; i++) {
		const struct hit *hit = &input->profile->hits.at[i];
		if (!group_is_selected(input->selection, input->profile, hit))
			continue;
		count_add(&annotation->all, &hit->count);
		if (hit->function == input->function)
			count_in_function(annotation, hit);
	}
	return 0;
}

/* ---- blocks ---- */

static int make_blocks(struct annotation *annotation)
{
	size_t count = annotation->rows.count;
	_cleanup_free_ bool *leaders = instruction_leaders(&annotation->instructions);
	struct annotate_block *block = NULL;

	if (!leaders)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct annotate_row *row = &annotation->rows.at[i];

		if (leaders[i]) {
			block = vec_push(&annotation->blocks);
			if (!block)
				return -ENOMEM;
			block->first = (uint32_t)i;
		}
		row->block = (uint32_t)(annotation->blocks.count - 1);
		block->row_count++;
		count_add(&block->count, &row->count);
		block->late_samples += row->late_samples;
	}
	return 0;
}

/* ---- arrows ---- */

static uint32_t span_of(const struct annotate_arrow *arrow)
{
	return arrow->from < arrow->to ? arrow->to - arrow->from : arrow->from - arrow->to;
}

static int by_span(const void *a, const void *b)
{
	const struct annotate_arrow *left = a, *right = b;
	uint32_t left_span = span_of(left), right_span = span_of(right);

	if (left_span != right_span)
		return left_span < right_span ? -1 : 1;
	return (left->from > right->from) - (left->from < right->from);
}

static int by_source(const void *a, const void *b)
{
	const struct annotate_arrow *left = a, *right = b;

	return (left->from > right->from) - (left->from < right->from);
}

/*
 * Returns the lowest lane that is free in all rows that @arrow spans, and marks it as taken in
 * these rows. Returns ANNOTATE_LANES if no lane is free or if the arrow is too long. @taken has one
 * element for each row, with one bit for each lane.
 */
static uint8_t take_lane(const struct annotate_arrow *arrow, uint8_t *taken)
{
	size_t first = arrow->from < arrow->to ? arrow->from : arrow->to;
	size_t last = first + span_of(arrow);
	unsigned int used = 0, lane = 0;

	if (last - first > ANNOTATE_SPAN_MAX)
		return ANNOTATE_LANES;
	for (size_t i = first; i <= last; i++)
		used |= taken[i];
	while (lane < ANNOTATE_LANES && used >> lane & 1)
		lane++;
	if (lane < ANNOTATE_LANES)
		for (size_t i = first; i <= last; i++)
			taken[i] |= (uint8_t)(1u << lane);
	return (uint8_t)lane;
}

static int collect_arrows(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->rows.count; i++) {
		size_t to = instruction_target(&annotation->instructions, i);
		struct annotate_arrow *arrow;

		if (to == INSTRUCTION_NONE)
			continue;
		arrow = vec_push(&annotation->arrows);
		if (!arrow)
			return -ENOMEM;
		*arrow = (struct annotate_arrow){ (uint32_t)i, (uint32_t)to, 0 };
	}
	return 0;
}

static int make_arrows(struct annotation *annotation)
{
	_cleanup_free_ uint8_t *taken = calloc(annotation->rows.count + 1, sizeof(*taken));
	struct annotate_arrow *arrows;
	size_t count;

	_Static_assert(ANNOTATE_LANES <= 8, "a bit for each");
	if (!taken || collect_arrows(annotation) < 0)
		return -ENOMEM;
	arrows = annotation->arrows.at;
	count = annotation->arrows.count;
	if (count) {
		qsort(arrows, count, sizeof(*arrows), by_span);
		for (size_t i = 0; i < count; i++)
			arrows[i].lane = take_lane(&arrows[i], taken);
		qsort(arrows, count, sizeof(*arrows), by_source);
	}
	return 0;
}

int annotate(const struct annotate_input *input, struct annotation *ret_annotation, struct err *err)
{
	const struct code *code = input->code;
	int rc;

	*ret_annotation = (struct annotation){ .input = *input };
	rc = disasm_walk(input->disasm, code->bytes, code->size_bytes, code->vaddr,
			 &ret_annotation->instructions, err);
	if (rc < 0)
		return rc;
	if (make_rows(ret_annotation) < 0 || make_blocks(ret_annotation) < 0 ||
	    make_arrows(ret_annotation) < 0)
		return err_set(err, -ENOMEM, "no memory to annotate a function");
	return 0;
}

void annotation_fini(struct annotation *annotation)
{
	vec_free(&annotation->instructions.list);
	vec_free(&annotation->rows);
	vec_free(&annotation->blocks);
	vec_free(&annotation->arrows);
}

void annotation_take_lines(struct annotation *annotation)
{
	const struct model *model = annotation->input.profile->model;
	uint32_t image = annotation->input.code->image;

	for (size_t i = 0; i < annotation->rows.count; i++) {
		uint64_t vaddr = annotation->instructions.list.at[i].vaddr;
		uint32_t location = model_location_find(model, image, vaddr);
		uint32_t line = location_of(model, location)->line;

		annotation->rows.at[i].line = line < model->lines.count ? line : 0;
	}
}

const struct event *annotation_event(const struct annotation *annotation)
{
	static const struct event none;
	const struct model *model = annotation->input.profile->model;
	uint32_t event = annotation->input.selection->event;

	return event < model->events.count ? &model->events.at[event] : &none;
}

int annotation_text(const struct annotation *annotation, size_t row,
		    char text[static DISASM_TEXT_MAX], struct err *err)
{
	const struct instruction *instruction = &annotation->instructions.list.at[row];
	const struct code *code = annotation->input.code;

	return disasm_text(annotation->input.disasm, instruction,
			   code->bytes + (instruction->vaddr - code->vaddr), text, err);
}

/* Ranks rows by their hits; rows that the user asked for come first. */
static uint64_t rank_of(const struct annotate_row *row, bool by_weight)
{
	uint64_t rank = count_rank(&row->count, by_weight);

	if (rank >= ROW_ASKED)
		rank = ROW_ASKED - 1;
	return row->asked ? rank | ROW_ASKED : rank;
}

struct count annotation_asked(const struct annotation *annotation)
{
	struct count asked = { 0 };

	for (size_t i = 0; i < annotation->rows.count; i++)
		if (annotation->rows.at[i].asked)
			count_add(&asked, &annotation->rows.at[i].count);
	return asked;
}

int annotation_choose(const struct annotation *annotation, size_t limit, bool **ret_shown)
{
	bool by_weight = count_goes_by_weight(annotation_event(annotation));
	size_t count = annotation->rows.count;
	_cleanup_free_ uint64_t *ranks = calloc(count + 1, sizeof(*ranks));

	if (!ranks)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		ranks[i] = rank_of(&annotation->rows.at[i], by_weight);
	return rows_choose(ranks, count, limit, ret_shown);
}

int annotation_choose_blocks(const struct annotation *annotation, size_t limit, bool **ret_shown)
{
	bool by_weight = count_goes_by_weight(annotation_event(annotation));
	size_t count = annotation->blocks.count;
	_cleanup_free_ uint64_t *ranks = calloc(count + 1, sizeof(*ranks));

	if (!ranks)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		ranks[i] = count_rank(&annotation->blocks.at[i].count, by_weight) & ~ROW_ASKED;
	for (size_t i = 0; i < annotation->rows.count; i++)
		if (annotation->rows.at[i].asked)
			ranks[annotation->rows.at[i].block] |= ROW_ASKED;
	return rows_choose(ranks, count, limit, ret_shown);
}
