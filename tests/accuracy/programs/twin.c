/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * twin STEPS [NEXT]: burns that many steps three calls deep, then runs NEXT in its place if NEXT is
 * given.
 *
 * Compiled twice, with TWIN alpha and beta. The two programs have no function in common but lie at
 * the same addresses, so a profiler that mistakes one for the other reports names that look right.
 * Each writes to descriptor 9 which program it was and when (struct twin_life). It has no C
 * library, so that it lives as briefly as possible. x86_64 only.
 */
#include "twin.h"

#include <sys/syscall.h>
#include <time.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)
#define OWN(name) NAMED(TWIN, name)
#define NOINLINE __attribute__((noinline))

#define alpha 1
#define beta 2
enum { WHICH = TWIN };
#undef alpha
#undef beta

static long call(long number, long a, long b, long c)
{
	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return number;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static NOINLINE uint64_t OWN(_inner)(uint64_t steps)
{
	volatile uint64_t value = 1;

	for (uint64_t i = 0; i < steps; i++)
		value = value * 6364136223846793005u + i;
	return value;
}

static NOINLINE uint64_t OWN(_middle)(uint64_t steps)
{
	volatile char room[WHICH * 40];

	room[3] = 1;
	return OWN(_inner)(steps) + (uint64_t)room[3];
}

static NOINLINE uint64_t OWN(_outer)(uint64_t steps)
{
	return OWN(_middle)(steps) + 1;
}

/* @stack: as the kernel sets it up; argc, then argv. */
__attribute__((used, noreturn)) static void start(char **stack)
{
	char *none[] = { NULL }, *next[] = { stack[3], stack[2], NULL };
	struct twin_life life = { .tgid = (uint32_t)call(SYS_getpid, 0, 0, 0), .which = WHICH };
	uint64_t steps = 0;

	for (const char *digit = stack[2]; digit && *digit; digit++)
		steps = steps * 10 + (uint64_t)(*digit - '0');
	life.start_ns = now_ns();
	OWN(_outer)(steps);
	life.end_ns = now_ns();
	call(SYS_write, TWIN_LOG_FD, (long)&life, sizeof(life));
	if (stack[2] && stack[3])
		call(SYS_execve, (long)stack[3], (long)next, (long)none);
	call(SYS_exit_group, 0, 0, 0);
	__builtin_unreachable();
}

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start: .cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	mov %rsp, %rdi\n"
	"	call start\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size _start, . - _start\n");
