/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads and attaches the BPF programs that time interrupts, and explains failures. */
#include "sampler/bpf_explain.h"
#include "sampler/irq_time-private.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/proc_read.h"
#include "irq_time.skel.h"

#define KERNEL_IRQS "/sys/kernel/irq"

/*
 * Each interrupt number has a slot, as long as the number is small enough. There are spare slots
 * for interrupts that drivers request during the recording. The last slot is shared by all
 * interrupts whose number is too high for a slot of its own.
 */
#define DEVICE_SLOTS_SPARE 64u
#define DEVICE_SLOTS_MAX 4096u

#define CALIBRATION_RUNS 5
#define CALIBRATION_PAIRS 1000u	/* must equal the value in irq_time.bpf.c */

static const char *const vector_tracepoints[] = {
#define IRQ_VECTOR(tracepoint, name, label) [IRQ_VECTOR_##tracepoint] = #tracepoint,
#include "bpf/irq_vectors.def"
#undef IRQ_VECTOR
};

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

int irq_time_cpus_fd(const struct irq_time *irq_time)
{
	return bpf_map__fd(irq_time->skel->maps.cpus);
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
		return err_sys(err, -errno, "cannot map the array of interrupt times");
	return bpf_ring_map(&irq_time->ring, bpf_map__fd(skel->maps.evicted),
			    bpf_map__max_entries(skel->maps.evicted), err);
}

/* ---- cost ---- */

/*
 * Measures how long the two programs around one handler take. Uses the shortest of several runs,
 * because an interrupt during a run would be included in its time.
 */
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
	code = set_sizes(irq_time);
	return code < 0 ? code : irq_time_skel__load(irq_time->skel);
}

int irq_time_load(struct irq_time *irq_time, struct err *err)
{
	int code = bpf_load_explained("timing interrupts", open_and_load, irq_time, err);

	if (code < 0)
		return code;
	code = map_arrays(irq_time, err);
	if (code < 0)
		return code;
	irq_time->pair_ns = measure_pair(irq_time);
	return 0;
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

/* ---- attaching ---- */

/* Returns 0, -ENOENT if the kernel does not have the tracepoint, or another error. */
static int attach(struct irq_time *irq_time, const struct bpf_program *program,
		  const char *tracepoint)
{
	int *link = vec_push(&irq_time->links);
	int fd;

	if (!link)
		return -ENOMEM;
	*link = -1;
	fd = bpf_raw_tracepoint_open(tracepoint, bpf_program__fd(program));
	if (fd < 0)
		return fd;
	*link = fd;
	return 0;
}

static int attach_by_name(struct irq_time *irq_time, const char *name)
{
	return attach(irq_time, bpf_object__find_program_by_name(irq_time->skel->obj, name), name);
}

/* Attaches the exit program first, because the entry program is useless without it. */
static int attach_vector(struct irq_time *irq_time, enum irq_vector vector)
{
	char entry[64], exit[64];
	int rc;

	(void)snprintf(entry, sizeof(entry), "%s_entry", vector_tracepoints[vector]);
	(void)snprintf(exit, sizeof(exit), "%s_exit", vector_tracepoints[vector]);
	rc = attach_by_name(irq_time, exit);
	if (rc == 0)
		rc = attach(irq_time, irq_time->skel->progs.vector_entry, entry);
	irq_time->timed[vector] = rc == 0;
	return rc == -ENOENT ? 0 : rc;
}

int irq_time_attach(struct irq_time *irq_time, struct err *err)
{
	static const char *const needed[] = { "irq_handler_exit", "irq_handler_entry",
					      "softirq_exit", "softirq_entry" };
	int rc;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		rc = attach_by_name(irq_time, needed[i]);
		if (rc == -ENOENT)
			return err_set(err, -EOPNOTSUPP,
				       "timing interrupts needs the kernel's tracepoint irq:%s",
				       needed[i]);
		if (rc < 0)
			return err_sys(err, rc, "cannot time interrupts: tracepoint irq:%s",
				       needed[i]);
	}
	for (size_t i = 0; i < IRQ_VECTOR_COUNT; i++) {
		rc = attach_vector(irq_time, (enum irq_vector)i);
		if (rc < 0)
			return err_sys(err, rc, "cannot time interrupts");
	}
	return 0;
}

void irq_time_switch(struct irq_time *irq_time, bool on)
{
	irq_time->skel->bss->enabled = on;
}
