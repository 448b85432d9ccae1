/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forge stacks | mappings MILLISECONDS
 *
 * Points its frame-pointer chain at forged frames and spins until it has used that much CPU time.
 * With "stacks", the callers are known places in constantly changing orders. With "mappings", each
 * caller lies in its own mapping, and all the mappings are replaced every few milliseconds.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#pragma GCC optimize("no-omit-frame-pointer") /* keeps burn()'s frame pointer */

#define FRAMES 126
#define PLACES 64
#define PAGE 4096
#define SPINS_MAX 2000000 /* takes some milliseconds */

struct frame {
	struct frame *caller;
	uintptr_t return_addr;
};

static void shuffle(struct frame *frames)
{
	static uint64_t seed = 1;

	for (int i = 0; i < FRAMES; i++) {
		seed = seed * 6364136223846793005u + 1;
		frames[i].return_addr = (uintptr_t)shuffle + 1 + (seed >> 32) % PLACES;
	}
}

static void map_anew(struct frame *frames)
{
	static char *pages;
	static int fd = -1, round;

	if (fd < 0) {
		fd = open("/proc/self/exe", O_RDONLY);
		pages = mmap(NULL, FRAMES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	round++;
	for (int i = 0; i < FRAMES; i++) {
		char *page = mmap(pages + i * PAGE, PAGE, PROT_READ | PROT_EXEC,
				  MAP_PRIVATE | MAP_FIXED, fd, round % 2 * PAGE);

		if (page == MAP_FAILED)
			_exit(1);
		frames[i].return_addr = (uintptr_t)page + 16;
	}
	for (volatile int i = 0; i < SPINS_MAX; i++)
		;
}

/* Its caller is whatever the forged frames claim. */
__attribute__((noinline)) static void burn(struct frame *frames, void (*change)(struct frame *))
{
	struct frame *own = __builtin_frame_address(0);

	own->caller = frames;
	for (;;)
		change(frames);
}

static void stop(int signal)
{
	(void)signal;
	_exit(0);
}

int main(int argc, char **argv)
{
	/* above burn()'s frame, because some kernels walk only upwards */
	struct frame frames[FRAMES] = { 0 };

	if (argc < 3)
		return 2;

	long run_ms = strtol(argv[2], NULL, 10);
	struct itimerval limit = { .it_value = { run_ms / 1000, run_ms % 1000 * 1000 } };

	for (int i = 0; i + 1 < FRAMES; i++)
		frames[i].caller = &frames[i + 1];
	signal(SIGPROF, stop);
	setitimer(ITIMER_PROF, &limit, NULL);
	burn(frames, strcmp(argv[1], "stacks") == 0 ? shuffle : map_anew);
	return 1;
}
