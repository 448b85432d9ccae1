/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An annotated function with names that would move a terminal's cursor, in the three formats. */
#include "tests/support/test.h"

#include <elf.h>

#include "present/annotate.h"

#define HOSTILE "a\x1b[2J\"b"

static const uint8_t bytes[] = {
	0x48, 0x01, 0xd8,		/* 1000 add */
	0x75, 0xfb,			/* 1003 jne 1000 */
	0xe8, 0xf6, 0xef, 0xff, 0xff,	/* 1005 call 0 */
	0xc3,				/* 100a ret */
};

struct fixture {
	struct model model;
	struct profile profile;
	struct code code;
	struct annotation annotation;
};

static bool name(void *context, uint64_t vaddr, char *text, size_t size_bytes)
{
	(void)snprintf(text, size_bytes, "%s", HOSTILE);
	return vaddr == 0;
}

static bool line(void *context, uint64_t vaddr, const char **ret_file, uint32_t *ret_line)
{
	*ret_file = HOSTILE ".c";
	*ret_line = (uint32_t)(vaddr & 0xff) + 1;
	return vaddr != 0x100a;
}

static void add_hit(struct fixture *f, uint64_t vaddr, uint64_t samples, bool late)
{
	struct hit *hit = vec_push(&f->profile.hits);

	assert_non_null(hit);
	*hit = (struct hit){ .function = 1,
			     .samples = samples,
			     .weight = samples,
			     .late = late,
			     .location = model_location_id(&f->model, 1, vaddr) };
}

static void set_up(struct fixture *f)
{
	static const struct group_selection selection = { .contexts = GROUP_CONTEXTS_BUSY };
	struct image image = { .kind = IMAGE_FILE };
	struct function function = { .image = 1, .vaddr = 0x1000, .size_bytes = sizeof(bytes) };
	struct annotate_input input = { .selection = &selection, .function = 1, .line = line };
	struct event *event;

	*f = (struct fixture){ .code = { .machine = EM_X86_64,
					 .vaddr = 0x1000,
					 .bytes = malloc(sizeof(bytes)),
					 .size_bytes = sizeof(bytes) } };
	assert_non_null(f->code.bytes);
	memcpy(f->code.bytes, bytes, sizeof(bytes));
	assert_int_equal(model_init(&f->model), 0);
	event = vec_push(&f->model.events);
	assert_non_null(event);
	event->name = model_intern(&f->model, "cpu-clock");
	image.path = model_intern(&f->model, "/bin/" HOSTILE);
	function.name = model_intern(&f->model, HOSTILE);
	assert_int_equal(model_image_id(&f->model, &image), 1);
	assert_int_equal(model_function_id(&f->model, &function), 1);
	f->profile.model = &f->model;
	add_hit(f, 0x1000, 60, false);
	add_hit(f, 0x1001, 20, false);
	add_hit(f, 0x1003, 15, true);
	add_hit(f, 0x100a, 5, false);
	input.profile = &f->profile;
	input.code = &f->code;
	input.code_from = "that file";
	assert_int_equal(disasm_new(EM_X86_64, name, NULL, &input.disasm, NULL), 0);
	assert_int_equal(annotate(&input, &f->annotation, NULL), 0);
}

static void tear_down(struct fixture *f)
{
	disasm_free(f->annotation.input.disasm);
	annotation_fini(&f->annotation);
	code_fini(&f->code);
	vec_free(&f->profile.hits);
	model_fini(&f->model);
}

typedef int (*print_fn)(const struct annotation *, size_t, const struct annotate_style *, FILE *);

/* What is printed; no control byte but line ends is in it. */
static char *printed(print_fn print, const struct annotate_style *style)
{
	struct fixture f;
	char *text = NULL;
	size_t size_bytes = 0;
	FILE *out = open_memstream(&text, &size_bytes);

	assert_non_null(out);
	set_up(&f);
	assert_int_equal(print(&f.annotation, 1, style, out), 0);
	tear_down(&f);
	assert_int_equal(fclose(out), 0);
	for (const char *at = text; *at; at++)
		assert_true((unsigned char)*at >= ' ' || *at == '\n' || *at == '\r');
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in\n%s", part, text);
}

static void text_for_people(void **state)
{
	char *text = printed(annotations_as_text, &(struct annotate_style){ 0 });

	has(text,
	    "\na\\x1b[2J\"b\n  in /bin/a\\x1b[2J\"b, 0x1000 to 0x100b; code from that file\n");
	has(text, "  100 samples of cpu-clock, 100.00% [95.39-100.00] of 100; 15 late\n");
	has(text,
	    "    80       80.00%  [71.12-86.66]  80.00%  [71.12-86.66]  ^  B1     1000  +>add ");
	has(text,
	    "  15       15.00%   [9.31-23.28]  15.00%   [9.31-23.28]  !         1003  +-jnz ");
	has(text, "B2     1005    call 0x0 <a\\x1b[2J\"b>\n");
	has(text,
	    "   5        5.00%   [1.86-11.83]   5.00%   [1.86-11.83]  ~         100a    ret\n");
	free(text);
	text = printed(annotations_as_text, &(struct annotate_style){ .by_block = true });
	has(text, "  95       95.00%  [88.17-98.14]  95.00%  [88.17-98.14]     B1       1000  ");
	free(text);
	text = printed(annotations_as_text, &(struct annotate_style){ .limit = 1 });
	has(text, "... 3 more, 20 samples\n");
	free(text);
}

static void data_for_programs(void **state)
{
	char *text = printed(annotations_as_json, &(struct annotate_style){ 0 });

	has(text, "\"function\": \"a\\u001b[2J\\\"b\"");
	has(text, "\"flow\": \"branch\"");
	has(text, "\"target\": \"0x1000\"");
	has(text, "\"file\": \"a\\u001b[2J\\\"b.c\"");
	has(text, "\"line\": 4");
	has(text, "\"inside_samples\": 20");
	free(text);
	text = printed(annotations_as_csv, &(struct annotate_style){ 0 });
	has(text, ",0x1003,2,branch,0x1000,1,");
	has(text, "\"call 0x0 <a\\x1b[2J\"\"b>\"");
	free(text);
	text = printed(annotations_as_csv, &(struct annotate_style){ .by_block = true });
	has(text, ",2,0x1005,0x100b,2,5,0,5,0.05,");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_for_people),
		cmocka_unit_test(data_for_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
