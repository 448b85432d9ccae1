/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses, attaches and runs the programs of bpf/off_cpu.h, which record waits: times when a task
 * did not run.
 */
#include "sampler/bpf_sampler-private.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sampler.skel.h"

#define WAIT_MIN_NS NS_PER_MSEC

/*
 * Returns true if the kernel has the tracepoint whose BTF type is @type_name. The kernel's BTF
 * contains one such type for each tracepoint.
 */
static bool has_tracepoint(const char *type_name)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	bool has = kernel && btf__find_by_name_kind(kernel, type_name, BTF_KIND_TYPEDEF) > 0;

	btf__free(kernel);
	return has;
}

void sampler_choose_waits(struct bpf_sampler *sampler)
{
	const struct bpf_sampler_options *options = &sampler->options;
	struct sampler_skel *skel = sampler->skel;
	bool late;

	if (!options->off_cpu) {
		(void)bpf_map__set_autocreate(skel->maps.task_waits, false);
		(void)bpf_map__set_autocreate(skel->maps.waits_pending, false);
		(void)bpf_map__set_autocreate(skel->maps.wait_scratches, false);
		return;
	}
	late = options->off_cpu_late || !has_tracepoint("btf_trace_sched_exit_tp");
	skel->rodata->wait_min_ns = options->off_cpu_min_ns ? options->off_cpu_min_ns : WAIT_MIN_NS;
	skel->rodata->wait_wakers = options->off_cpu_wakers;
	skel->rodata->wait_ends_late = late;
	(void)bpf_program__set_autoload(skel->progs.wait_switch, true);
	(void)bpf_program__set_autoload(skel->progs.wait_scan, true);
	(void)bpf_program__set_autoload(skel->progs.wait_waking, options->off_cpu_wakers);
	(void)bpf_program__set_autoload(late ? skel->progs.wait_end_late : skel->progs.wait_end,
					true);
}

static int attach(struct bpf_sampler *sampler, const struct bpf_program *program, struct err *err)
{
	int *link;
	int fd = bpf_program__fd(program);

	if (fd < 0)	/* the program was not loaded, because it is not needed */
		return 0;
	link = vec_push(&sampler->wait_links);
	if (!link)
		return err_sys(err, -ENOMEM, "cannot attach the sampler");
	fd = bpf_raw_tracepoint_open(NULL, fd);
	if (fd < 0) {
		sampler->wait_links.count--;
		return err_sys(err, fd, "cannot attach %s", bpf_program__section_name(program));
	}
	*link = fd;
	return 0;
}

void sampler_detach_waits(struct bpf_sampler *sampler)
{
	for (size_t i = 0; i < sampler->wait_links.count; i++)
		(void)close(sampler->wait_links.at[i]);
	vec_free(&sampler->wait_links);
}

/* Runs wait_scan for each task on the machine. */
static int scan(struct bpf_sampler *sampler, struct err *err)
{
	_cleanup_close_ int link = -1, iter = -1;
	char nothing[64];
	ssize_t got;

	link = bpf_link_create(bpf_program__fd(sampler->skel->progs.wait_scan), 0, BPF_TRACE_ITER,
			       NULL);
	if (link < 0)
		return err_sys(err, link, "cannot scan the tasks of the machine");
	iter = bpf_iter_create(link);
	if (iter < 0)
		return err_sys(err, iter, "cannot scan the tasks of the machine");
	do
		got = read(iter, nothing, sizeof(nothing));
	while (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)));
	return got < 0 ? err_sys(err, -errno, "cannot scan the tasks of the machine") : 0;
}

int bpf_sampler_start_waits(struct bpf_sampler *sampler, struct err *err)
{
	const struct sampler_skel *skel = sampler->skel;
	int code;

	if (!sampler->options.off_cpu)
		return 0;
	sampler->skel->bss->waits_closing = 0;
	code = attach(sampler, skel->progs.wait_switch, err);
	if (code < 0)
		return code;
	code = attach(sampler, skel->progs.wait_end, err);
	if (code < 0)
		return code;
	code = attach(sampler, skel->progs.wait_end_late, err);
	if (code < 0)
		return code;
	code = attach(sampler, skel->progs.wait_waking, err);
	if (code < 0)
		return code;
	return scan(sampler, err);
}

int bpf_sampler_close_waits(struct bpf_sampler *sampler, struct err *err)
{
	int code;

	if (!sampler->options.off_cpu)
		return 0;
	sampler->skel->bss->waits_closing = 1;
	/*
	 * Detach first. If the programs stayed attached, a wait that ends during the scan could be
	 * sent twice.
	 */
	sampler_detach_waits(sampler);
	code = scan(sampler, err);
	return code;
}
