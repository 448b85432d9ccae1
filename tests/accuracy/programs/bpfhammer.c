/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfhammer.c - a process that is in bpf(2) most of its time
 *
 *	bpfhammer SECONDS CPU
 *
 * Updates the entries of a hash that has large values, on one CPU. Prints how many updates per
 * second it made, to show that it ran.
 */
#include <linux/bpf.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define VALUE_BYTES 16384
#define ENTRIES 64
#define BATCH 256

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int make_map(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_HASH;
	attr.key_size = sizeof(uint32_t);
	attr.value_size = VALUE_BYTES;
	attr.max_entries = ENTRIES;
	return (int)bpf(BPF_MAP_CREATE, &attr);
}

static long update(int map_fd, uint32_t key)
{
	static char value[VALUE_BYTES];
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map_fd;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)value;
	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static double now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, start = now();
	uint64_t count = 0;
	cpu_set_t cpus;
	int map_fd;

	CPU_ZERO(&cpus);
	CPU_SET(argc > 2 ? (size_t)atoi(argv[2]) : 0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0) {
		perror("sched_setaffinity");
		return 1;
	}
	map_fd = make_map();
	if (map_fd < 0) {
		perror("bpf");
		return 1;
	}
	while (now() - start < seconds)
		for (int i = 0; i < BATCH; i++)
			if (update(map_fd, (uint32_t)(count++ % ENTRIES)) < 0) {
				perror("update");
				return 1;
			}
	(void)printf("%.0f updates a second\n", (double)count / (now() - start));
	return 0;
}
