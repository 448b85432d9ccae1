/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampled addresses assigned to blocks of known code, and rows grouped by block. */
#include "tests/support/test.h"

#include <errno.h>

#include "analyze/blocks.h"
#include "analyze/group.h"

#define FUNCTION_VADDR 0x1000
#define OTHER_VADDR 0x2000
#define LONG_NAME 9000

struct fixture {
	struct model model;
	struct profile profile;
	struct code_blocks blocks;
	uint32_t known, other, nowhere;	/* functions */
	unsigned int asked;
	int rc;
};

static void add_function(struct fixture *f, const char *name, uint64_t vaddr, uint32_t *ret_id)
{
	struct function function = { .image = 1, .vaddr = vaddr, .size_bytes = 0x100 };

	function.name = model_intern(&f->model, name);
	*ret_id = model_function_id(&f->model, &function);
	assert_int_not_equal(*ret_id, 0);
}

static void begin(struct fixture *f)
{
	struct image image = { .kind = IMAGE_FILE };

	*f = (struct fixture){ .profile.model = &f->model };
	assert_int_equal(model_init(&f->model), 0);
	assert_non_null(vec_push(&f->model.events));
	f->model.events.at[0].period = 1;
	image.path = model_intern(&f->model, "/bin/program");
	assert_int_equal(model_image_id(&f->model, &image), 1);
	add_function(f, "known", FUNCTION_VADDR, &f->known);
	add_function(f, "other", OTHER_VADDR, &f->other);
	add_function(f, "nowhere", 0x3000, &f->nowhere);
}

static void end(struct fixture *f)
{
	code_blocks_fini(&f->blocks);
	vec_free(&f->profile.hits);
	model_fini(&f->model);
}

static uint32_t hit(struct fixture *f, uint32_t function, uint64_t vaddr, uint64_t samples)
{
	struct hit *row = vec_push(&f->profile.hits);

	assert_non_null(row);
	*row = (struct hit){ .image = 1, .function = function, .count.samples = samples };
	row->location = model_location_id(&f->model, 1, vaddr);
	f->model.locations.at[row->location].function = function;
	return row->location;
}

static void add_instruction(struct instructions *to, uint8_t length, enum flow flow,
			    uint64_t target)
{
	size_t count = to->list.count;
	struct instruction *row = vec_push(&to->list);

	assert_non_null(row);
	*row = (struct instruction){ .length = length, .flow = (uint8_t)flow, .target = target };
	row->vaddr = count ? to->list.at[count - 1].vaddr + to->list.at[count - 1].length : 0;
}

/* 1000 next, 1004 branch to 1000, 1006 call, 100b next, 100d jump to 100b, 100f return. */
static int read_code(void *context, uint32_t function, struct instructions *instructions,
		     struct err *err)
{
	struct fixture *f = context;

	f->asked++;
	if (f->rc < 0 || function == f->nowhere)
		return err_set(err, f->rc < 0 ? f->rc : -ENOENT, "no code of %u", function);
	vec_clear(&instructions->list);
	add_instruction(instructions, 4, FLOW_NEXT, 0);
	instructions->list.at[0].vaddr = function == f->known ? FUNCTION_VADDR : OTHER_VADDR;
	if (function == f->other)
		return 0;
	add_instruction(instructions, 2, FLOW_BRANCH, FUNCTION_VADDR);
	add_instruction(instructions, 5, FLOW_CALL, OTHER_VADDR);
	add_instruction(instructions, 2, FLOW_NEXT, 0);
	add_instruction(instructions, 2, FLOW_JUMP, FUNCTION_VADDR + 0xb);
	add_instruction(instructions, 1, FLOW_RETURN, 0);
	return 0;
}

static int make(struct fixture *f)
{
	const struct block_source source = { .read = read_code, .context = f };

	return code_blocks_make(&f->profile, &source, &f->blocks);
}

static void assert_block(const struct fixture *f, uint32_t location, uint64_t begins, uint64_t ends)
{
	const struct code_block *block = code_block_at(&f->blocks, location);

	assert_non_null(block);
	assert_int_equal(block->begin, begins);
	assert_int_equal(block->end, ends);
}

static void addresses_lie_in_their_blocks(void **state)
{
	uint32_t entry, branch, call, inner, inside, last, other, behind, none;
	struct fixture f;

	begin(&f);
	last = hit(&f, f.known, 0x100f, 1);
	inner = hit(&f, f.known, 0x100d, 1);
	behind = hit(&f, f.known, 0x1010, 1);
	entry = hit(&f, f.known, 0x1000, 1);
	call = hit(&f, f.known, 0x1006, 1);
	inside = hit(&f, f.known, 0x1008, 1);
	branch = hit(&f, f.known, 0x1004, 1);
	other = hit(&f, f.other, 0x2000, 1);
	none = hit(&f, 0, 0x1000 + 0x500, 1);
	assert_int_equal(make(&f), 0);
	assert_int_equal(f.asked, 2);
	assert_block(&f, entry, 0x1000, 0x1006);
	assert_block(&f, branch, 0x1000, 0x1006);
	assert_block(&f, call, 0x1006, 0x100b);
	assert_block(&f, inside, 0x1006, 0x100b);
	assert_block(&f, inner, 0x100b, 0x100f);
	assert_block(&f, last, 0x100f, 0x1010);
	assert_block(&f, other, 0x2000, 0x2004);
	assert_null(code_block_at(&f.blocks, behind));
	assert_null(code_block_at(&f.blocks, none));
	assert_null(code_block_at(&f.blocks, UINT32_MAX));
	assert_int_equal(f.blocks.list.count, 1 + 5);
	assert_int_equal(f.blocks.unread, 0);
	end(&f);
}

static void rows_have_all_samples(void **state)
{
	static const struct {
		const char *label;
		uint64_t samples;
	} wanted[] = {
		{ "known+0x0..0x6", 30 }, { "nowhere (no code)", 20 },	{ "known+0xb..0xf", 6 },
		{ "known (no code)", 4 }, { "[program] (no code)", 2 },
	};
	const enum dimension by[] = { BY_BLOCK };
	struct group_table table;
	struct fixture f;
	char label[64];

	begin(&f);
	(void)hit(&f, f.known, 0x1000, 10);
	(void)hit(&f, f.known, 0x1004, 20);
	(void)hit(&f, f.known, 0x100b, 6);
	(void)hit(&f, f.known, 0x1080, 4);
	(void)hit(&f, f.nowhere, 0x3000, 13);
	(void)hit(&f, f.nowhere, 0x3050, 7);
	(void)hit(&f, 0, 0x5000, 2);
	assert_int_equal(make(&f), 0);
	assert_int_equal(f.blocks.unread, 1);
	assert_int_equal(f.blocks.why.code, -ENOENT);
	f.profile.blocks = &f.blocks;
	assert_int_equal(group_hits(&f.profile, by, 1, NULL, NULL, &table), 0);
	group_sort_by_rank(&table);
	assert_int_equal(table.rows.count, sizeof(wanted) / sizeof(wanted[0]));
	assert_int_equal(table.total.samples, 62);
	for (size_t i = 0; i < table.rows.count; i++) {
		group_label(&f.profile, BY_BLOCK, table.rows.at[i].key[0], label, sizeof(label));
		assert_string_equal(label, wanted[i].label);
		assert_int_equal(table.rows.at[i].count.samples, wanted[i].samples);
		assert_int_equal(group_block_image(&f.profile, table.rows.at[i].key[0]), 1);
	}
	group_table_fini(&table);
	end(&f);
}

/* Blocks are told apart by their offsets, so a long name must not cut them off. */
static void long_names_keep_their_offsets(void **state)
{
	static char name[LONG_NAME], label[100];
	uint32_t location;
	struct hit *row;
	struct fixture f;

	begin(&f);
	memset(name, 'n', sizeof(name) - 1);
	f.model.functions.at[f.known].name = model_intern(&f.model, name);
	location = hit(&f, f.known, 0x1006, 1);
	assert_int_equal(make(&f), 0);
	f.profile.blocks = &f.blocks;
	row = &f.profile.hits.at[0];
	assert_int_equal(row->location, location);
	group_label(&f.profile, BY_BLOCK, dimension_key(&f.profile, BY_BLOCK, row), label,
		    sizeof(label));
	assert_int_equal(strlen(label), sizeof(label) - 1);
	assert_string_equal(label + strlen(label) - 10, "n+0x6..0xb");
	end(&f);
}

static void only_memory_ends_it(void **state)
{
	struct fixture f;

	begin(&f);
	(void)hit(&f, f.known, 0x1000, 1);
	f.rc = -ENOMEM;
	assert_int_equal(make(&f), -ENOMEM);
	code_blocks_fini(&f.blocks);
	f.rc = -EIO;
	assert_int_equal(make(&f), 0);
	assert_int_equal(f.blocks.unread, 1);
	end(&f);
}

/* Without blocks, everything is grouped by function. */
static void nothing_was_made(void **state)
{
	struct fixture f;
	char label[64];

	begin(&f);
	assert_int_equal(make(&f), 0);
	assert_int_equal(f.blocks.list.count, 1);
	(void)hit(&f, f.known, 0x1000, 1);
	group_label(&f.profile, BY_BLOCK,
		    dimension_key(&f.profile, BY_BLOCK, &f.profile.hits.at[0]), label,
		    sizeof(label));
	assert_string_equal(label, "known (no code)");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_lie_in_their_blocks),
		cmocka_unit_test(rows_have_all_samples),
		cmocka_unit_test(long_names_keep_their_offsets),
		cmocka_unit_test(only_memory_ends_it),
		cmocka_unit_test(nothing_was_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
