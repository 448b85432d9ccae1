/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call [ITERATIONS]: the n-th iteration of main() calls sum_below(n), which loops n times. With
 * 100,000 iterations, the inner loop runs 50,000 times as often as the outer one.
 */
#include <stdio.h>
#include <stdlib.h>

static long sum_below(long end)
{
	long sum = 0;

	for (long i = 0; i < end; i++)
		sum += i;
	return sum;
}

int main(int argc, char **argv)
{
	long iterations = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
	long sum = 0;

	for (long i = 0; i < iterations; i++)
		sum += sum_below(i);
	printf("%ld\n", sum);
	return 0;
}
