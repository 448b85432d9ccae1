/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ember STEPS: burns STEPS steps in burn_ember() and exits. It is the child of forkstorm.
 * ember-static does the same without a C library, so that nearly all of its time is spent burning.
 */
#include "burn.h"

__attribute__((noinline)) static uint64_t burn_ember(const char *steps)
{
	uint64_t count = 0;

	for (; *steps; steps++)
		count = count * 10 + (uint64_t)(*steps - '0');
	return burn_steps(1, count);
}

#ifndef FREESTANDING
int main(int argc, char **argv)
{
	return argc > 1 && burn_ember(argv[1]) == 0;
}
#else
/* Runs the program. @stack is the initial stack from the kernel: argc, then argv. */
__attribute__((used, noreturn)) static void start(const long *stack)
{
	long status = burn_ember(((const char *const *)stack)[2]) == 0;

#if defined(__x86_64__)
	__asm__ volatile("syscall" : : "a"(231L), "D"(status)); /* exit_group */
#elif defined(__aarch64__)
	register long x0 __asm__("x0") = status, x8 __asm__("x8") = 94;

	__asm__ volatile("svc 0" : : "r"(x0), "r"(x8));
#endif
	__builtin_unreachable();
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start: mov %rsp, %rdi\n call start\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start: mov x0, sp\n bl start\n");
#endif
#endif
