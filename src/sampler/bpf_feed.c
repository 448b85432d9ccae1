/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the data that the sampler reads in the kernel: rings, targets, processes, tables. */
#include "sampler/bpf_feed.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sampler/bpf_sampler-private.h"
#include "sampler.skel.h"

/*
 * Stores map descriptors in the slots of a map of maps. After each such update the kernel waits for
 * running programs, which takes tens of milliseconds; a batch of updates waits only once. On
 * kernels without batch updates for such maps, the descriptors are stored one by one.
 */
static int put_maps(int map_fd, const uint32_t *slots, const int *fds, size_t count)
{
	uint32_t batch_count = (uint32_t)count;
	int code;

	if (count == 0)
		return 0;
	code = bpf_map_update_batch(map_fd, slots, fds, &batch_count, NULL);
	for (size_t i = 0; code < 0 && i < count; i++) {
		int put = bpf_map_update_elem(map_fd, &slots[i], &fds[i], BPF_ANY);

		if (put < 0)
			return put;
	}
	return 0;
}

static int make_ring(const struct bpf_sampler *sampler)
{
	return bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0,
			      (uint32_t)sampler->options.ring_bytes, NULL);
}

int bpf_sampler_add_rings(struct bpf_sampler *sampler, const struct cpus *cpus, struct err *err)
{
	_cleanup_free_ uint32_t *slots = calloc(cpus->count, sizeof(*slots));
	_cleanup_free_ int *fds = calloc(cpus->count, sizeof(*fds));
	size_t count = 0;
	int code;

	if (!slots || !fds)
		return err_sys(err, -ENOMEM, "cannot create the sampler's rings");
	for (size_t i = 0; i < cpus->count; i++) {
		int cpu = cpus->at[i];

		if (cpu >= sampler->cpu_count || sampler->ring_fds[cpu] >= 0)
			continue;
		sampler->ring_fds[cpu] = make_ring(sampler);
		if (sampler->ring_fds[cpu] < 0) {
			code = sampler->ring_fds[cpu];
			if (code == -EMFILE)
				return err_set(err, code,
					       "no file descriptors are left for the sampler's "
					       "rings, one per CPU (raise ulimit -n)");
			return err_sys(err, code, "cannot create a BPF ring of %zu KiB",
				       sampler->options.ring_bytes / 1024);
		}
		slots[count] = (uint32_t)cpu;
		fds[count++] = sampler->ring_fds[cpu];
	}
	code = put_maps(bpf_map__fd(sampler->skel->maps.rings), slots, fds, count);
	return code < 0 ? err_sys(err, code, "cannot install the sampler's rings") : 0;
}

int bpf_sampler_add_target(struct bpf_sampler *sampler, uint32_t tgid)
{
	uint64_t life = 0;

	return bpf_map_update_elem(bpf_map__fd(sampler->skel->maps.targets), &tgid, &life, BPF_ANY);
}

struct wire_mapping *bpf_sampler_mappings(const struct bpf_sampler *sampler)
{
	return sampler->mappings;
}

struct unwind_rule *bpf_sampler_rules(const struct bpf_sampler *sampler)
{
	return sampler->rules;
}

/*
 * Runs one of the programs that change the map `processes` (bpf/lives.h). Returns the program's
 * result or a negative errno.
 */
static int run_for(const struct bpf_program *program, const struct wire_entry *entry)
{
	struct wire_entry argument = *entry;
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &argument,
		    .ctx_size_in = sizeof(argument));
	int code = bpf_prog_test_run_opts(bpf_program__fd(program), &options);

	return code < 0 ? code : (int)options.retval;
}

int bpf_sampler_set_process(struct bpf_sampler *sampler, uint32_t tgid,
			    const struct wire_process *process)
{
	const struct wire_entry entry = { .process = *process, .tgid = tgid };

	return run_for(sampler->skel->progs.enter_process, &entry);
}

int bpf_sampler_remove_process(struct bpf_sampler *sampler, uint32_t tgid)
{
	const struct wire_entry entry = { .tgid = tgid };

	return run_for(sampler->skel->progs.remove_process, &entry);
}

static size_t table_bytes(size_t line_count)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (line_count * sizeof(struct wire_line) + page - 1) & ~(page - 1);
}

int bpf_sampler_make_table(size_t line_count, struct wire_line **ret_lines, struct err *err)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	_cleanup_close_ int fd = -1;
	void *lines;

	if (line_count == 0 || line_count > UINT32_MAX)
		return err_set(err, -E2BIG, "an unwind table cannot have %zu lines", line_count);
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "table", sizeof(uint32_t), sizeof(struct wire_line),
			    (uint32_t)line_count, &options);
	if (fd < 0)
		return err_sys(err, fd, "cannot create an unwind table of %zu lines", line_count);
	lines = mmap(NULL, table_bytes(line_count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (lines == MAP_FAILED)
		return err_sys(err, -errno, "cannot map an unwind table of %zu lines", line_count);
	*ret_lines = lines;
	return TAKE_FD(fd);
}

void bpf_sampler_unmap_table(struct wire_line *lines, size_t line_count)
{
	(void)munmap(lines, table_bytes(line_count));
}

/*
 * Returns the descriptor of an empty table. A slot that should have no table gets this one. If the
 * slots were deleted instead, the kernel would wait for running BPF programs once for each slot.
 */
static int empty_table(struct bpf_sampler *sampler, struct err *err)
{
	struct wire_line *lines;

	if (sampler->empty_table_fd < 0) {
		sampler->empty_table_fd = bpf_sampler_make_table(1, &lines, err);
		if (sampler->empty_table_fd >= 0)
			bpf_sampler_unmap_table(lines, 1);
	}
	return sampler->empty_table_fd;
}

static int put_tables(struct bpf_sampler *sampler, const uint32_t *slots, const int *fds,
		      size_t count, struct err *err)
{
	_cleanup_free_ int *full = calloc(count + 1, sizeof(*full));

	if (!full)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		full[i] = fds[i] >= 0 ? fds[i] : empty_table(sampler, err);
		if (full[i] < 0)
			return full[i];
	}
	return put_maps(bpf_map__fd(sampler->skel->maps.tables), slots, full, count);
}

int bpf_sampler_set_tables(struct bpf_sampler *sampler, const uint32_t *slots, const int *fds,
			   size_t count, struct err *err)
{
	int code = put_tables(sampler, slots, fds, count, err);

	return code < 0 ? err_sys(err, code, "cannot load unwind tables into the kernel") : 0;
}

/*
 * Waits until all running BPF programs have finished. The kernel does this after each update of a
 * map of maps, so the function replaces an entry by itself, which changes nothing.
 */
int bpf_sampler_wait(struct bpf_sampler *sampler)
{
	int map_fd = bpf_map__fd(sampler->skel->maps.rings);

	for (uint32_t cpu = 0; cpu < (uint32_t)sampler->cpu_count; cpu++)
		if (sampler->ring_fds[cpu] >= 0)
			return bpf_map_update_elem(map_fd, &cpu, &sampler->ring_fds[cpu], BPF_ANY);
	return -ENOENT;
}
