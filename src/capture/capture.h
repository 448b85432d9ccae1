/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - the capture: turns the kernel's records into the model and its samples
 *
 * Each sample passes through these steps:
 *
 * - ring_peek() and record_decode() read a record.
 * - Samples are merged with process events in time order.
 * - tracker_thread_of() finds the thread.
 * - chain_stack() turns the addresses into a stack of the model.
 * - context_of_chain() finds the kind of work: user code, system call, interrupt and so on.
 * - ticks_late() computes the delay between the tick of the clock and the sample.
 * - The sample is appended to the batch, which the caller writes and clears at every flush.
 *
 * Events are opened CPU-wide if the kernel allows it: one event per CPU samples everything, and
 * samples of processes outside the target are dropped on arrival. Commands and the targets of -p
 * and -t are sampled CPU-wide, too, because per-task clocks have two flaws:
 *
 * - A per-task clock starts a new period with each new task. A child that lives for less than one
 *   period is therefore never sampled, and a storm of forks looks idle.
 * - The ticks of a per-task clock have no constant phase, so it cannot be measured how late a
 *   sample is.
 *
 * Users without the needed privilege get per-task events.
 *
 * Not thread-safe; one thread makes all calls.
 */
#ifndef ASSAY_CAPTURE_CAPTURE_H
#define ASSAY_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "capture/capture_memory.h"
#include "elf/file_opener.h"
#include "elf/image_file.h"
#include "elf/kallsyms.h"
#include "model/model.h"
#include "readers/readers.h"

enum target_kind {
	TARGET_SYSTEM,
	TARGET_COMMAND,
	TARGET_PROCESSES,
	TARGET_THREADS,
	TARGET_CGROUP,
	/* all tasks of a uid; only the in-kernel sampler can select by uid */
	TARGET_USER
};
enum collector_kind {
	/* The first collector in the following list that works on this machine for this user */
	COLLECTOR_BEST,
	COLLECTOR_BPF,		/* the in-kernel sampler: capture/bpf_collector.c */
	COLLECTOR_RING		/* perf takes the samples and writes them into its rings */
};
enum callgraph {
	/*
	 * COLLECTOR_BPF: the in-kernel sampler unwinds with unwind tables. COLLECTOR_RING: as
	 * CALLGRAPH_DWARF if only single threads may be sampled, otherwise as CALLGRAPH_FP.
	 */
	CALLGRAPH_BEST,
	CALLGRAPH_FP,		/* the kernel follows frame pointers */
	/*
	 * the kernel copies the stack, and assay unwinds the copy in user space:
	 * intake/stack_walk.h
	 */
	CALLGRAPH_DWARF,
	CALLGRAPH_NONE
};

#define STACK_BYTES_DEFAULT 16384u
/* maximum number of stack bytes in a record; also perf's limit */
#define STACK_BYTES_MAX 65528u

struct capture_options {
	enum target_kind target;
	const uint32_t *ids;		/* TARGET_PROCESSES: tgids; TARGET_THREADS: tids */
	size_t id_count;
	/*
	 * TARGET_PROCESSES: also the processes of these programs, those that run and those that
	 * start later; needs events that watch whole CPUs
	 */
	const char *const *names;
	size_t name_count;
	/*
	 * for TARGET_COMMAND: tgid of the child process, which waits until assay is ready
	 * (session/workload.h)
	 */
	uint32_t command_tgid;
	const char *cgroup;		/* path relative to the cgroup mount point, or absolute */
	uint32_t uid;			/* for TARGET_USER */
	const char *cpus;		/* for example "0-3,8"; NULL: all CPUs */
	bool leave_out_self;		/* do not record samples of assay itself */

	/*
	 * Names of events in perf's syntax, separated by commas. NULL: cycles, or cpu-clock if the
	 * machine cannot sample cycles.
	 */
	const char *events;
	const char *counters;		/* events to read with each sample, or NULL */
	bool data_addresses;		/* samples have fields (model/sample_field.h) */
	uint64_t frequency_hz;		/* exactly one of frequency and period is not 0 */
	uint64_t period;
	enum collector_kind collector;
	struct capture_memory memory;
	enum callgraph callgraph;	/* FP and DWARF need COLLECTOR_RING */
	uint32_t stack_bytes;		/* for CALLGRAPH_DWARF: bytes to copy; a multiple of 8 */
	const char *cache_dir;		/* directory that caches unwind tables; NULL: no cache */
	/*
	 * readers: build unwind tables; NULL: this process builds them. opener: opens the files of
	 * processes; NULL: directly. Both must live as long as the capture.
	 */
	struct readers *readers;
	struct file_opener *opener;
	/* option -D: exec() does not start sampling, only capture_enable() does */
	bool start_disabled;
	bool off_cpu;			/* also record waits: when and why threads do not run */
	bool off_cpu_wakers;		/* with off_cpu: also record the wakers */
	bool command_lines;		/* keep the command lines of sampled processes */
	uint64_t off_cpu_min_ns;	/* shorter waits are recorded only as sums; at least 1 */

	size_t sample_ring_bytes;	/* size of each sample ring; 0: the default, 512 KiB */
	size_t sideband_ring_bytes;
	/* the kernel's symbols; read only by capture_new(); may be empty */
	const struct kallsyms *kallsyms;
};

struct capture;

/*
 * Opens all events and rings. If a privilege is missing, the error message names the sysctl or
 * capability that would help.
 */
int capture_new(struct model *model, const struct capture_options *options,
		struct capture **ret_capture, struct err *err);
void capture_free(struct capture *capture);	/* NULL is allowed */

/*
 * Returns a line of text for the user. It names the sampled clock or counter, says whether sampling
 * is CPU-wide or per task, and gives the reasons.
 */
const char *capture_describe(const struct capture *capture);

/* Returns false if only user mode may be sampled. Kernel symbols are then not needed. */
bool capture_sees_kernel(const struct capture *capture);

/* Returns the features in use that read fields of the kernel, as a set (sampler/kernel_lacks.h). */
uint32_t capture_kernel_uses(const struct capture *capture);

/*
 * Returns a descriptor for poll(). The descriptor becomes readable in two cases: the data in a ring
 * reaches the watermark, or the in-kernel sampler hits a process that it cannot unwind yet.
 */
int capture_poll_fd(const struct capture *capture);

/*
 * Returns true if the caller should drain now. Call this function when the descriptor is readable.
 *
 * The descriptor also becomes readable when the in-kernel sampler hits a process that it does not
 * know yet. An early drain lets the collector tell the sampler about the process while the process
 * still exists. If most of these processes had already exited at the last drain, early drains do
 * not help. The function then returns false for a tenth of a second, unless a ring fills up.
 */
bool capture_drain_is_due(const struct capture *capture);

int capture_enable(struct capture *capture, struct err *err);
int capture_disable(struct capture *capture);

/* A stopwatch (stopwatch/stopwatch.h) that measures while samples are taken. */
struct capture_spans {
	int ring_fd;			/* of struct wire_span; stays open as long as the capture */
	size_t ring_bytes;
	/* Returns the model's event for a span, or SPAN_NO_EVENT. */
	uint32_t (*event_of)(void *context, uint32_t span);
	void *context;
	/* Which amounts of struct wire_span samples have, by counter of the model. Borrowed. */
	const uint8_t *amounts;
	size_t amount_count;
};

/* Adds the single spans of a stopwatch to the records that are merged. At most once. */
int capture_add_spans(struct capture *capture, const struct capture_spans *spans, struct err *err);

/*
 * Returns the map in which the in-kernel sampler counts its ticks, as bpf_sampler_counters_fd(), or
 * -1 if perf takes the samples.
 */
int capture_ticks_fd(const struct capture *capture);
size_t capture_event_count(const struct capture *capture);	/* sampled events */

/*
 * Applies the records in the rings to the model, and appends their samples to *@batch. Processes
 * the records that are at least 2 ms old. If @all is true, processes every record; call it like
 * this after capture_disable(). Also handles CPUs that came online or went offline. Returns 0 or a
 * negative errno.
 */
int capture_drain(struct capture *capture, struct sample_batch *batch, bool all, struct err *err);

/*
 * If a process has mapped a jitdump file that this function has not returned yet, describes the
 * file in *ret_dump and returns true. The caller must then close the descriptor in *ret_dump.
 * Otherwise returns false.
 */
struct jit_mapped_dump;
bool capture_take_jit_dump(struct capture *capture, struct jit_mapped_dump *ret_dump);

/*
 * Returns true if all target processes have exited. Never true if targets are chosen by name,
 * because more of them may start, and never true for TARGET_SYSTEM, TARGET_CGROUP and
 * TARGET_USER.
 */
bool capture_targets_gone(const struct capture *capture);

/*
 * Updates the figures that each flush writes: the counts of lost records, /proc/stat and the health
 * of the images.
 */
void capture_account(struct capture *capture);

/*
 * Makes the model forget its stacks (model_forget_stacks()). Call capture_account() before, and
 * write the stacks and all samples.
 */
void capture_forget_stacks(struct capture *capture);

/*
 * Returns the open file of @image, which stays valid while the capture exists. The signature is
 * that of image_file_fn (symbolize).
 */
const struct image_file *capture_image_file(void *capture, uint32_t image);

#endif
