/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks ROUNDS: one function with two loops of the same instructions. Each instruction waits for
 * the result of the one before it, so the times of the two loops are as their numbers of turns, 3
 * to 1.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TURNS 100000

/* Written in assembler so that each loop is one basic block, whatever the compiler does. */
#define LOOP(x, turns)							\
	do {								\
		uint64_t left_ = (turns);				\
									\
		__asm__ volatile("1:\n\timul %2, %0\n\timul %2, %0\n\timul %2, %0\n\t"	\
				 "dec %1\n\tjnz 1b"			\
				 : "+r"(x), "+r"(left_)			\
				 : "r"(UINT64_C(6364136223846793005)));	\
	} while (0)

__attribute__((noinline)) static uint64_t known_blocks(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++) {
		LOOP(x, 3 * TURNS);
		LOOP(x, TURNS);
	}
	return x;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;

	printf("%llu\n", (unsigned long long)known_blocks(3, rounds));
	return 0;
}
