/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls whose costs are known: each function works a fixed number of identical units itself.
 *
 *	calls ROUNDS
 *
 *	main		parse 8, which calls lex 5; render 4; walk; even
 *	render		layout 6, draw 2
 *	layout		draw 1
 *	walk		4 units at each of three levels; the last level calls leaf 3
 *	even, odd	2 and 1 units, by turns, two of each; the last one calls leaf 2
 *
 * A unit is a chain of multiplications, each of which needs the result of the one before it. So in
 * one round a unit takes the same time and the same number of instructions in every function.
 *
 * Each round has units of another length. Otherwise a round could last as long as some periods of
 * the sampling clock, as it did on a CPU of 2.94 GHz. Then many samples in a row hit the same
 * function, and shares vary far more than their intervals say.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The compiler would merge identical functions. */
#define FUNCTION __attribute__((noinline, noclone, no_icf))

static volatile uint64_t result;
/* volatile, so that the compiler does not know it and compiles all loops alike */
static volatile long unit;

/* Marsaglia's xorshift64, https://doi.org/10.18637/jss.v008.i14 */
static long next_unit(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return 10000 + (long)(state % 20000);
}

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
		unit = next_unit();
		parse();
		render();
		walk(3);
		even(4);
	}
	(void)printf("%d\n", (int)(result & 1));
	return 0;
}
