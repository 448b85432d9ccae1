/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An annotated function with names that would move a terminal's cursor, in all three formats. */
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
	struct source_list sources;
};

static bool name(void *context, uint64_t vaddr, char *text, size_t size_bytes)
{
	(void)snprintf(text, size_bytes, "%s", HOSTILE);
	return vaddr == 0;
}

static void add_hit(struct fixture *f, uint64_t vaddr, uint64_t samples, bool late)
{
	struct hit *hit = vec_push(&f->profile.hits);

	assert_non_null(hit);
	*hit = (struct hit){ .function = 1,
			     .count = { .samples = samples, .weight = samples },
			     .late = late,
			     .location = model_location_id(&f->model, 1, vaddr) };
}

/*
 * The first two rows are line 2, inlined at line 1. The call is line 1. The last row has no line.
 */
static void add_lines(struct fixture *f)
{
	static const char text[] = "first(" HOSTILE ")\n\tsecond\n";
	uint32_t file = model_intern(&f->model, HOSTILE ".c");
	struct source_line outer = { .file = file, .line = 1, .function = 1 };
	struct source_line inner = { .file = file, .line = 2, .function = 1 };
	struct source_text *source = vec_push(&f->sources.list);

	outer.caller = 0;
	inner.caller = model_line_id(&f->model, &outer);
	for (uint64_t vaddr = 0x1000; vaddr < 0x100a; vaddr++) {
		uint32_t location = model_location_id(&f->model, 1, vaddr);

		f->model.locations.at[location].line = vaddr < 0x1005
							       ? model_line_id(&f->model, &inner)
							       : inner.caller;
	}
	assert_non_null(source);
	source->file = file;
	source->bytes = strdup(text);
	source->size_bytes = sizeof(text) - 1;
	source->mtime_ns = 3;
	assert_non_null(source->bytes);
	assert_int_equal(source_index(source), 0);
}

static void set_up(struct fixture *f)
{
	static const struct group_selection selection = { .contexts = GROUP_CONTEXTS_BUSY };
	struct image image = { .kind = IMAGE_FILE, .mtime_ns = 2 };
	struct function function = { .image = 1, .vaddr = 0x1000, .size_bytes = sizeof(bytes) };
	struct annotate_input input = { .selection = &selection, .function = 1 };
	struct event *event;

	*f = (struct fixture){ .code = { .machine = EM_X86_64,
					 .image = 1,
					 .vaddr = 0x1000,
					 .bytes = malloc(sizeof(bytes)),
					 .size_bytes = sizeof(bytes) } };
	assert_non_null(f->code.bytes);
	memcpy(f->code.bytes, bytes, sizeof(bytes));
	assert_int_equal(model_init(&f->model), 0);
	event = vec_push(&f->model.events);
	assert_non_null(event);
	event->name = model_intern(&f->model, "cpu-clock");
	event->period = 1;
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
	add_lines(f);
	annotation_take_lines(&f->annotation);
}

static void tear_down(struct fixture *f)
{
	disasm_free(f->annotation.input.disasm);
	annotation_fini(&f->annotation);
	code_fini(&f->code);
	source_list_fini(&f->sources);
	vec_free(&f->profile.hits);
	model_fini(&f->model);
}

typedef int (*print_fn)(const struct annotation *, size_t, const struct annotate_style *, FILE *);

/* Returns the output. It must not contain control bytes other than newlines. */
static char *printed_with(print_fn print, struct annotate_style style, bool with_source)
{
	struct fixture f;
	char *text = NULL;
	size_t size_bytes = 0;
	FILE *out = open_memstream(&text, &size_bytes);

	assert_non_null(out);
	set_up(&f);
	style.sources = with_source ? &f.sources : NULL;
	assert_int_equal(print(&f.annotation, 1, &style, out), 0);
	tear_down(&f);
	assert_int_equal(fclose(out), 0);
	for (const char *at = text; *at; at++)
		assert_true((unsigned char)*at >= ' ' || *at == '\n' || *at == '\r');
	return text;
}

static char *printed(print_fn print, const struct annotate_style *style)
{
	return printed_with(print, *style, false);
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

#define LINE_1 "       1: first(a\\x1b[2J\"b)\n"
#define LINE_2 "       2: [a\\x1b[2J\"b]         second\n"

/*
 * Each source line is printed above its first instruction. There are no lines without hits between
 * or after them.
 */
static void source_for_people(void **state)
{
	char *text = printed_with(annotations_as_text, (struct annotate_style){ 0 }, true);
	const char *second, *first, *add, *call;

	has(text, "instruction\n  a\\x1b[2J\"b.c: (changed after the program was built)\n" LINE_2);
	second = strstr(text, LINE_2);
	first = strstr(text, LINE_1);
	add = strstr(text, ">add");
	call = strstr(text, "call");
	assert_non_null(first);
	assert_true(second < add && add < first && first < call);
	assert_null(strstr(second + 1, LINE_2));
	free(text);
	text = printed_with(annotations_as_text, (struct annotate_style){ .columns = 80 }, true);
	has(text, LINE_2);
	has(text, "\n    80  80.00%  [71.12-86.66]  ^  B1     1000  +>add ");
	for (const char *at = strstr(text, "  hits"), *end; *at; at = end + 1) {
		end = strchr(at, '\n');
		assert_true(end - at <= 80);
	}
	free(text);
	text = printed(annotations_as_text, &(struct annotate_style){ 0 });
	assert_null(strstr(text, "second"));
	free(text);
}

static void data_for_programs(void **state)
{
	char *text = printed(annotations_as_json, &(struct annotate_style){ 0 });

	has(text, "\"function\": \"a\\u001b[2J\\\"b\"");
	has(text, "\"flow\": \"branch\"");
	has(text, "\"target\": \"0x1000\"");
	has(text, "\"file\": \"a\\u001b[2J\\\"b.c\"");
	has(text, "\"line\": 2");
	has(text, "\"inlined_at\": [{\"function\": \"a\\u001b[2J\\\"b\","
		  "\"file\": \"a\\u001b[2J\\\"b.c\",\"line\": 1}]");
	assert_null(strstr(text, "\"source\""));
	has(text, "\"inside_samples\": 20");
	free(text);
	text = printed_with(annotations_as_json, (struct annotate_style){ 0 }, true);
	has(text, "\"source\": \"        second\"");
	free(text);
	text = printed(annotations_as_csv, &(struct annotate_style){ 0 });
	has(text, ",0x1003,2,branch,0x1000,1,");
	has(text, "b.c\",2,0,symtab,,\r\n");
	has(text, ",0,,,0,symtab,,\r\n");
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
		cmocka_unit_test(source_for_people),
		cmocka_unit_test(data_for_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
