/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forge stacks | mappings MILLISECONDS
 *
 * Points its frame-pointer chain at frames of its own making and spins until so much CPU time
 * is used up.  "stacks": the callers are known places in ever new orders.  "mappings": each
 * caller lies in a mapping of its own, all of which are mapped anew every few milliseconds.
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

#pragma GCC optimize("no-omit-frame-pointer") /* the register stays what burn() made it */

#define FRAMES 126
#define PLACES 64
#define PAGE 4096
#define SPINS_MAX 2000000 /* some milliseconds */

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

/* Its caller is whom the frames say. */
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
	struct frame frames[FRAMES] = { 0 }; /* above burn()'s: some kernels walk only upwards */

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
