/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rounds of exactly equal length, which can be in step with a sampling clock:
 *
 *	in_step ROUND_NS SECONDS
 *
 * Each round begins a fixed time after the one before it. first_quarter() runs in the first quarter
 * of the round, and rest() in the other three.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noipa)) void first_quarter(uint64_t until_ns)
{
	while (now_ns() < until_ns)
		;
}

static __attribute__((noipa)) void rest(uint64_t until_ns)
{
	while (now_ns() < until_ns)
		;
}

int main(int argc, char **argv)
{
	uint64_t round_ns = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t start_ns = now_ns(), end_ns;

	if (!round_ns)
		return 2;
	end_ns = start_ns + strtoull(argv[2], NULL, 10) * 1000000000u;
	for (; start_ns < end_ns; start_ns += round_ns) {
		first_quarter(start_ns + round_ns / 4);
		rest(start_ns + round_ns);
	}
	return 0;
}
