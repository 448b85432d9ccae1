/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls whose costs are known: each function works a number of units of its own, all alike.
 *
 *	calls ROUNDS
 *
 *	main		parse 8, lex 5 below it; render 4; walk; even
 *	render		layout 6, draw 2
 *	layout		draw 1
 *	walk		4 units at each of three levels, leaf 3 below the last
 *	even, odd	2 and 1 units, by turns, two of each; leaf 2 below the last
 *
 * A unit is a chain of multiplications, each of which waits for the one before it, so that it
 * takes the same time and as many instructions wherever it stands.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Functions that do alike would be made one. */
#define FUNCTION __attribute__((noinline, noclone, no_icf))

static volatile uint64_t result;
static volatile long unit = 20000;	/* not known to the compiler: all loops are alike */

#define WORK(units)                                                                      \
	do {                                                                             \
		uint64_t value = result;                                                 \
		for (long left = (units)*unit; left; left--)                             \
			__asm__ volatile("imul %0, %0" : "+r"(value));                   \
		result = value | 1;                                                      \
	} while (0)

static FUNCTION void leaf(long units)
{
	WORK(units);
}

static FUNCTION void lex(void)
{
	WORK(5);
}

static FUNCTION void parse(void)
{
	WORK(8);
	lex();
}

static FUNCTION void draw(long units)
{
	WORK(units);
}

static FUNCTION void layout(void)
{
	WORK(6);
	draw(1);
}

static FUNCTION void render(void)
{
	WORK(4);
	layout();
	draw(2);
}

static FUNCTION void walk(int levels)
{
	WORK(4);
	if (levels > 1)
		walk(levels - 1);
	else
		leaf(3);
}

static void odd(int left);

static FUNCTION void even(int left)
{
	WORK(2);
	odd(left - 1);
}

static FUNCTION void odd(int left)
{
	WORK(1);
	if (left > 1)
		even(left - 1);
	else
		leaf(2);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;

	for (long i = 0; i < rounds; i++) {
		parse();
		render();
		walk(3);
		even(4);
	}
	(void)printf("%d\n", (int)(result & 1));
	return 0;
}
