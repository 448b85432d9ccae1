/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hits of one function, assigned to the instructions of known code. */
#include "tests/support/test.h"

#include <elf.h>

#include "analyze/annotate.h"

static const uint8_t bytes[] = {
	0x48, 0x01, 0xd8,			/* row 0, 1000 add */
	0x75, 0xfb,				/* row 1, 1003 jne 1000 */
	0xe8, 0x06, 0x00, 0x00, 0x00,		/* row 2, 1005 call 1010 */
	0x06,					/* row 3, 100a not an instruction */
	0x8b, 0x05, 0x0f, 0x00, 0x00, 0x00,	/* row 4, 100b mov */
	0xeb, 0xed,				/* row 5, 1011 jmp 1000 */
	0x0f, 0x0b,				/* row 6, 1013 ud2 */
	0xeb, 0xeb,				/* row 7, 1015 jmp 1002, inside row 0 */
	0xc3,					/* row 8, 1017 ret */
};

static const struct group_selection first_event = { .contexts = GROUP_CONTEXTS_BUSY };

struct fixture {
	struct model model;
	struct profile profile;
	struct code code;
	struct disasm *disasm;
	struct annotation annotation;
	uint32_t function;
};

static void need(bool good)
{
	if (!good)
		abort();
}

static void add_hit(struct fixture *f, uint64_t vaddr, const struct hit *hit)
{
	struct hit *row = vec_push(&f->profile.hits);

	need(row != NULL);
	*row = *hit;
	row->count.weight = row->count.samples;
	row->location = model_location_id(&f->model, 1, vaddr);
}

static void set_up(struct fixture *f, const uint8_t *code, size_t size_bytes)
{
	const struct image image = { .path = 0, .kind = IMAGE_FILE };
	struct function function = { .image = 1, .vaddr = 0x1000, .size_bytes = size_bytes };

	*f = (struct fixture){ .code = { .machine = EM_X86_64,
					 .vaddr = 0x1000,
					 .bytes = malloc(size_bytes),
					 .size_bytes = size_bytes } };
	need(f->code.bytes != NULL && model_init(&f->model) == 0);
	memcpy(f->code.bytes, code, size_bytes);
	need(vec_push(&f->model.events) != NULL && vec_push(&f->model.events) != NULL);
	need(model_image_id(&f->model, &image) == 1);
	function.name = model_intern(&f->model, "known");
	f->function = model_function_id(&f->model, &function);
	f->profile.model = &f->model;
	need(disasm_new(EM_X86_64, NULL, NULL, &f->disasm, NULL) == 0);
}

static void run(struct fixture *f)
{
	const struct annotate_input input = {
		.profile = &f->profile,
		.selection = &first_event,
		.function = f->function,
		.code = &f->code,
		.disasm = f->disasm,
	};

	assert_int_equal(annotate(&input, &f->annotation, NULL), 0);
}

static void tear_down(struct fixture *f)
{
	annotation_fini(&f->annotation);
	disasm_free(f->disasm);
	code_fini(&f->code);
	vec_free(&f->profile.hits);
	model_fini(&f->model);
}

static void hits_lie_on_their_instructions(void **state)
{
	struct fixture f;

	set_up(&f, bytes, sizeof(bytes));
	add_hit(&f, 0x1000, &(struct hit){ .function = f.function, .count.samples = 10 });
	add_hit(&f, 0x1002, &(struct hit){ .function = f.function, .count.samples = 2 });
	add_hit(&f, 0x100b,
		&(struct hit){ .function = f.function, .count.samples = 5, .late = true });
	add_hit(&f, 0x1017, &(struct hit){ .function = f.function, .count.samples = 3 });
	add_hit(&f, 0x1018, &(struct hit){ .function = f.function, .count.samples = 1 });
	add_hit(&f, 0xfff, &(struct hit){ .function = f.function, .count.samples = 1 });
	add_hit(&f, 0x1000, &(struct hit){ .function = 0, .count.samples = 7 });
	add_hit(&f, 0x1000,
		&(struct hit){ .function = f.function, .event = 1, .count.samples = 90 });
	add_hit(&f, 0x1000,
		&(struct hit){
			.function = f.function, .context = CONTEXT_IDLE, .count.samples = 80 });
	run(&f);
	assert_int_equal(f.annotation.rows.count, 9);
	assert_int_equal(f.annotation.rows.at[0].count.samples, 12);
	assert_int_equal(f.annotation.rows.at[0].inside_samples, 2);
	assert_int_equal(f.annotation.rows.at[4].count.samples, 5);
	assert_int_equal(f.annotation.rows.at[4].late_samples, 5);
	assert_int_equal(f.annotation.rows.at[8].count.samples, 3);
	assert_int_equal(f.annotation.outside.samples, 2);
	assert_int_equal(f.annotation.total.samples, 22);
	assert_int_equal(f.annotation.all.samples, 29);
	assert_int_equal(f.annotation.late_samples, 5);
	tear_down(&f);
}

static void blocks_begin_where_control_may_come(void **state)
{
	static const uint32_t first[] = { 0, 2, 6, 7, 8 };
	struct fixture f;

	set_up(&f, bytes, sizeof(bytes));
	add_hit(&f, 0x1005, &(struct hit){ .function = f.function, .count.samples = 4 });
	add_hit(&f, 0x100b,
		&(struct hit){ .function = f.function, .count.samples = 5, .late = true });
	run(&f);
	assert_int_equal(f.annotation.blocks.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(f.annotation.blocks.at[i].first, first[i]);
	assert_int_equal(f.annotation.blocks.at[1].row_count, 4);
	assert_int_equal(f.annotation.blocks.at[1].count.samples, 9);
	assert_int_equal(f.annotation.blocks.at[1].late_samples, 5);
	assert_int_equal(f.annotation.rows.at[5].block, 1);
	tear_down(&f);
}

/* The jump into the middle of an instruction has no arrow. */
static void arrows_keep_out_of_each_others_way(void **state)
{
	const struct annotate_arrow *arrow;
	struct fixture f;

	set_up(&f, bytes, sizeof(bytes));
	run(&f);
	assert_int_equal(f.annotation.arrows.count, 2);
	arrow = f.annotation.arrows.at;
	assert_int_equal(arrow[0].from, 1);
	assert_int_equal(arrow[0].to, 0);
	assert_int_equal(arrow[0].lane, 0);
	assert_int_equal(arrow[1].from, 5);
	assert_int_equal(arrow[1].to, 0);
	assert_int_equal(arrow[1].lane, 1);
	tear_down(&f);
}

/* Jumps that all cross each other, and one that is too long. The code is "jmp +0" and nops. */
static void lanes_run_out(void **state)
{
	enum { JUMPS = ANNOTATE_LANES + 2, SIZE = 5 * JUMPS + ANNOTATE_SPAN_MAX + 5 };
	uint8_t code[SIZE];
	struct fixture f;
	unsigned int without = 0;

	memset(code, 0x90, sizeof(code));
	for (uint8_t i = 0; i < JUMPS; i++) {
		code[2 * i] = 0xeb;
		code[2 * i + 1] = (uint8_t)(2 * JUMPS - 2);
	}
	memcpy(code + 4 * JUMPS + 5, "\xe9", 1);
	code[4 * JUMPS + 6] = ANNOTATE_SPAN_MAX + 3 - 5;
	memset(code + 4 * JUMPS + 7, 0, 3);
	set_up(&f, code, sizeof(code));
	run(&f);
	for (size_t i = 0; i < f.annotation.arrows.count; i++)
		without += f.annotation.arrows.at[i].lane == ANNOTATE_LANES;
	assert_int_equal(f.annotation.arrows.count, JUMPS + 1);
	assert_int_equal(without, 2);
	tear_down(&f);
}

static void the_hottest_are_shown_first(void **state)
{
	static const bool want[9] = { false, true, true, true, true };
	struct fixture f;
	bool *shown;

	set_up(&f, bytes, sizeof(bytes));
	add_hit(&f, 0x100a, &(struct hit){ .function = f.function, .count.samples = 9 });
	add_hit(&f, 0x1017, &(struct hit){ .function = f.function, .count.samples = 8 });
	run(&f);
	assert_int_equal(annotation_choose(&f.annotation, 4, &shown), 0);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(shown[i], want[i]);
	free(shown);
	f.annotation.rows.at[0].asked = true;
	assert_int_equal(annotation_choose(&f.annotation, 1, &shown), 0);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(shown[i], i == 0);
	free(shown);
	assert_int_equal(annotation_choose(&f.annotation, 0, &shown), 0);
	for (size_t i = 0; i < 9; i++)
		assert_true(shown[i]);
	free(shown);
	tear_down(&f);
}

/* Holds however cold the surrounding code is, and however long the line's earlier code is. */
static void the_hot_of_the_line_come_first(void **state)
{
	static const bool want[9] = { true, true, false, false, false, false, false, false, true };
	struct fixture f;
	bool *shown;

	set_up(&f, bytes, sizeof(bytes));
	add_hit(&f, 0x100b, &(struct hit){ .function = f.function, .count.samples = 50 });
	add_hit(&f, 0x1003, &(struct hit){ .function = f.function, .count.samples = 5 });
	add_hit(&f, 0x1017, &(struct hit){ .function = f.function, .count.samples = 4 });
	run(&f);
	f.annotation.rows.at[0].asked = true;
	f.annotation.rows.at[1].asked = true;
	f.annotation.rows.at[2].asked = true;
	f.annotation.rows.at[8].asked = true;
	assert_int_equal(annotation_asked(&f.annotation).samples, 9);
	assert_int_equal(annotation_choose(&f.annotation, 3, &shown), 0);
	assert_memory_equal(shown, want, sizeof(want));
	free(shown);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_lie_on_their_instructions),
		cmocka_unit_test(blocks_begin_where_control_may_come),
		cmocka_unit_test(arrows_keep_out_of_each_others_way),
		cmocka_unit_test(lanes_run_out),
		cmocka_unit_test(the_hottest_are_shown_first),
		cmocka_unit_test(the_hot_of_the_line_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
