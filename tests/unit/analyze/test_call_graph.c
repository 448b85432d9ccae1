/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hand-made stacks, and random stacks that are checked against the definitions of call_flow.h, one
 * stack at a time.
 */
#include "tests/support/test.h"

#include "analyze/call_cycles.h"
#include "analyze/call_graph.h"
#include "analyze/function_totals.h"
#include "tests/unit/analyze/call_fixture.h"

#define LETTERS 6		/* functions of random stacks: "a", "b", ... */
#define DEPTH_MAX 14
#define STACKS 60
#define ROUNDS 40

struct graph_fixture {
	struct call_fixture call;
	struct call_tree tree;
	struct call_graph graph;
};

static void graph_make(struct graph_fixture *f)
{
	call_tally(&f->call, NULL);
	assert_int_equal(
		call_tree_make(&f->call.profile, &(struct call_tree_options){ 0 }, &f->tree), 0);
	assert_int_equal(call_graph_make(&f->tree, &f->graph), 0);
}

static void graph_end(struct graph_fixture *f)
{
	call_graph_fini(&f->graph);
	call_tree_fini(&f->tree);
	call_end(&f->call);
}

static const char *vertex_name(const struct graph_fixture *f, uint32_t vertex)
{
	static char cycle[32];
	const struct call_vertex *at = &f->graph.vertices.at[vertex];

	if (at->kind == CALL_OUTSIDE)
		return "*";
	if (at->kind != CALL_CYCLE)
		return call_name(&f->call, at->frame);
	(void)snprintf(cycle, sizeof(cycle), "cycle%u", at->cycle);
	return cycle;
}

static const struct call_vertex *vertex_of(const struct graph_fixture *f, const char *name)
{
	for (uint32_t i = 0; i < f->graph.vertices.count; i++)
		if (strcmp(vertex_name(f, i), name) == 0)
			return &f->graph.vertices.at[i];
	return NULL;
}

static void put_lines(const struct graph_fixture *f, uint32_t first, uint32_t count, char *text,
		      size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = first; i < first + count; i++) {
		const struct call_line *line = &f->graph.lines.at[i];

		used += (size_t)snprintf(text + used, size - used, "%s%s %u/%u", used ? " " : "",
					 vertex_name(f, line->vertex),
					 (unsigned int)line->self.samples,
					 (unsigned int)line->total.samples);
	}
}

/* @figures is "self/total+recursive" of the vertex. Each of its lines is "name self/total". */
static void assert_vertex(const struct graph_fixture *f, const char *name, const char *figures,
			  const char *callers, const char *callees)
{
	const struct call_vertex *vertex = vertex_of(f, name);
	char text[512];

	assert_non_null(vertex);
	(void)snprintf(text, sizeof(text), "%u/%u+%u", (unsigned int)vertex->self.samples,
		       (unsigned int)vertex->total.samples,
		       (unsigned int)vertex->recursive.samples);
	assert_string_equal(text, figures);
	put_lines(f, vertex->callers, vertex->caller_count, text, sizeof(text));
	assert_string_equal(text, callers);
	put_lines(f, vertex->callees, vertex->callee_count, text, sizeof(text));
	assert_string_equal(text, callees);
}

static void test_plain(void **state)
{
	struct graph_fixture f;

	call_begin(&f.call);
	call_sample(&f.call, "main", 1);
	call_sample(&f.call, "main read copy", 3);
	call_sample(&f.call, "main write copy", 4);
	call_sample(&f.call, "main write", 2);
	call_sample(&f.call, "copy", 5);
	graph_make(&f);
	assert_vertex(&f, "main", "1/10+0", "* 1/10", "write 2/6 read 0/3");
	assert_vertex(&f, "write", "2/6+0", "main 2/6", "copy 4/4");
	assert_vertex(&f, "copy", "12/12+0", "* 5/5 write 4/4 read 3/3", "");
	assert_vertex(&f, "*", "0/0+0", "", "main 1/10 copy 5/5");
	assert_int_equal(f.graph.cycle_count, 0);
	graph_end(&f);
}

static void test_recursion(void **state)
{
	struct graph_fixture f;

	call_begin(&f.call);
	call_sample(&f.call, "main fib", 1);
	call_sample(&f.call, "main fib fib", 2);
	call_sample(&f.call, "main fib fib fib", 4);
	call_sample(&f.call, "main fib fib add", 8);
	graph_make(&f);
	assert_vertex(&f, "fib", "7/15+14", "main 7/15", "add 8/8");
	assert_vertex(&f, "main", "0/15+0", "* 0/15", "fib 7/15");
	assert_int_equal(f.graph.cycle_count, 0);
	graph_end(&f);
}

static void test_mutual_recursion(void **state)
{
	struct graph_fixture f;

	call_begin(&f.call);
	call_sample(&f.call, "main even", 1);
	call_sample(&f.call, "main even odd", 2);
	call_sample(&f.call, "main even odd even", 4);
	call_sample(&f.call, "main even odd even odd", 8);
	call_sample(&f.call, "main even odd even leaf", 16);
	call_sample(&f.call, "main odd leaf", 32);
	call_sample(&f.call, "main", 64);
	graph_make(&f);
	assert_vertex(&f, "even", "5/31+28", "main 5/31 odd 0/0", "leaf 16/16 odd 10/10");
	assert_vertex(&f, "odd", "10/62+8", "main 0/32 even 10/30", "leaf 32/32 even 4/20");
	assert_vertex(&f, "leaf", "48/48+0", "odd 32/32 even 16/16", "");
	assert_vertex(&f, "cycle1", "15/63+30", "main 15/63", "odd 10/62 even 5/31");
	assert_vertex(&f, "main", "64/127+0", "* 64/127", "odd 0/32 even 5/31");
	assert_int_equal(f.graph.cycle_count, 1);
	assert_int_equal(vertex_of(&f, "odd")->cycle, 1);
	assert_int_equal(vertex_of(&f, "leaf")->cycle, 0);
	graph_end(&f);
}

static void test_cut_and_order(void **state)
{
	struct graph_fixture f;
	uint32_t *order;
	size_t count;

	call_begin(&f.call);
	call_sample(&f.call, "~ b a", 6);
	call_sample(&f.call, "b c", 5);
	graph_make(&f);
	assert_vertex(&f, "b", "0/11+0", "<truncated stack> 0/6 * 0/5", "a 6/6 c 5/5");
	assert_int_equal(vertex_of(&f, "<truncated stack>")->kind, CALL_CUT);
	order = call_graph_order(&f.graph, CALL_BY_NAME, &count);
	assert_int_equal(count, 3);
	assert_string_equal(vertex_name(&f, order[0]), "a");
	assert_string_equal(vertex_name(&f, order[2]), "c");
	free(order);
	order = call_graph_order(&f.graph, CALL_BY_TOTAL, &count);
	assert_string_equal(vertex_name(&f, order[0]), "b");
	free(order);
	order = call_graph_order(&f.graph, CALL_BY_SELF, &count);
	assert_string_equal(vertex_name(&f, order[0]), "a");
	assert_string_equal(vertex_name(&f, order[2]), "b");
	free(order);
	graph_end(&f);
}

/* ---- random stacks ---- */

struct truth {
	unsigned int self[LETTERS], total[LETTERS], recursive[LETTERS];
	/* index LETTERS as a caller: called from outside */
	unsigned int by_callee[LETTERS + 1][LETTERS], by_caller[LETTERS + 1][LETTERS];
	unsigned int self_by_callee[LETTERS + 1][LETTERS], self_by_caller[LETTERS + 1][LETTERS];
	bool calls[LETTERS][LETTERS];	/* calls in any number of steps, after the closure */
};

static void add_truth(struct truth *truth, const int *path, int depth, unsigned int count)
{
	int leaf = path[depth - 1];

	truth->self[leaf] += count;
	truth->by_caller[LETTERS][path[0]] += count;
	truth->self_by_caller[LETTERS][path[0]] += leaf == path[0] ? count : 0;
	for (int i = 1; i < depth; i++)
		truth->calls[path[i - 1]][path[i]] = true;
	for (int letter = 0; letter < LETTERS; letter++) {
		int outermost = -1, innermost = -1, caller;

		for (int i = 0; i < depth; i++)
			if (path[i] == letter) {
				outermost = outermost < 0 ? i : outermost;
				innermost = i;
			}
		if (outermost < 0)
			continue;
		truth->total[letter] += count;
		truth->recursive[letter] += outermost != innermost ? count : 0;
		caller = outermost ? path[outermost - 1] : LETTERS;
		truth->by_callee[caller][letter] += count;
		truth->self_by_callee[caller][letter] += leaf == letter ? count : 0;
		if (innermost + 1 < depth) {
			int callee = path[innermost + 1];

			truth->by_caller[letter][callee] += count;
			truth->self_by_caller[letter][callee] += leaf == callee ? count : 0;
		}
	}
}

static void close_calls(struct truth *truth)
{
	for (int via = 0; via < LETTERS; via++)
		for (int from = 0; from < LETTERS; from++)
			for (int to = 0; to < LETTERS; to++)
				if (truth->calls[from][via] && truth->calls[via][to])
					truth->calls[from][to] = true;
}

static int letter_of(const struct graph_fixture *f, uint32_t vertex)
{
	return vertex == CALL_GRAPH_OUTSIDE ? LETTERS : vertex_name(f, vertex)[0] - 'a';
}

/* Each line must show the true counts. Where there is no line, the true counts must be 0. */
static void check_lines(const struct graph_fixture *f, struct truth *truth, uint32_t vertex)
{
	const struct call_vertex *at = &f->graph.vertices.at[vertex];
	int letter = letter_of(f, vertex);

	for (uint32_t i = at->callers; i < at->callers + at->caller_count; i++) {
		const struct call_line *line = &f->graph.lines.at[i];
		int other = letter_of(f, line->vertex);

		assert_int_equal(line->total.samples, truth->by_callee[other][letter]);
		assert_int_equal(line->self.samples, truth->self_by_callee[other][letter]);
		truth->by_callee[other][letter] = 0;
	}
	for (uint32_t i = at->callees; i < at->callees + at->callee_count; i++) {
		const struct call_line *line = &f->graph.lines.at[i];
		int other = letter_of(f, line->vertex);

		assert_int_equal(line->total.samples, truth->by_caller[letter][other]);
		assert_int_equal(line->self.samples, truth->self_by_caller[letter][other]);
		truth->by_caller[letter][other] = 0;
	}
}

static void check_cycles(const struct graph_fixture *f, const struct truth *truth)
{
	for (uint32_t a = 1; a < f->graph.vertices.count; a++)
		for (uint32_t b = 1; b < f->graph.vertices.count; b++) {
			const struct call_vertex *left = &f->graph.vertices.at[a];
			const struct call_vertex *right = &f->graph.vertices.at[b];
			int from = letter_of(f, a), to = letter_of(f, b);

			if (a == b || left->kind == CALL_CYCLE || right->kind == CALL_CYCLE)
				continue;
			assert_int_equal(left->cycle && left->cycle == right->cycle,
					 truth->calls[from][to] && truth->calls[to][from]);
		}
}

/* The quick count of totals must agree with the graph. */
static void check_totals(const struct graph_fixture *f, const struct truth *truth)
{
	uint64_t keys[LETTERS];
	struct count totals[LETTERS];
	int letters[LETTERS];
	size_t count = 0;

	for (uint32_t i = 0; i < f->graph.vertices.count; i++) {
		const struct call_vertex *at = &f->graph.vertices.at[i];

		if (at->kind != CALL_FUNCTION)
			continue;
		keys[count] = call_frame_key(at->frame);
		letters[count++] = letter_of(f, i);
	}
	assert_int_equal(function_totals(&f->call.profile, keys, count, totals), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(totals[i].samples, truth->total[letters[i]]);
}

static void check_truth(const struct graph_fixture *f, struct truth *truth)
{
	for (uint32_t i = 0; i < f->graph.vertices.count; i++) {
		const struct call_vertex *at = &f->graph.vertices.at[i];
		int letter = letter_of(f, i);

		if (at->kind == CALL_CYCLE)
			continue;
		if (at->kind == CALL_FUNCTION) {
			assert_int_equal(at->self.samples, truth->self[letter]);
			assert_int_equal(at->total.samples, truth->total[letter]);
			assert_int_equal(at->recursive.samples, truth->recursive[letter]);
		}
		check_lines(f, truth, i);
	}
	for (int a = 0; a <= LETTERS; a++)
		for (int b = 0; b < LETTERS; b++) {
			assert_int_equal(truth->by_callee[a][b], 0);
			assert_int_equal(truth->by_caller[a][b], 0);
		}
	check_totals(f, truth);
	close_calls(truth);
	check_cycles(f, truth);
}

static unsigned int next_random(unsigned int *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

static void test_random(void **state)
{
	unsigned int seed = 1;

	for (int round = 0; round < ROUNDS; round++) {
		/*
		 * From two functions, which are always in one cycle, to more functions than a stack
		 * has calls.
		 */
		unsigned int letters = 2 + next_random(&seed) % (LETTERS - 1);
		struct truth truth = { 0 };
		struct graph_fixture f;

		call_begin(&f.call);
		for (unsigned int i = 0; i < STACKS; i++) {
			int path[DEPTH_MAX], depth = 1 + (int)(next_random(&seed) % DEPTH_MAX);
			char words[2 * DEPTH_MAX + 1] = "";

			/*
			 * In the first quarter of the rounds, paths never go back to an earlier
			 * letter.
			 */
			for (int at = 0; at < depth; at++) {
				path[at] = (int)(next_random(&seed) % letters);
				if (round < ROUNDS / 4 && at && path[at] < path[at - 1])
					path[at] = path[at - 1];
				words[2 * at] = (char)('a' + path[at]);
				words[2 * at + 1] = at + 1 < depth ? ' ' : '\0';
			}
			call_sample(&f.call, words, 1 + i % 5);
			add_truth(&truth, path, depth, 1 + i % 5);
		}
		graph_make(&f);
		check_truth(&f, &truth);
		graph_end(&f);
	}
}

static void test_long_circle(void **state)
{
	enum { COUNT = 300000 };
	struct call_edge *edges = calloc(COUNT, sizeof(*edges));
	uint32_t *cycle_of = calloc(COUNT, sizeof(*cycle_of));

	for (uint32_t i = 0; i < COUNT; i++)
		edges[i] = (struct call_edge){ i, (i + 1) % COUNT };
	assert_int_equal(call_cycles_find(edges, COUNT, cycle_of, COUNT), 1);
	assert_int_equal(cycle_of[COUNT / 2], 1);
	assert_int_equal(call_cycles_find(edges, COUNT - 1, cycle_of, COUNT), 0);
	assert_int_equal(cycle_of[COUNT / 2], 0);
	free(edges);
	free(cycle_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_mutual_recursion),
		cmocka_unit_test(test_cut_and_order),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_long_circle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
