/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the sampler with libbpf. */
#include "sampler/bpf_sampler-private.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sampler/bpf_explain.h"
#include "sampler/bpf_ring.h"
#include "process/proc_read.h"
#include "sampler.skel.h"

/*
 * Changes calls of bpf_probe_read() back to bpf_probe_read_user(), to work around a fault of libbpf
 * 1.1. If the kernel refuses bpf_probe_read_kernel() (lockdown for confidentiality), libbpf 1.1
 * assumes that the kernel does not have this function. libbpf then also replaces
 * bpf_probe_read_user() by the older bpf_probe_read(), which the kernel refuses as well. The
 * programs of assay never call bpf_probe_read() themselves, so each such call comes from libbpf.
 */
static int restore_user_reads(struct bpf_program *program, struct bpf_prog_load_opts *options,
			      long cookie)
{
	struct bpf_insn *insns = (struct bpf_insn *)(uintptr_t)bpf_program__insns(program);

	for (size_t i = 0; i < bpf_program__insn_cnt(program); i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == 0 &&
		    insns[i].imm == BPF_FUNC_probe_read)
			insns[i].imm = BPF_FUNC_probe_read_user;
	return 0;
}

/*
 * Sets the attach target of a program "tp_btf/NAME". libbpf's own handler for such programs would
 * do this, but the handler registered below replaces it. If the kernel does not have the
 * tracepoint, the program gets no target, and the program must then not be loaded.
 */
static int set_target(struct bpf_program *program, long cookie)
{
	const char *name = strchr(bpf_program__section_name(program), '/');

	if (name)
		(void)bpf_program__set_attach_target(program, 0, name + 1);
	return 0;
}

static int attach_target(const struct bpf_program *program, long cookie, struct bpf_link **ret_link)
{
	*ret_link = bpf_program__attach_trace(program);
	return (int)libbpf_get_error(*ret_link);
}

/*
 * Registers libbpf handlers that call restore_user_reads(). The handlers apply to all BPF objects
 * that this process opens from now on, even those of code that is not part of the sampler.
 */
static int restore_from_now_on(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, ticks, .prog_prepare_load_fn = restore_user_reads);
	LIBBPF_OPTS(libbpf_prog_handler_opts, tracepoints, .prog_setup_fn = set_target,
		    .prog_prepare_load_fn = restore_user_reads, .prog_attach_fn = attach_target);
	int handler = libbpf_register_prog_handler("perf_event", BPF_PROG_TYPE_PERF_EVENT,
						   BPF_PERF_EVENT, &ticks);

	return handler < 0 ? handler
			   : libbpf_register_prog_handler("tp_btf+", BPF_PROG_TYPE_TRACING,
							  BPF_TRACE_RAW_TP, &tracepoints);
}

/*
 * Sets two thresholds for the bytes in use in a ring. At wakeup_bytes or more, the sampler wakes
 * the collector. Above raw_room_bytes, which is seven eighths of the ring, the sampler no longer
 * copies stack memory, so that the last eighth is left for small records.
 */
static void set_thresholds(struct bpf_sampler *sampler)
{
	size_t eighth = sampler->options.ring_bytes / 8;

	sampler->skel->rodata->wakeup_bytes = eighth < BPF_RING_WAKEUP_BYTES
						      ? eighth
						      : BPF_RING_WAKEUP_BYTES;
	sampler->skel->rodata->raw_room_bytes = 7 * eighth;
}

/*
 * Disables the programs that follow processes from fork to exit. These programs identify processes
 * by their tgids in the initial pid namespace. If the collector is in another pid namespace, it
 * does not know these tgids.
 */
static void leave_out_lives(struct bpf_sampler *sampler)
{
	(void)bpf_program__set_autoload(sampler->skel->progs.task_forked, false);
	(void)bpf_program__set_autoload(sampler->skel->progs.task_executes, false);
	(void)bpf_program__set_autoload(sampler->skel->progs.task_freed, false);
}

static void set_constants(struct bpf_sampler *sampler)
{
	const struct bpf_sampler_options *options = &sampler->options;
	struct sampler_skel__rodata *constants = sampler->skel->rodata;
	struct stat st;

	constants->all_tgids = !options->only_targets;
	constants->own_tgid = options->leave_out_self ? (uint32_t)getpid() : 0;
	constants->only_user = options->only_user;
	constants->wanted_uid = options->uid;
	constants->keep_idle = options->keep_idle;
	constants->in_cgroup = options->cgroup_fd >= 0;
	constants->no_user_stacks = options->no_user_stacks;
	constants->cpu_count = (uint32_t)sampler->cpu_count;
	constants->clock_events = sampler->sees_timers ? options->clock_events : 0;
	constants->clocks_leave_idle = options->clocks_leave_idle;
	constants->idle_start_addr = options->idle_start_addr;
	constants->idle_end_addr = options->idle_end_addr;
	if (proc_is_in_pid_namespace() && stat("/proc/self/ns/pid", &st) == 0) {
		constants->namespace_dev = st.st_dev;
		constants->namespace_ino = st.st_ino;
		sampler->follows_forks = false;
	}
	if (!constants->clock_events)
		(void)bpf_program__set_autoload(sampler->skel->progs.timer_expires, false);
	if (!sampler->follows_forks) {
		constants->all_tgids = 1;
		leave_out_lives(sampler);
	}
}

static int set_sizes(const struct bpf_sampler *sampler)
{
	const struct bpf_sampler_options *options = &sampler->options;
	struct sampler_skel *skel = sampler->skel;
	uint32_t cpu_count = (uint32_t)sampler->cpu_count;

	if (bpf_map__set_max_entries(skel->maps.targets, options->processes_max) ||
	    bpf_map__set_max_entries(skel->maps.processes, options->processes_max) ||
	    bpf_map__set_max_entries(skel->maps.spaces, options->mappings_max) ||
	    bpf_map__set_max_entries(skel->maps.tables, options->tables_max) ||
	    bpf_map__set_max_entries(skel->maps.rules, options->rules_max) ||
	    bpf_map__set_max_entries(skel->maps.raws,
				     cpu_count * (options->off_cpu ? RAW_USES : 1)) ||
	    bpf_map__set_max_entries(skel->maps.counters, cpu_count * WIRE_COUNTERS_COUNT) ||
	    bpf_map__set_max_entries(skel->maps.clocks, cpu_count) ||
	    bpf_map__set_max_entries(skel->maps.rings, cpu_count))
		return -EINVAL;
	return 0;
}

static int open_and_load(struct bpf_sampler *sampler, const struct bpf_object_open_opts *options)
{
	int code;

	sampler->skel = sampler_skel__open_opts(options);
	if (!sampler->skel)
		return -errno;
	set_constants(sampler);
	set_thresholds(sampler);
	sampler_choose_waits(sampler);
	(void)bpf_program__set_autoload(sampler->skel->progs.sample_point, sampler->options.points);
	code = set_sizes(sampler);
	if (code == 0)
		code = sampler_skel__load(sampler->skel);
	if (code < 0) {
		sampler_skel__destroy(sampler->skel);
		sampler->skel = NULL;
	}
	return code;
}

/*
 * Registers the libbpf handlers, then opens and loads the programs. Called only if loading without
 * the handlers has failed. The handlers stay registered until the process ends, because of a bug in
 * libbpf 1.1: when the last handler is unregistered, libbpf frees its list of handlers but
 * continues to use it.
 */
static int load_restored(struct bpf_sampler *sampler, const struct bpf_object_open_opts *options)
{
	int handler = restore_from_now_on();

	return handler < 0 ? handler : open_and_load(sampler, options);
}

/*
 * Bits for the features that can be left out if loading fails. The lowest bit is for the least
 * important feature.
 */
#define WITHOUT_TIMERS 1
#define WITHOUT_FORKS 2

static int load(void *context, const struct bpf_object_open_opts *options, struct err *err)
{
	struct bpf_sampler *sampler = context;
	int code;

	bool has_clocks = sampler->options.clock_events != 0;

	sampler->follows_forks = true;
	sampler->sees_timers = has_clocks;
	code = open_and_load(sampler, options);
	if (code == -EINVAL)
		code = load_restored(sampler, options);
	for (int without = 1; code < 0 && code != -EPERM && without < 4; without++) {
		if (without & WITHOUT_TIMERS && !has_clocks)
			continue;
		sampler->sees_timers = has_clocks && !(without & WITHOUT_TIMERS);
		sampler->follows_forks = !(without & WITHOUT_FORKS);
		code = load_restored(sampler, options);
	}
	return code;
}

int sampler_load(struct bpf_sampler *sampler, struct err *err)
{
	return bpf_load_explained("sampling inside the kernel", load, sampler, err);
}
