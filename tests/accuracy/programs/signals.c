/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cases.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define ALTERNATE_BYTES 65536
#define STEPS_MAX 3000
#define TIMED 400

/*
 * The first instruction of trap_first faults, and other code is directly before it. An unwinder
 * that subtracts one from the address would look at that other code. A call that does not return
 * has the same effect.
 */
__asm__(".text\n"
	".type trap_before, @function\n"
	"trap_before: .cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size trap_before, . - trap_before\n"
	".globl trap_first\n"
	".hidden trap_first\n"
	".type trap_first, @function\n"
	"trap_first: .cfi_startproc\n"
	"	ud2\n"
	"	sub $24, %rsp\n"
	"	.cfi_adjust_cfa_offset 24\n"
	"	ud2\n"
	"	add $24, %rsp\n"
	"	.cfi_adjust_cfa_offset -24\n"
	"	ud2\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size trap_first, . - trap_first\n");
void trap_first(void);

static volatile int sink;
static volatile sig_atomic_t stepping, steps, timed;
static char *volatile nowhere;

static NOINLINE int below(int depth, int signal)
{
	volatile char room[40];

	room[depth % 40] = 1;
	if (depth > 0)
		sink += below(depth - 1, signal);
	else if (signal)
		raise(signal);
	else
		probe();
	return sink + room[depth % 40];
}

static void on_plain(int signal)
{
	sink += below(2, 0);
}

/* Raises a signal whose handler interrupts this one. */
static void on_nested(int signal)
{
	probe();
	sink += below(1, SIGUSR1);
}

static void on_illegal(int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	probe();
	user->uc_mcontext.gregs[REG_RIP] += 2;
}

static sigjmp_buf *volatile after_fault;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	probe();
	siglongjmp(*after_fault, 1);
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	if (!stepping || steps >= STEPS_MAX) {
		user->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
		return;
	}
	steps++;
	probe();
}

static void on_timer(int signal)
{
	timed++;
	probe();
}

static void handle(int signal, void (*plain)(int), void (*full)(int, siginfo_t *, void *),
		   int flags)
{
	struct sigaction action = { .sa_flags = flags };

	if (plain)
		action.sa_handler = plain;
	else
		action.sa_sigaction = full;
	sigaction(signal, &action, NULL);
}

void signals_prepare(void)
{
	handle(SIGUSR1, on_plain, NULL, 0);
	handle(SIGUSR2, on_nested, NULL, SA_ONSTACK);
	handle(SIGILL, NULL, on_illegal, SA_SIGINFO);
	handle(SIGSEGV, NULL, on_fault, SA_SIGINFO | SA_ONSTACK);
	handle(SIGTRAP, NULL, on_step, SA_SIGINFO);
	handle(SIGPROF, on_timer, NULL, SA_RESTART);
}

void signals_thread(void)
{
	stack_t stack = { .ss_sp = malloc(ALTERNATE_BYTES), .ss_size = ALTERNATE_BYTES };

	sigaltstack(&stack, NULL);	/* never freed */
}

static NOINLINE void fault(int depth)
{
	sigjmp_buf here;

	after_fault = &here;
	if (sigsetjmp(here, 1) == 0)
		*nowhere = (char)depth;
	else
		probe();
}

void signals_raised(void)
{
	for (int depth = 0; depth < 30; depth++) {
		sink += below(depth, SIGUSR1);
		sink += below(depth, SIGUSR2);
	}
}

void signals_first_instruction(void)
{
	for (int i = 0; i < 20; i++)
		trap_first();
}

/* ---- probes at every instruction ---- */

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Makes the first calls of library functions, which go through the linker's lazy binding. */
static NOINLINE int busy_work(void)
{
	int numbers[] = { 3, 1, 2 };
	char text[40];

	snprintf(text, sizeof(text), "%d-%s", numbers[1], "x");
	qsort(numbers, 3, sizeof(*numbers), compare);
	sink += below(1, 0) + (int)strtol(text, NULL, 10) + (int)strlen(text);
	return numbers[0];
}

static NOINLINE void step_through(int (*work)(void))
{
	stepping = 1;
	steps = 0;
	__asm__ volatile("sub $128, %%rsp\n\tpushf\n\torq $0x100, (%%rsp)\n\tpopf\n\t"
			 "add $128, %%rsp"
			 :
			 :
			 : "memory", "cc");
	sink += work();
	stepping = 0;
	__asm__ volatile("nop" ::: "memory");	/* the handler stops the stepping here */
}

static NOINLINE int first_call(void)
{
	return abs(atol("12") > 3 ? rand() : -3);
}

void signals_stepped(void)
{
	step_through(first_call);
	step_through(busy_work);
}

/* ---- probes at arbitrary instructions ---- */

void signals_timed(void)
{
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };

	setitimer(ITIMER_PROF, &every, NULL);
	while (timed < TIMED) {
		int numbers[300];

		for (int i = 0; i < 300; i++)
			numbers[i] = i * 7919 % 300;
		qsort(numbers, 300, sizeof(*numbers), compare);
		free(malloc((size_t)numbers[250]));
	}
	setitimer(ITIMER_PROF, &never, NULL);
}

void signals_faulted(void)
{
	for (int depth = 0; depth < 30; depth++)
		fault(depth);
}
