/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop [ITERATIONS]: a single loop that sums its index. All of its time is in the loop body in
 * main().
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long iterations = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000000;
	long sum = 0;

	for (long i = 0; i < iterations; i++)
		sum += i;
	printf("%ld\n", sum);
	return 0;
}
