/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cases.h"

#include <alloca.h>
#include <dlfcn.h>
#include <search.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define DEPTH 60

static volatile int sink;

/* ---- plain frames of several shapes ---- */

static NOINLINE int even(int depth);

static NOINLINE int odd(int depth)
{
	volatile char room[200];

	room[depth % 200] = 1;
	if (depth > 0)
		sink += even(depth - 1);
	else
		probe();
	return sink + room[depth % 200];
}

static NOINLINE int even(int depth)
{
	if (depth > 0)
		sink += odd(depth - 1);
	else
		probe();
	return sink + depth;
}

void frames_recursion(void)
{
	for (int depth = 0; depth < DEPTH; depth++)
		sink += even(depth);
}

static NOINLINE int with_alloca(int depth)
{
	volatile char *room = alloca((size_t)(depth * 40 % 300 + 1));

	*room = (char)depth;
	if (depth > 0)
		sink += with_alloca(depth - 1);
	else
		probe();
	return sink + *room;
}

void frames_alloca(void)
{
	for (int depth = 0; depth < DEPTH; depth++)
		sink += with_alloca(depth);
}

/* ---- functions that realign their stack pointer ---- */

static NOINLINE int over_aligned(int depth)
{
	_Alignas(64) volatile char room[128];

	room[depth] = 1;
	if (depth > 0)
		sink += over_aligned(depth - 1);
	else
		probe();
	return sink + room[depth];
}

/* Seven arguments: the last one is read through the incoming stack pointer. */
__attribute__((force_align_arg_pointer)) static NOINLINE int realigned(int depth, int b, int c,
								       int d, int e, int f, int g)
{
	_Alignas(128) volatile char room[128];
	volatile char *more = alloca((size_t)(depth * 24 + g));

	*more = room[depth] = 1;
	if (depth > 0)
		sink += realigned(depth - 1, b, c, d, e, f, g + 1);
	else
		probe();
	return sink + *more + room[depth] + g;
}

void frames_realigned(void)
{
	for (int depth = 0; depth < DEPTH; depth++) {
		sink += over_aligned(depth);
		sink += realigned(depth, 2, 3, 4, 5, 6, 7);
	}
}

/* ---- through the C library ---- */

static int compare(const void *a, const void *b)
{
	probe();
	return *(const int *)a - *(const int *)b;
}

static void visit(const void *node, VISIT order, int depth)
{
	if (order == leaf || order == postorder)
		probe();
}

static NOINLINE void nested_sorts(int depth)
{
	int numbers[] = { 5, 3, 9, 1, 7, 2, 8 };

	qsort(numbers, 7, sizeof(*numbers), compare);
	if (depth > 0)
		nested_sorts(depth - 1);
	sink += numbers[0];
}

void frames_callbacks(void)
{
	static const int sorted[] = { 1, 2, 3, 5, 7, 8, 9 };
	int key = 8, big[64];
	void *tree = NULL;

	nested_sorts(5);
	bsearch(&key, sorted, 7, sizeof(*sorted), compare);
	for (int i = 0; i < 7; i++)
		tsearch(&sorted[i], &tree, compare);
	twalk(tree, visit);
	while (tree)
		tdelete(*(int *const *)tree, &tree, compare);
	for (int i = 0; i < 64; i++)
		big[i] = i * 37 % 64;
	qsort(big, 64, sizeof(*big), compare);
	sink += big[3];
}

/* ---- longjmp, and calls that are the last instruction of a function ---- */

static _Thread_local jmp_buf back;

__attribute__((noreturn)) static NOINLINE void escape(int depth)
{
	if (depth > 0)
		sink += with_alloca(depth % 7);
	probe();
	longjmp(back, 1);
}

/*
 * No instruction follows the call, so its return address belongs to whatever the linker puts next.
 */
static NOINLINE void never_returns(int depth)
{
	sink += depth;
	escape(depth);
}

static NOINLINE void jump_from(int depth)
{
	volatile char room[64];

	room[depth % 64] = 1;
	if (depth > 0)
		jump_from(depth - 1);
	else if (sink != -1)
		never_returns(depth + 3);
	sink += room[0];
}

void frames_jumps(void)
{
	for (volatile int depth = 0; depth < DEPTH; depth++) {
		if (setjmp(back) == 0)
			jump_from(depth);
		else
			probe();
		sink += even(3);
	}
}

/* ---- other stacks ---- */

static _Thread_local ucontext_t outer, inner;

static void coroutine(int depth)
{
	sink += odd(depth);
	swapcontext(&inner, &outer);
	sink += with_alloca(depth);
}

void frames_contexts(void)
{
	static _Thread_local char stack[1 << 16];

	for (int depth = 0; depth < 20; depth++) {
		getcontext(&inner);
		inner.uc_stack.ss_sp = stack;
		inner.uc_stack.ss_size = sizeof(stack);
		inner.uc_link = &outer;
		makecontext(&inner, (void (*)(void))coroutine, 1, depth);
		swapcontext(&outer, &inner);
		probe();
		swapcontext(&outer, &inner);
	}
}

#ifdef STATIC
void frames_plugin(void)
{
}
#else
void frames_plugin(void)
{
	const char *path = getenv("PLUGIN");

	for (int round = 0; path && round < 5; round++) {
		void *plugin = dlopen(path, RTLD_LAZY | RTLD_LOCAL);	/* its constructor probes */
		void (*enter)(int, void (*)(void)) = NULL;

		if (!plugin) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		*(void **)&enter = dlsym(plugin, "plugin_enter");
		for (int depth = 0; depth < 20; depth++)
			enter(depth, probe);
		dlclose(plugin);
	}
}
#endif

void frames_deep(void)
{
	for (int depth = 90; depth < 1000; depth += 35)
		sink += even(depth);
}
