/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugs DIRECTORY COUNT AT-ONCE MICROSECONDS
 *
 * Loads COUNT libraries, DIRECTORY/0.so and so on, AT-ONCE at a time, and spins in each in turn.
 * The MICROSECONDS are CPU time, so that a fast machine samples as many libraries as a slow one.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS 10000	/* between two looks at the clock: some tens of microseconds */

typedef void (*enter_fn)(long steps);

static volatile int sink;

__attribute__((noinline, noclone)) static void visit(enter_fn enter, long steps)
{
	enter(steps);
	sink++;
}

static void *load(const char *directory, int number)
{
	char path[4096];
	void *plug;

	snprintf(path, sizeof(path), "%s/%d.so", directory, number);
	plug = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!plug) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return plug;
}

static long cpu_time_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void spin(void *plug, long time_us)
{
	enter_fn enter = (enter_fn)dlsym(plug, "plug_enter");
	long end_us = cpu_time_us() + time_us;

	while (cpu_time_us() < end_us)
		visit(enter, STEPS);
}

int main(int argc, char **argv)
{
	int count = argc > 4 ? atoi(argv[2]) : 0, at_once = argc > 4 ? atoi(argv[3]) : 1;
	void **plugs = calloc((size_t)at_once, sizeof(*plugs));

	if (!plugs || argc != 5)
		return 2;
	for (int first = 0; first < count; first += at_once) {
		int end = first + at_once < count ? first + at_once : count;

		for (int i = first; i < end; i++)
			plugs[i - first] = load(argv[1], i);
		for (int i = first; i < end; i++)
			spin(plugs[i - first], atol(argv[4]));
		for (int i = first; i < end; i++)
			dlclose(plugs[i - first]);
	}
	return 0;
}
