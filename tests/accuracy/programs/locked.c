// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The thread "writer" holds a lock while it sleeps, and the thread "reader" needs the lock. Prints
 * how long the reader waited for the lock.
 *	locked ROUNDS MS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_begins, round_ends;
static volatile uint64_t waited_ns;
static int rounds;
static long sleep_ms;

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void nap(long ms)
{
	struct timespec wait = { ms / 1000, ms % 1000 * 1000000 };

	(void)nanosleep(&wait, NULL);
}

__attribute__((noipa)) static void hold(void)
{
	nap(sleep_ms);
	waited_ns += 0;
}

__attribute__((noipa)) static void need(void)
{
	uint64_t from_ns = now_ns();

	(void)pthread_mutex_lock(&lock);
	waited_ns += now_ns() - from_ns;
	(void)pthread_mutex_unlock(&lock);
}

static void *writer(void *unused)
{
	(void)pthread_setname_np(pthread_self(), "writer");
	for (int i = 0; i < rounds; i++) {
		(void)pthread_mutex_lock(&lock);
		(void)pthread_barrier_wait(&round_begins);
		hold();
		(void)pthread_mutex_unlock(&lock);
		(void)pthread_barrier_wait(&round_ends);
	}
	return NULL;
}

static void *reader(void *unused)
{
	(void)pthread_setname_np(pthread_self(), "reader");
	for (int i = 0; i < rounds; i++) {
		(void)pthread_barrier_wait(&round_begins);
		need();
		(void)pthread_barrier_wait(&round_ends);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc != 3)
		return 2;
	rounds = atoi(argv[1]);
	sleep_ms = atoi(argv[2]);
	(void)pthread_barrier_init(&round_begins, NULL, 2);
	(void)pthread_barrier_init(&round_ends, NULL, 2);
	(void)pthread_create(&threads[0], NULL, writer, NULL);
	(void)pthread_create(&threads[1], NULL, reader, NULL);
	(void)pthread_join(threads[0], NULL);
	(void)pthread_join(threads[1], NULL);
	(void)printf("waited %llu\n", (unsigned long long)waited_ns);
	return 0;
}
