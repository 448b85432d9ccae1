/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usdt COUNT
 *
 * Passes static probes, and says at the end how many places of "work" someone listened to:
 *
 *	work:start	COUNT times; arg0 is the number of an item, in a register, and arg1 its
 *			kind: 0, -10000 or -20000, as an int in memory
 *	work:done	once for each item, in the opposite order and at two places in the code;
 *			arg0 is 7, arg1 the number of the item, in memory or in a register
 *	other:start	once, without arguments
 */
#include <stdio.h>
#include <stdlib.h>

#include "probe.h"

/* Not static, because only the assembler code of PROBE() names it otherwise. */
volatile unsigned short work_semaphore __attribute__((section(".probes"), visibility("hidden")));

static void start(long item)
{
	volatile int kind = (int)(item % 3) * -10000;

	PROBE("work", "start", "work_semaphore",
	      "8@%[item] -4@%[kind]", [item] "r"(item), [kind] "m"(kind));
}

static void done_even(volatile long item)
{
	PROBE("work", "done", "work_semaphore",
	      "4@%[seven] 8@%[item]", [seven] "i"(7), [item] "m"(item));
}

static void done_odd(long item)
{
	PROBE("work", "done", "work_semaphore",
	      "4@%[seven] 8@%[item]", [seven] "i"(7), [item] "r"(item));
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1, seen = 0;

	PROBE("other", "start", "0", "", "i"(0));
	for (long item = 0; item < count; item++) {
		seen += work_semaphore;
		start(item);
	}
	for (long item = count; item-- > 0;)
		if (item % 2)
			done_odd(item);
		else
			done_even(item);
	(void)printf("%ld of 3 places\n", seen / count);
	return 0;
}
