// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sleeps in functions whose time is known: each prints how long it slept, by its own clock.
 *	naps LONG_COUNT LONG_MS SHORT_COUNT SHORT_MS TINY_COUNT TINY_US
 * Between the naps it computes for a moment, so that it also has running time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t nap(uint64_t ns)
{
	struct timespec wait = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	uint64_t from_ns = now_ns();

	(void)nanosleep(&wait, NULL);
	return now_ns() - from_ns;
}

__attribute__((noipa)) static uint64_t naps_of(int count, uint64_t ns)
{
	uint64_t slept_ns = 0;

	for (int i = 0; i < count; i++)
		slept_ns += nap(ns);
	return slept_ns;
}

__attribute__((noipa)) static uint64_t few_long(int count, uint64_t ns)
{
	uint64_t slept_ns = naps_of(count, ns);

	sink += slept_ns;
	return slept_ns;
}

__attribute__((noipa)) static uint64_t many_short(int count, uint64_t ns)
{
	uint64_t slept_ns = naps_of(count, ns);

	sink ^= slept_ns;	/* other code than few_long(), so that both exist */
	return slept_ns;
}

__attribute__((noipa)) static void compute(uint64_t ns)
{
	uint64_t until_ns = now_ns() + ns;

	while (now_ns() < until_ns)
		for (int i = 0; i < 1000; i++)
			sink += (uint64_t)i;
}

int main(int argc, char **argv)
{
	uint64_t slept_ns;

	if (argc != 7)
		return 2;
	slept_ns = few_long(atoi(argv[1]), (uint64_t)atoi(argv[2]) * 1000000);
	(void)printf("few_long %llu\n", (unsigned long long)slept_ns);
	slept_ns = many_short(atoi(argv[3]), (uint64_t)atoi(argv[4]) * 1000000);
	(void)printf("many_short %llu\n", (unsigned long long)slept_ns);
	slept_ns = naps_of(atoi(argv[5]), (uint64_t)atoi(argv[6]) * 1000);
	(void)printf("tiny %llu\n", (unsigned long long)slept_ns);
	compute(300000000);
	return 0;
}
