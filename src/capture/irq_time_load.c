/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Getting the programs that time interrupts into the kernel, and saying why not. */
#include "capture/bpf_explain.h"
#include "capture/irq_time-private.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/proc_read.h"
#include "irq_time.skel.h"

#define KERNEL_IRQS "/sys/kernel/irq"

/* For interrupts that are requested while we run; and the most that are told apart. */
#define DEVICE_SLOTS_SPARE 64u
#define DEVICE_SLOTS_MAX 4096u

#define CALIBRATION_RUNS 5
#define CALIBRATION_PAIRS 1000u	/* as in irq_time.bpf.c */

DEFINE_CLEANUP(struct btf, btf__free);

static const char *const vector_tracepoints[] = {
#define IRQ_VECTOR(tracepoint, name, label) [IRQ_VECTOR_##tracepoint] = #tracepoint,
#include "bpf/irq_vectors.def"
#undef IRQ_VECTOR
};

/* ---- which ---- */

/* Each tracepoint that a program can be attached to has a type of this name. */
static bool has_tracepoint(const struct btf *btf, const char *name)
{
	char type[96];

	(void)snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) > 0;
}

/* Both or none: a beginning without an end says nothing. */
static void choose_vectors(struct irq_time *irq_time, const struct btf *btf)
{
	for (size_t i = 0; i < IRQ_VECTOR_COUNT; i++) {
		char entry[64], exit[64];

		(void)snprintf(entry, sizeof(entry), "%s_entry", vector_tracepoints[i]);
		(void)snprintf(exit, sizeof(exit), "%s_exit", vector_tracepoints[i]);
		if (!has_tracepoint(btf, entry) || !has_tracepoint(btf, exit))
			continue;
		irq_time->timed[i] = true;
		(void)bpf_program__set_autoload(
			bpf_object__find_program_by_name(irq_time->skel->obj, entry), true);
		(void)bpf_program__set_autoload(
			bpf_object__find_program_by_name(irq_time->skel->obj, exit), true);
	}
}

static int choose_programs(struct irq_time *irq_time, struct err *err)
{
	static const char *const needed[] = { "irq_handler_entry", "irq_handler_exit",
					      "softirq_entry", "softirq_exit" };
	_cleanup_(btf__freep) struct btf *btf = btf__load_vmlinux_btf();

	if (libbpf_get_error(btf)) {
		btf = NULL;
		return err_set(err, -EOPNOTSUPP,
			       "timing interrupts needs %s (CONFIG_DEBUG_INFO_BTF)", KERNEL_BTF);
	}
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (!has_tracepoint(btf, needed[i]))
			return err_set(err, -EOPNOTSUPP,
				       "timing interrupts needs the kernel's tracepoint irq:%s",
				       needed[i]);
		(void)bpf_program__set_autoload(
			bpf_object__find_program_by_name(irq_time->skel->obj, needed[i]), true);
	}
	choose_vectors(irq_time, btf);
	return 0;
}

/* ---- sizes ---- */

static uint32_t count_device_slots(void)
{
	DIR *directory = opendir(KERNEL_IRQS);
	unsigned long highest = 0;
	struct dirent *entry;

	while (directory && (entry = readdir(directory)) != NULL) {
		unsigned long number = strtoul(entry->d_name, NULL, 10);

		if (number > highest)
			highest = number;
	}
	if (directory)
		(void)closedir(directory);
	if (highest >= DEVICE_SLOTS_MAX - DEVICE_SLOTS_SPARE)
		return DEVICE_SLOTS_MAX;
	return (uint32_t)highest + DEVICE_SLOTS_SPARE;
}

static int set_sizes(struct irq_time *irq_time)
{
	struct irq_time_skel *skel = irq_time->skel;
	int cpu_count = libbpf_num_possible_cpus();

	if (cpu_count <= 0)
		return cpu_count < 0 ? cpu_count : -EINVAL;
	irq_time->cpu_count = (uint32_t)cpu_count;
	irq_time->device_slots = count_device_slots();
	skel->rodata->device_slots = irq_time->device_slots;
	skel->rodata->scratch_cpu = irq_time->cpu_count;
	skel->rodata->want_victims = !proc_is_in_pid_namespace();
	if (bpf_map__set_max_entries(skel->maps.cpus, irq_time->cpu_count + 1) ||
	    bpf_map__set_max_entries(skel->maps.devices,
				     irq_time->cpu_count * irq_time->device_slots))
		return -EINVAL;
	return 0;
}

/* ---- mapping ---- */

static size_t whole_pages(size_t size_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	return (size_bytes + page_bytes - 1) & ~(page_bytes - 1);
}

static size_t cpus_bytes(const struct irq_time *irq_time)
{
	return whole_pages((irq_time->cpu_count + 1) * sizeof(struct irq_cpu));
}

static size_t devices_bytes(const struct irq_time *irq_time)
{
	return whole_pages((size_t)irq_time->cpu_count * irq_time->device_slots *
			   sizeof(struct irq_sum));
}

static void *map_array(const struct bpf_map *map, size_t size_bytes)
{
	void *array = mmap(NULL, size_bytes, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

	return array == MAP_FAILED ? NULL : array;
}

static int map_arrays(struct irq_time *irq_time, struct err *err)
{
	const struct irq_time_skel *skel = irq_time->skel;

	irq_time->cpus = map_array(skel->maps.cpus, cpus_bytes(irq_time));
	if (irq_time->cpus)
		irq_time->devices = map_array(skel->maps.devices, devices_bytes(irq_time));
	if (!irq_time->devices)
		return err_sys(err, -errno, "cannot map the times of interrupts");
	return bpf_ring_map(&irq_time->ring, bpf_map__fd(skel->maps.evicted),
			    bpf_map__max_entries(skel->maps.evicted), err);
}

/* ---- cost ---- */

/* The least of some runs: an interrupt in one of them is no cost of ours. */
static uint64_t measure_pair(const struct irq_time *irq_time)
{
	int program_fd = bpf_program__fd(irq_time->skel->progs.calibrate);
	uint32_t least_ns = UINT32_MAX;

	for (int i = 0; i < CALIBRATION_RUNS; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, options);

		if (bpf_prog_test_run_opts(program_fd, &options) == 0 && options.retval < least_ns)
			least_ns = options.retval;
	}
	return least_ns == UINT32_MAX ? 0 : least_ns / CALIBRATION_PAIRS;
}

/* ---- loading ---- */

static int open_and_load(void *context, const struct bpf_object_open_opts *options, struct err *err)
{
	struct irq_time *irq_time = context;
	int code;

	irq_time->skel = irq_time_skel__open_opts(options);
	if (!irq_time->skel)
		return -errno;
	code = choose_programs(irq_time, err);
	if (code == 0)
		code = set_sizes(irq_time);
	return code < 0 ? code : irq_time_skel__load(irq_time->skel);
}

int irq_time_load(struct irq_time *irq_time, struct err *err)
{
	int code = bpf_load_explained("timing interrupts", open_and_load, irq_time, err);

	if (code == 0)
		code = map_arrays(irq_time, err);
	if (code == 0)
		irq_time->pair_ns = measure_pair(irq_time);
	return code;
}

void irq_time_unload(struct irq_time *irq_time)
{
	if (irq_time->cpus)
		(void)munmap(irq_time->cpus, cpus_bytes(irq_time));
	if (irq_time->devices)
		(void)munmap(irq_time->devices, devices_bytes(irq_time));
	bpf_ring_unmap(&irq_time->ring);
	irq_time_skel__destroy(irq_time->skel);
}

int irq_time_attach(struct irq_time *irq_time, struct err *err)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, irq_time->skel->obj)
	{
		int *link;
		int fd;

		if (!bpf_program__autoload(program) || program == irq_time->skel->progs.calibrate)
			continue;
		link = vec_push(&irq_time->links);
		if (!link)
			return err_sys(err, -ENOMEM, "cannot time interrupts");
		*link = -1;
		fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(program));
		if (fd < 0)
			return err_sys(err, fd, "cannot time interrupts: tracepoint %s",
				       bpf_program__name(program));
		*link = fd;
	}
	return 0;
}

void irq_time_switch(struct irq_time *irq_time, bool on)
{
	irq_time->skel->bss->enabled = on;
}
