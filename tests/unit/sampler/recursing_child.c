/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recursing_child.h"

#include <execinfo.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#include "support/kept_frame.h"
#include "support/test.h"

static __attribute__((noinline)) uint64_t spin(struct backtrace_page *page)
{
	volatile uint64_t sum = 0;

	page->count = backtrace(page->addrs, BACKTRACE_MAX);
	if (page->frames == WITH_KEPT)
		kept_frame(kept_frame_spin, &page->ready);
	__atomic_store_n(&page->ready, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&page->ready, __ATOMIC_RELAXED)) {
		for (int i = 0; i < 100000; i++)
			sum += (uint64_t)i;
		sum += (uint64_t)getppid();
	}
	return sum;
}

/* Some frames use more stack than others. No call is a tail call. */
static __attribute__((noinline)) uint64_t recurse(struct backtrace_page *page, uint32_t depth)
{
	volatile uint64_t mine[4] = { depth };

	if (depth == 0)
		return spin(page) + mine[0];
	return recurse(page, depth - 1) + mine[0];
}

static void recurse_on(void *argument)
{
	(void)recurse(argument, DEPTH / 2);
	__asm__ volatile("");	/* prevents a tail call */
}

static void hide_and_recurse(void *argument)
{
	kept_frame_hide(recurse_on, argument);
	__asm__ volatile("");
}

static struct backtrace_page *page_of_handler;

static uint64_t ucontext_ip(const void *context)
{
	const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;

#if defined(__x86_64__)
	return (uint64_t)machine->gregs[REG_RIP];
#else
	return machine->pc;
#endif
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	page_of_handler->interrupted_addr = ucontext_ip(context);
	(void)recurse(page_of_handler, DEPTH);
	__asm__ volatile("");
}

static int recurse_in_handler(struct backtrace_page *page)
{
	const struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	page_of_handler = page;
	return sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1);
}

static int start_recursing(struct backtrace_page *page)
{
	if (page->frames == WITH_SIGNAL)
		return recurse_in_handler(page);
	if (page->frames == PLAIN)
		return (int)recurse(page, DEPTH);
	kept_frame(hide_and_recurse, page);
	return 0;
}

struct backtrace_page *page_make(enum frames frames)
{
	struct backtrace_page *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(page != MAP_FAILED);
	page->frames = frames;
	return page;
}

pid_t recursing_child(struct backtrace_page *page)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(start_recursing(page));
	}
	while (!__atomic_load_n(&page->ready, __ATOMIC_ACQUIRE))
		(void)sched_yield();
	return child;
}
