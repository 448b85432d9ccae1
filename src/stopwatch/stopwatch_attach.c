/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/stopwatch-private.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/small_file.h"
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

/* ---- links ---- */

static int keep_link(struct stopwatch *stopwatch, int fd)
{
	int *slot = fd < 0 ? NULL : vec_push(&stopwatch->links);

	if (slot)
		*slot = fd;
	else if (fd >= 0)
		(void)close(fd);
	return fd < 0 ? fd : slot ? 0 : -ENOMEM;
}

static void drop_links(struct stopwatch *stopwatch, size_t count)
{
	while (stopwatch->links.count > count)
		(void)close(stopwatch->links.at[--stopwatch->links.count]);
}

void stopwatch_detach(struct stopwatch *stopwatch)
{
	drop_links(stopwatch, 0);
}

/* The points of one program, and what is done there. */
struct places {
	VEC(uint64_t) at;	/* offsets in a file, or addresses of the kernel */
	VEC(uint64_t) cookies;
	/* of each, or empty: the offset of a counter that is above 0 while the probe is set */
	VEC(uint64_t) semaphores;
};

static int add_place(struct places *places, uint64_t place, uint64_t cookie)
{
	uint64_t *at = vec_push(&places->at), *slot = vec_push(&places->cookies);

	if (!at || !slot)
		return -ENOMEM;
	*at = place;
	*slot = cookie;
	return 0;
}

static void places_fini(struct places *places)
{
	vec_free(&places->at);
	vec_free(&places->cookies);
	vec_free(&places->semaphores);
}

/* ---- perf events: tracepoints, and probes where the kernel has nothing better ---- */

/* Runs the program at every hit of the event, on every CPU. */
static int attach_event(struct stopwatch *stopwatch, const struct bpf_program *program,
			struct perf_event_attr *attr, uint64_t cookie)
{
	const struct bpf_link_create_opts options = { .sz = sizeof(options),
						      .perf_event.bpf_cookie = cookie };
	int event, link, rc;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	attr->wakeup_events = 1;
	event = (int)syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	rc = keep_link(stopwatch, event < 0 ? -errno : event);
	if (rc < 0)
		return rc;
	link = bpf_link_create(bpf_program__fd(program), event, BPF_PERF_EVENT, &options);
	rc = keep_link(stopwatch, link < 0 ? -errno : link);
	if (rc < 0)
		return rc;
	return ioctl(event, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

/*
 * @pmu is "uprobe" or "kprobe". The bit for returns is bit 0, and the semaphore is in the upper
 * half, in all kernels so far.
 */
static int attach_probe(struct stopwatch *stopwatch, const struct bpf_program *program,
			const char *pmu, const char *path, bool is_return,
			const struct places *places, size_t i)
{
	uint64_t semaphore = places->semaphores.count ? places->semaphores.at[i] : 0;
	struct perf_event_attr attr = { .config = is_return | semaphore << 32,
					.config1 = (uintptr_t)path,
					.config2 = places->at.at[i] };
	char type_path[64];
	int64_t type;
	int rc;

	(void)snprintf(type_path, sizeof(type_path), "/sys/bus/event_source/devices/%s/type", pmu);
	rc = small_file_number(type_path, &type);
	if (rc < 0)
		return -EOPNOTSUPP;
	attr.type = (uint32_t)type;
	return attach_event(stopwatch, program, &attr, places->cookies.at[i]);
}

/* ---- functions ---- */

static int attach_multi(struct stopwatch *stopwatch, const struct bpf_program *program,
			uint32_t flags, const char *path, const struct places *places)
{
	struct link_uprobe_multi link = {
		.prog_fd = (uint32_t)bpf_program__fd(program),
		.attach_type = ATTACH_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)places->at.at,
		.ref_ctr_offsets = (uintptr_t)places->semaphores.at,
		.cookies = (uintptr_t)places->cookies.at,
		.cnt = (uint32_t)places->at.count,
		.multi_flags = flags,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link));

	return keep_link(stopwatch, fd < 0 ? -errno : (int)fd);
}

/* Sets all probes of a program at once, or, before Linux 6.6, one by one. */
static int attach_places(struct stopwatch *stopwatch, const struct bpf_program *program,
			 bool is_return, const char *path, const struct places *places)
{
	int rc;

	if (!places->at.count)
		return 0;
	rc = attach_multi(stopwatch, program, is_return ? UPROBE_MULTI_RETURN : 0, path, places);
	if (rc != -EINVAL)
		return rc;
	rc = 0;
	for (size_t i = 0; i < places->at.count && rc == 0; i++)
		rc = attach_probe(stopwatch, program, "uprobe", path, is_return, places, i);
	return rc;
}

static int add_function(const struct stopwatch *stopwatch, const struct watched_image *image,
			size_t i, struct places *entries, struct places *exits)
{
	const struct found_functions *functions = &image->functions;
	const struct found_function *function = &functions->list.at[i];
	const struct site *site = &image->site;
	struct probe_entry entry = probe_entry_of(functions->machine, function->code,
						  sizeof(function->code));
	uint64_t first = function->offset + entry.skip_bytes;
	uint64_t cookie = site_cookie(site, i, entry.cost);
	bool has_entry = site_is_call(site) || !site->at_return;
	bool has_exit = site_is_call(site) || site->at_return;
	int rc = has_entry ? add_place(entries, first, cookie) : 0;

	if (!has_exit || rc < 0)
		return rc;
	if (stopwatch->options.return_probes)
		return add_place(exits, first, cookie);
	for (uint32_t k = 0; k < function->exit_count && rc == 0; k++)
		rc = add_place(exits, functions->exits.at[function->first_exit + k], cookie);
	return rc;
}

/* Returns the program that runs where functions return. */
static const struct bpf_program *exit_program(const struct stopwatch *stopwatch)
{
	const struct stopwatch_skel *skel = stopwatch->skel;

	if (stopwatch->options.by == SPAN_BY_CALLER)
		return stopwatch->options.return_probes ? skel->progs.function_return_by_caller
							: skel->progs.function_exit_by_caller;
	return stopwatch->options.return_probes ? skel->progs.function_return
						: skel->progs.function_exit;
}

/* Sets the probes of @count functions at once. Leaves none of them if that fails. */
static int attach_functions(struct stopwatch *stopwatch, const struct watched_image *image,
			    size_t first, size_t count)
{
	const struct stopwatch_skel *skel = stopwatch->skel;
	bool by_kernel = stopwatch->options.return_probes;
	struct places entries = { 0 }, exits = { 0 };
	size_t link_count = stopwatch->links.count;
	char path[64];
	int rc = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", image->fd);
	for (size_t i = first; i < first + count && rc == 0; i++)
		rc = add_function(stopwatch, image, i, &entries, &exits);
	if (rc == 0)
		rc = attach_places(stopwatch, exit_program(stopwatch), by_kernel, path, &exits);
	if (rc == 0)
		rc = attach_places(stopwatch, skel->progs.function_entry, false, path, &entries);
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
	int rc = count ? attach_functions(stopwatch, image, first, count) : 0;

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
	return rc < 0 ? err_sys(err, rc, "%s: cannot set the probes", image->path) : 0;
}

/* ---- static probes ---- */

static int attach_usdt(struct stopwatch *stopwatch, const struct watched_usdt *usdt,
		       struct err *err)
{
	struct places places = { 0 };
	char path[64];
	int rc = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", usdt->fd);
	for (size_t i = 0; i < usdt->found.list.count && rc == 0; i++) {
		const struct usdt_probe *probe = &usdt->found.list.at[i];
		uint64_t cookie = site_cookie(&usdt->site, 0, PROBE_NOT_MEASURED);
		uint64_t *semaphore = vec_push(&places.semaphores);

		if (!semaphore)
			rc = -ENOMEM;
		else
			*semaphore = probe->semaphore_offset;
		if (rc == 0)
			rc = add_place(&places, probe->offset,
				       span_cookie_place(cookie, usdt->places.at[i]));
	}
	if (rc == 0)
		rc = attach_places(stopwatch, stopwatch->skel->progs.usdt_hit, false, path,
				   &places);
	places_fini(&places);
	return rc < 0 ? err_sys(err, rc, "%s: cannot set the probes", usdt->path) : 0;
}

/* ---- functions of the kernel ---- */

static int attach_kernel_multi(struct stopwatch *stopwatch, const struct bpf_program *program,
			       bool is_return, const struct places *places)
{
	const struct bpf_link_create_opts options = {
		.sz = sizeof(options),
		.kprobe_multi = { .flags = is_return ? BPF_F_KPROBE_MULTI_RETURN : 0,
				  .cnt = (uint32_t)places->at.count,
				  .addrs = (const unsigned long *)places->at.at,
				  .cookies = (const __u64 *)places->cookies.at },
	};
	int fd = bpf_link_create(bpf_program__fd(program), 0, BPF_TRACE_KPROBE_MULTI, &options);

	return keep_link(stopwatch, fd < 0 ? -errno : fd);
}

/* Sets one probe after the other, and leaves out what the kernel refuses. */
static int attach_kernel_alone(struct stopwatch *stopwatch, const struct bpf_program *program,
			       bool is_return, const struct places *places)
{
	size_t refused = 0;
	int rc = 0;

	for (size_t i = 0; i < places->at.count; i++) {
		rc = attach_probe(stopwatch, program, "kprobe", NULL, is_return, places, i);
		if (rc < 0 && rc != -EINVAL && rc != -EILSEQ)
			return rc;
		refused += rc < 0;
	}
	if (refused && refused == places->at.count)
		return rc;
	stopwatch->left_out += refused;
	return 0;
}

static int attach_kernel_places(struct stopwatch *stopwatch, const struct bpf_program *multi,
				const struct bpf_program *alone, bool is_return,
				const struct places *places)
{
	if (!places->at.count || attach_kernel_multi(stopwatch, multi, is_return, places) == 0)
		return 0;
	return attach_kernel_alone(stopwatch, alone, is_return, places);
}

static int attach_kernel(struct stopwatch *stopwatch, struct err *err)
{
	const struct stopwatch_skel *skel = stopwatch->skel;
	struct places entries = { 0 }, returns = { 0 };
	int rc = 0;

	for (size_t i = 0; i < stopwatch->kernel.count && rc == 0; i++) {
		const struct watched_kernel *function = &stopwatch->kernel.at[i];
		const struct site *site = &function->site;
		uint64_t cookie = site_cookie(site, 0, PROBE_KERNEL);

		if (site_is_call(site) || !site->at_return)
			rc = add_place(&entries, function->addr, cookie);
		if (rc == 0 && (site_is_call(site) || site->at_return))
			rc = add_place(&returns, function->addr, cookie);
	}
	if (rc == 0)
		rc = attach_kernel_places(stopwatch, skel->progs.kernel_returns,
					  skel->progs.kernel_return_alone, true, &returns);
	if (rc == 0)
		rc = attach_kernel_places(stopwatch, skel->progs.kernel_entries,
					  skel->progs.kernel_entry_alone, false, &entries);
	places_fini(&entries);
	places_fini(&returns);
	return rc < 0 ? err_sys(err, rc, "cannot set probes in the kernel") : 0;
}

/* ---- tracepoints, system calls, tasks ---- */

static int attach_tracepoints(struct stopwatch *stopwatch, struct err *err)
{
	for (size_t i = 0; i < stopwatch->tracepoints.count; i++) {
		const struct watched_tracepoint *tracepoint = &stopwatch->tracepoints.at[i];
		struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
						.config = tracepoint->id };
		int rc = attach_event(stopwatch, stopwatch->skel->progs.tracepoint_hit, &attr,
				      site_cookie(&tracepoint->site, 0, PROBE_NOT_MEASURED));

		if (rc < 0)
			return err_sys(err, rc, "%s: cannot attach to it", tracepoint->text);
	}
	return 0;
}

static int attach_traced(struct stopwatch *stopwatch, const struct bpf_program *program)
{
	return keep_link(stopwatch, bpf_raw_tracepoint_open(NULL, bpf_program__fd(program)));
}

static int attach_all_traced(struct stopwatch *stopwatch, const struct bpf_program *const *programs,
			     size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++)
		rc = attach_traced(stopwatch, programs[i]);
	return rc;
}

static int attach_calls(struct stopwatch *stopwatch, struct err *err)
{
	const struct bpf_program *const programs[] = { stopwatch->skel->progs.call_return,
						       stopwatch->skel->progs.call_entry };
	int rc = stopwatch->calls.count ? attach_all_traced(stopwatch, programs, 2) : 0;

	return rc < 0 ? err_sys(err, rc, "cannot time system calls") : 0;
}

static int attach_run_queue(struct stopwatch *stopwatch, struct err *err)
{
	const struct bpf_program *const programs[] = { stopwatch->skel->progs.task_switches,
						       stopwatch->skel->progs.task_wakes,
						       stopwatch->skel->progs.task_begins };
	int rc = stopwatch->options.what.run_queue ? attach_all_traced(stopwatch, programs, 3) : 0;

	return rc < 0 ? err_sys(err, rc, "cannot follow the run queues") : 0;
}

static int attach_waits(struct stopwatch *stopwatch)
{
	const struct bpf_program *const programs[] = { stopwatch->skel->progs.call_waits,
						       stopwatch->skel->progs.call_wakes,
						       stopwatch->skel->progs.call_begins };

	if (!follows_switches(&stopwatch->options))
		return 0;
	return attach_all_traced(stopwatch, programs, stopwatch->options.waits ? 3 : 1);
}

static int attach_tasks(struct stopwatch *stopwatch, struct err *err)
{
	const struct bpf_program *const programs[] = { stopwatch->skel->progs.task_exits,
						       stopwatch->skel->progs.task_executes,
						       stopwatch->skel->progs.task_freed,
						       stopwatch->skel->progs.task_forked };
	int rc = attach_all_traced(stopwatch, programs, 4);

	if (rc == 0)
		rc = attach_waits(stopwatch);
	return rc < 0 ? err_sys(err, rc, "cannot follow tasks") : 0;
}

int stopwatch_attach(struct stopwatch *stopwatch, struct err *err)
{
	int rc = attach_tasks(stopwatch, err);

	for (size_t i = 0; i < stopwatch->images.count && rc == 0; i++)
		rc = attach_image(stopwatch, &stopwatch->images.at[i], err);
	for (size_t i = 0; i < stopwatch->usdt.count && rc == 0; i++)
		rc = attach_usdt(stopwatch, &stopwatch->usdt.at[i], err);
	if (rc == 0)
		rc = attach_kernel(stopwatch, err);
	if (rc == 0)
		rc = attach_tracepoints(stopwatch, err);
	if (rc == 0)
		rc = attach_run_queue(stopwatch, err);
	return rc < 0 ? rc : attach_calls(stopwatch, err);
}
