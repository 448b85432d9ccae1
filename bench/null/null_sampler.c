/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * null_sampler OBJECT HZ SECONDS CPU [u]: runs the BPF program of the object file at each tick of
 * the CPU, in the same way as the in-kernel sampler, and does nothing else. With u, it runs only at
 * ticks in user mode.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

static int attach(struct bpf_program *program, int cpu, unsigned long hz, int only_user)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = 1000000000 / hz,
		.exclude_kernel = only_user,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 || !bpf_program__attach_perf_event(program, fd) ? -1 : 0;
}

int main(int argc, char **argv)
{
	if (argc != 5 && argc != 6) {
		fprintf(stderr, "usage: null_sampler OBJECT HZ SECONDS CPU [u]\n");
		return 2;
	}
	struct bpf_object *object = bpf_object__open(argv[1]);
	struct bpf_program *program = object ? bpf_object__next_program(object, NULL) : NULL;

	if (!program || bpf_object__load(object) < 0) {
		fprintf(stderr, "null_sampler: cannot load %s\n", argv[1]);
		return 1;
	}
	if (attach(program, atoi(argv[4]), strtoul(argv[2], NULL, 10), argc == 6) < 0) {
		perror("null_sampler: attach");
		return 1;
	}
	sleep((unsigned)strtoul(argv[3], NULL, 10));
	return 0;
}
