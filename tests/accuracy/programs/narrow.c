/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 32-bit program with frame pointers and without a C library: runs _start, begin(), call_narrow()
 * and burn_narrow() for at most some seconds.
 */
#define STEPS 1000000u
#define ROUNDS 500u

__attribute__((noipa)) unsigned int burn_narrow(unsigned int steps)
{
	unsigned int seed = steps;

	for (unsigned int i = 0; i < steps; i++) {
		seed = seed * 1664525u + 1013904223u;
		__asm__ volatile("" : "+r"(seed));
	}
	return seed;
}

__attribute__((noipa)) unsigned int call_narrow(unsigned int steps)
{
	return burn_narrow(steps) ^ 1;
}

__attribute__((noipa, noreturn)) void begin(void)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		(void)call_narrow(STEPS);
	for (;;)
		__asm__ volatile("int $0x80" : : "a"(1), "b"(0));	/* exit */
}

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	push %ebp\n"
	"	mov %esp, %ebp\n"
	"	call begin\n"
	"	hlt\n"
	".size _start, . - _start\n");
