/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torture FILE: probes its own stack in every case of cases.h, in several threads too, and writes
 * the result to FILE (probe.h). PLUGIN in the environment names the library that frames_plugin()
 * loads.
 */
#include "cases.h"

#include <pthread.h>
#include <stdio.h>

#define THREADS 4

static void run(uint64_t site, void (*run_case)(void))
{
	probe_site = site;
	run_case();
}

static void common(void)
{
	signals_thread();
	run(1, frames_recursion);
	run(2, frames_alloca);
	run(3, frames_realigned);
	run(4, frames_callbacks);
	run(5, frames_jumps);
	run(6, frames_contexts);
	run(7, frames_deep);
	run(8, signals_raised);
	run(9, signals_first_instruction);
	run(10, throws_all);
}

static void *thread_main(void *unused)
{
	common();
	run(11, throws_forced);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	if (argc != 2) {
		fprintf(stderr, "usage: torture FILE\n");
		return 2;
	}
	probe_begin();
	signals_prepare();
	run(12, signals_stepped);
	common();
	run(13, frames_plugin);
	run(14, signals_timed);
	run(15, signals_faulted);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return probe_end(argv[1]);
}
