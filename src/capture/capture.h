/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - the capture: turns the kernel's records into the model and its samples
 *
 * The life of a sample:
 *
 * - ring_peek() and record_decode() read a record.
 * - Samples are merged with process events in time order.
 * - tracker_thread_of() finds the thread.
 * - chain_stack() turns the addresses into a stack of the model.
 * - context_of_chain() finds on whose behalf the code ran.
 * - ticks_late() computes how late the sample is after its tick.
 * - The sample is appended to the batch, which the caller writes and clears at every flush.
 *
 * Events are opened CPU-wide if the kernel allows it: one event per CPU samples everything, and
 * samples of processes outside the target are dropped on arrival. Commands and the targets of -p
 * and -t are sampled CPU-wide, too, because per-task clocks have two flaws. They restart their
 * period with each new task, so a child that lives shorter than one period is never seen, and a
 * storm of forks looks idle. Also, their ticks have no phase against which lateness could be
 * measured. Users without the needed privilege get per-task events.
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
#include "elf/image_file.h"
#include "elf/kallsyms.h"
#include "model/model.h"

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
	COLLECTOR_RING		/* samples that perf writes into its rings */
};
enum callgraph {
	/*
	 * The in-kernel sampler unwinds with unwind tables; for perf's rings, the kernel follows
	 * frame pointers
	 */
	CALLGRAPH_BEST,
	CALLGRAPH_FP,		/* the kernel follows frame pointers */
	/* the stack is copied and unwound in user space: intake/stack_walk.h */
	CALLGRAPH_DWARF,
	CALLGRAPH_NONE
};

#define STACK_BYTES_DEFAULT 16384u
#define STACK_BYTES_MAX 65528u		/* most bytes that fit a record; also perf's limit */

struct capture_options {
	enum target_kind target;
	const uint32_t *ids;		/* TARGET_PROCESSES: tgids; TARGET_THREADS: tids */
	size_t id_count;
	/*
	 * TARGET_COMMAND: the child process, which waits until assay is ready (session/workload.h)
	 */
	uint32_t command_tgid;
	const char *cgroup;		/* path relative to the cgroup mount point, or absolute */
	uint32_t uid;			/* for TARGET_USER */
	const char *cpus;		/* for example "0-3,8"; NULL: all CPUs */
	bool leave_out_self;		/* do not record samples of assay itself */

	/*
	 * Comma-separated, in perf's syntax; NULL: cycles, or cpu-clock if the machine cannot
	 * sample cycles
	 */
	const char *events;
	const char *counters;		/* events to read with each sample, or NULL */
	uint64_t frequency_hz;		/* exactly one of frequency and period is not 0 */
	uint64_t period;
	enum collector_kind collector;
	/* limit on the memory of unwind tables in the kernel; 0: the default */
	size_t table_bytes;
	enum callgraph callgraph;	/* FP and DWARF need COLLECTOR_RING */
	uint32_t stack_bytes;		/* for CALLGRAPH_DWARF: bytes to copy; a multiple of 8 */
	const char *cache_dir;		/* directory that caches unwind tables; NULL: no cache */
	bool start_disabled;		/* option -D: start only at capture_enable() */
	bool off_cpu;			/* also record why threads do not run */
	bool off_cpu_wakers;		/* with off_cpu: also record the wakers */
	uint64_t off_cpu_min_ns;	/* waits shorter than this are only summed up; at least 1 */

	size_t sample_ring_bytes;	/* size of each sample ring; 0: the default, 512 KiB */
	size_t sideband_ring_bytes;
	const struct kallsyms *kallsyms;	/* used only during capture_new(); may be empty */
};

struct capture;

/* Opens all events and rings. An error message names the sysctl or capability that would help. */
int capture_new(struct model *model, const struct capture_options *options,
		struct capture **ret_capture, struct err *err);
void capture_free(struct capture *capture);	/* NULL is allowed */

/*
 * Returns a line for the user that names the clock or counter in use, and states whether it is
 * CPU-wide or per task, and why.
 */
const char *capture_describe(const struct capture *capture);

/* Returns false if only user mode may be sampled. Kernel symbols are then not needed. */
bool capture_sees_kernel(const struct capture *capture);

/*
 * Returns a descriptor for poll(). The descriptor becomes readable when the data in a ring passes
 * the watermark, and when the sampler hits a process that it cannot unwind yet.
 */
int capture_poll_fd(const struct capture *capture);

/*
 * Returns true if a drain is worthwhile now. Call it when the descriptor is readable. A sample
 * comes with a raw stack if the in-kernel sampler does not know its process yet. If most such
 * processes had already exited at the last drain, that drain came too late to help. The function
 * then returns false for a tenth of a second, unless a ring fills up.
 */
bool capture_drain_is_due(const struct capture *capture);

int capture_enable(struct capture *capture, struct err *err);
int capture_disable(struct capture *capture);

/*
 * Drains the rings into the model and *@batch. Takes all records that are at least 2 ms old, or
 * every record if @all is true (after capture_disable()). Also handles CPUs that came online or
 * went offline. Returns 0 or a negative errno.
 */
int capture_drain(struct capture *capture, struct sample_batch *batch, bool all, struct err *err);

/*
 * Moves one of the jitdump files that processes have mapped to *ret_dump, and returns true. The
 * caller must close it. Returns false if no jitdump is waiting.
 */
struct jit_mapped_dump;
bool capture_take_jit_dump(struct capture *capture, struct jit_mapped_dump *ret_dump);

/*
 * Returns true if all target processes have exited. Never true for TARGET_SYSTEM, TARGET_CGROUP and
 * TARGET_USER.
 */
bool capture_targets_gone(const struct capture *capture);

/*
 * Updates the figures that each flush writes: the counts of lost records, /proc/stat and the health
 * of the images.
 */
void capture_account(struct capture *capture);

/*
 * Returns the open file of @image, which stays valid while the capture exists. The function's type
 * is image_file_fn of symbolize.
 */
const struct image_file *capture_image_file(void *capture, uint32_t image);

#endif
