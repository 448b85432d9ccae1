/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/stopwatch-private.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampler/bpf_explain.h"
#include "stopwatch.skel.h"

/* Of newer kernels. Source: include/uapi/linux/bpf.h of 6.6. */
#define ATTACH_UPROBE_MULTI 48
#define UPROBE_MULTI_RETURN 1u
/* The kernel's own ENOTSUPP (include/linux/errno.h), which it returns all the same. */
#define KERNEL_ENOTSUPP 524

struct link_uprobe_multi {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, multi_flags, pid, unused;
};

/* ---- loading ---- */

static void choose_programs(const struct stopwatch *stopwatch)
{
	struct stopwatch_skel *skel = stopwatch->skel;
	bool functions = stopwatch->function_count > 0, calls = stopwatch->calls.count > 0;
	bool by_kernel = stopwatch->options.return_probes;

	(void)bpf_program__set_expected_attach_type(skel->progs.function_entry,
						    ATTACH_UPROBE_MULTI);
	(void)bpf_program__set_expected_attach_type(skel->progs.function_exit, ATTACH_UPROBE_MULTI);
	(void)bpf_program__set_expected_attach_type(skel->progs.function_return,
						    ATTACH_UPROBE_MULTI);
	(void)bpf_program__set_autoload(skel->progs.function_entry, functions);
	(void)bpf_program__set_autoload(skel->progs.function_exit, functions && !by_kernel);
	(void)bpf_program__set_autoload(skel->progs.function_return, functions && by_kernel);
	(void)bpf_program__set_autoload(skel->progs.call_entry, calls);
	(void)bpf_program__set_autoload(skel->progs.call_return, calls);
}

static int open_and_load(void *context, const struct bpf_object_open_opts *options, struct err *err)
{
	struct stopwatch *stopwatch = context;
	int cpu_count = libbpf_num_possible_cpus();

	if (cpu_count <= 0)
		return cpu_count < 0 ? cpu_count : -EINVAL;
	stopwatch->cpu_count = (uint32_t)cpu_count;
	stopwatch->skel = stopwatch_skel__open_opts(options);
	if (!stopwatch->skel)
		return -errno;
	choose_programs(stopwatch);
	stopwatch->skel->rodata->span_count = (uint32_t)stopwatch_span_count(stopwatch);
	for (size_t i = 0; i < stopwatch->calls.count; i++)
		stopwatch->skel->rodata->call_spans[stopwatch->calls.at[i].number] =
			(uint32_t)(stopwatch->function_count + i + 1);
	stopwatch->skel->rodata->all_processes = stopwatch->options.tgid_count == 0;
	if (bpf_map__set_max_entries(stopwatch->skel->maps.sums,
				     stopwatch->cpu_count * stopwatch->skel->rodata->span_count) <
	    0)
		return -EINVAL;
	return stopwatch_skel__load(stopwatch->skel);
}

static int map_sums(struct stopwatch *stopwatch, struct err *err)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)stopwatch->cpu_count * stopwatch_span_count(stopwatch) *
		       sizeof(struct span_sum);
	void *sums;

	stopwatch->sums_bytes = (bytes + page_bytes - 1) & ~(page_bytes - 1);
	sums = mmap(NULL, stopwatch->sums_bytes, PROT_READ, MAP_SHARED,
		    bpf_map__fd(stopwatch->skel->maps.sums), 0);
	if (sums == MAP_FAILED)
		return err_sys(err, -errno, "cannot map the sums of the spans");
	stopwatch->sums = sums;
	return 0;
}

/* ---- attaching ---- */

static int keep_link(struct stopwatch *stopwatch, int fd)
{
	int *slot = fd < 0 ? NULL : vec_push(&stopwatch->links);

	if (slot)
		*slot = fd;
	else if (fd >= 0)
		(void)close(fd);
	return fd < 0 ? fd : slot ? 0 : -ENOMEM;
}

static int attach_multi(struct stopwatch *stopwatch, const struct bpf_program *program,
			uint32_t flags, const char *path, const uint64_t *offsets,
			const uint64_t *cookies, size_t count)
{
	struct link_uprobe_multi link = {
		.prog_fd = (uint32_t)bpf_program__fd(program),
		.attach_type = ATTACH_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offsets,
		.cookies = (uintptr_t)cookies,
		.cnt = (uint32_t)count,
		.multi_flags = flags,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link));

	return keep_link(stopwatch, fd < 0 ? -errno : (int)fd);
}

/* The places of one program in one image, and the spans they belong to. */
struct places {
	VEC(uint64_t) offsets;
	VEC(uint64_t) cookies;
};

static int add_place(struct places *places, uint64_t offset, uint64_t span)
{
	uint64_t *at = vec_push(&places->offsets), *cookie = vec_push(&places->cookies);

	if (!at || !cookie)
		return -ENOMEM;
	*at = offset;
	*cookie = span;
	return 0;
}

static int add_function(const struct watched_image *image, size_t i, struct places *entries,
			struct places *exits)
{
	const struct found_functions *functions = &image->functions;
	const struct found_function *function = &functions->list.at[i];
	struct probe_entry entry = probe_entry_of(functions->machine, function->code,
						  sizeof(function->code));
	uint64_t span = image->first_span + i;
	int rc = add_place(entries, function->offset + entry.skip_bytes, span);

	for (uint32_t k = 0; k < function->exit_count && rc == 0; k++)
		rc = add_place(exits, functions->exits.at[function->first_exit + k], span);
	return rc;
}

/* The ends come first: a span that has begun must be able to end. */
static int attach_places(struct stopwatch *stopwatch, const char *path,
			 const struct places *entries, const struct places *exits)
{
	const struct stopwatch_skel *skel = stopwatch->skel;
	int rc = 0;

	if (stopwatch->options.return_probes)
		rc = attach_multi(stopwatch, skel->progs.function_return, UPROBE_MULTI_RETURN, path,
				  entries->offsets.at, entries->cookies.at, entries->offsets.count);
	else if (exits->offsets.count)
		rc = attach_multi(stopwatch, skel->progs.function_exit, 0, path, exits->offsets.at,
				  exits->cookies.at, exits->offsets.count);
	return rc < 0 ? rc
		      : attach_multi(stopwatch, skel->progs.function_entry, 0, path,
				     entries->offsets.at, entries->cookies.at,
				     entries->offsets.count);
}

static void places_fini(struct places *places)
{
	vec_free(&places->offsets);
	vec_free(&places->cookies);
}

static void drop_links(struct stopwatch *stopwatch, size_t count)
{
	while (stopwatch->links.count > count)
		(void)close(stopwatch->links.at[--stopwatch->links.count]);
}

/* Sets the probes of @count functions at once. Leaves none of them if that fails. */
static int attach_functions(struct stopwatch *stopwatch, const struct watched_image *image,
			    size_t first, size_t count)
{
	struct places entries = { 0 }, exits = { 0 };
	size_t link_count = stopwatch->links.count;
	char path[64];
	int rc = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", image->fd);
	for (size_t i = first; i < first + count && rc == 0; i++)
		rc = add_function(image, i, &entries, &exits);
	if (rc == 0)
		rc = attach_places(stopwatch, path, &entries, &exits);
	if (rc < 0)
		drop_links(stopwatch, link_count);
	places_fini(&entries);
	places_fini(&exits);
	return rc;
}

/*
 * The kernel refuses some instructions, such as those with a lock prefix, and does not say where.
 * Then halves are tried, and single functions are left out.
 */
static int attach_most(struct stopwatch *stopwatch, const struct watched_image *image, size_t first,
		       size_t count)
{
	int rc = attach_functions(stopwatch, image, first, count);

	if (rc != -KERNEL_ENOTSUPP)
		return rc;
	if (count == 1) {
		stopwatch->left_out++;
		return image->functions.list.count == 1 ? rc : 0;
	}
	rc = attach_most(stopwatch, image, first, count / 2);
	return rc < 0 ? rc : attach_most(stopwatch, image, first + count / 2, count - count / 2);
}

static int attach_image(struct stopwatch *stopwatch, const struct watched_image *image,
			struct err *err)
{
	int rc = attach_most(stopwatch, image, 0, image->functions.list.count);

	if (rc == -KERNEL_ENOTSUPP)
		return err_set(err, rc,
			       "%s: %s: the kernel cannot set a probe at its first instruction, or "
			       "at one that returns",
			       image->path, image->functions.list.at[0].name);
	if (rc == -EINVAL)
		return err_set(err, rc,
			       "%s: the kernel refuses the probes; Linux 6.6 is needed to set them "
			       "(uprobe_multi)",
			       image->path);
	return rc < 0 ? err_sys(err, rc, "%s: cannot set the probes", image->path) : 0;
}

static int attach_traced(struct stopwatch *stopwatch, const struct bpf_program *program)
{
	return keep_link(stopwatch, bpf_raw_tracepoint_open(NULL, bpf_program__fd(program)));
}

static int attach_calls(struct stopwatch *stopwatch, struct err *err)
{
	int rc;

	if (!stopwatch->calls.count)
		return 0;
	rc = attach_traced(stopwatch, stopwatch->skel->progs.call_return);
	if (rc == 0)
		rc = attach_traced(stopwatch, stopwatch->skel->progs.call_entry);
	return rc < 0 ? err_sys(err, rc, "cannot time system calls") : 0;
}

static int attach_tasks(struct stopwatch *stopwatch, struct err *err)
{
	const struct bpf_program *const programs[] = { stopwatch->skel->progs.task_exits,
						       stopwatch->skel->progs.task_executes,
						       stopwatch->skel->progs.task_freed,
						       stopwatch->skel->progs.task_forked };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		int rc = attach_traced(stopwatch, programs[i]);

		if (rc < 0)
			return err_sys(err, rc, "cannot follow tasks");
	}
	return 0;
}

int stopwatch_load(struct stopwatch *stopwatch, struct err *err)
{
	int rc = bpf_load_explained("the stopwatch", open_and_load, stopwatch, err);

	if (rc == 0)
		rc = map_sums(stopwatch, err);
	for (size_t i = 0; i < stopwatch->options.tgid_count && rc == 0; i++)
		rc = stopwatch_add_process(stopwatch, stopwatch->options.tgids[i], err);
	if (rc == 0)
		rc = attach_tasks(stopwatch, err);
	for (size_t i = 0; i < stopwatch->images.count && rc == 0; i++)
		rc = attach_image(stopwatch, &stopwatch->images.at[i], err);
	return rc < 0 ? rc : attach_calls(stopwatch, err);
}

int stopwatch_add_process(struct stopwatch *stopwatch, uint32_t tgid, struct err *err)
{
	const uint8_t one = 1;
	int rc = bpf_map_update_elem(bpf_map__fd(stopwatch->skel->maps.targets), &tgid, &one,
				     BPF_ANY);

	return rc < 0 ? err_sys(err, rc, "cannot measure process %u", tgid) : 0;
}

void stopwatch_enable(struct stopwatch *stopwatch)
{
	stopwatch->skel->bss->enabled = 1;
}

void stopwatch_disable(struct stopwatch *stopwatch)
{
	drop_links(stopwatch, 0);
	stopwatch->skel->bss->enabled = 0;
}

static uint64_t skipped(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size_bytes = sizeof(info);
	int fd = bpf_program__fd(program);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size_bytes) < 0)
		return 0;
	return info.recursion_misses;
}

uint64_t stopwatch_skipped(const struct stopwatch *stopwatch)
{
	const struct stopwatch_skel *skel = stopwatch->skel;

	return skipped(skel->progs.function_entry) + skipped(skel->progs.function_exit) +
	       skipped(skel->progs.function_return) + skipped(skel->progs.call_entry) +
	       skipped(skel->progs.call_return);
}

void stopwatch_unload(struct stopwatch *stopwatch)
{
	drop_links(stopwatch, 0);
	vec_free(&stopwatch->links);
	if (stopwatch->sums)
		(void)munmap(stopwatch->sums, stopwatch->sums_bytes);
	stopwatch_skel__destroy(stopwatch->skel);
}
