/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracker_fixture.h - a tracker with its model, fed by hand-made records
 */
#ifndef ASSAY_TESTS_TRACKER_FIXTURE_H
#define ASSAY_TESTS_TRACKER_FIXTURE_H

#include "support/test.h"

#include "base/clock.h"
#include "process/tracker.h"

struct fixture {
	struct model model;
	struct pins *pins;
	struct tracker *tracker;
	uint64_t now_ns;	/* time of the next record */
};

static inline void fixture_init(struct fixture *f, bool read_proc)
{
	const struct tracker_options options = { .read_proc = read_proc };

	*f = (struct fixture){ .now_ns = read_proc ? clock_monotonic_ns() : 1000 };
	assert_int_equal(model_init(&f->model), 0);
	assert_int_equal(pins_new(&f->model, NULL, &f->pins), 0);
	assert_int_equal(tracker_new(&f->model, f->pins, &options, &f->tracker), 0);
}

static inline void fixture_fini(struct fixture *f)
{
	tracker_free(f->tracker);
	pins_free(f->pins);
	model_fini(&f->model);
}

static inline void apply(struct fixture *f, struct perf_record record)
{
	record.time_ns = f->now_ns++;
	assert_int_equal(tracker_apply(f->tracker, &record), 0);
}

static inline void apply_fork(struct fixture *f, uint32_t parent, uint32_t tgid, uint32_t tid)
{
	apply(f, (struct perf_record){
			 .kind = RECORD_FORK,
			 .tgid = tgid,
			 .tid = tid,
			 .parent_tgid = parent,
			 .parent_tid = parent,
		 });
}

static inline void apply_exit(struct fixture *f, uint32_t tgid, uint32_t tid)
{
	apply(f, (struct perf_record){ .kind = RECORD_EXIT, .tgid = tgid, .tid = tid });
}

static inline void apply_comm(struct fixture *f, uint32_t tgid, uint32_t tid, const char *comm,
			      bool exec)
{
	apply(f, (struct perf_record){
			 .kind = RECORD_COMM,
			 .tgid = tgid,
			 .tid = tid,
			 .exec = exec,
			 .comm.name = comm,
		 });
}

static inline void apply_mmap(struct fixture *f, uint32_t tgid, uint64_t addr, uint64_t size_bytes,
			      const char *path)
{
	apply(f, (struct perf_record){
		.kind = RECORD_MMAP, .tgid = tgid, .tid = tgid,
		.mmap = {
			.start_addr = addr, .size_bytes = size_bytes, .path = path,
			.dev = 1, .inode = 1,
		},
	});
}

static inline void apply_exec(struct fixture *f, uint32_t tgid, const char *path)
{
	const char *slash = strrchr(path, '/');

	apply_comm(f, tgid, tgid, slash ? slash + 1 : path, true);
	apply_mmap(f, tgid, 0x400000, 0x10000, path);
}

/* Reports that records may have been lost before now. */
static inline void lose_records(struct fixture *f)
{
	tracker_distrust(f->tracker, f->now_ns, f->now_ns);
	f->now_ns++;
}

/* Returns the thread of a sample that was taken in the kernel. */
static inline struct live_thread *thread_in_kernel(struct tracker *tracker, uint32_t tgid,
						   uint32_t tid, uint64_t time_ns)
{
	const struct perf_record sample = {
		.kind = RECORD_SAMPLE,
		.tgid = tgid,
		.tid = tid,
		.time_ns = time_ns,
		.kernel_mode = true,
	};

	return tracker_thread_of(tracker, &sample, 0);
}

static inline struct live_thread *thread_at(struct fixture *f, uint32_t tgid, uint32_t tid)
{
	struct live_thread *thread = thread_in_kernel(f->tracker, tgid, tid, f->now_ns);

	assert_non_null(thread);
	return thread;
}

/* Does what a sample does, and returns the row of the thread's process. */
static inline const struct process *sample(struct fixture *f, uint32_t tgid, uint32_t tid)
{
	uint32_t row = tracker_model_thread(f->tracker, thread_at(f, tgid, tid));

	assert_int_not_equal(row, 0);
	return &f->model.processes.at[f->model.threads.at[row].process];
}

static inline const struct live_mapping *mapping_at(struct fixture *f, uint32_t tgid, uint64_t addr)
{
	return tracker_mapping(f->tracker, thread_at(f, tgid, tgid)->process, addr, f->now_ns);
}

/* The same for a return address. */
static inline const struct live_mapping *caller_mapping_at(struct fixture *f, uint32_t tgid,
							   uint64_t addr, bool *ret_over_budget)
{
	return tracker_mapping_of_caller(f->tracker, thread_at(f, tgid, tgid)->process, addr,
					 f->now_ns, ret_over_budget);
}

static inline const char *image_path(const struct fixture *f, const struct live_mapping *mapping)
{
	assert_non_null(mapping);
	return model_string(&f->model, f->model.images.at[mapping->image].path);
}

/* Returns how often the application of that name was seen, or 0 if it has no row. */
static inline uint32_t instances(const struct fixture *f, const char *name)
{
	for (size_t i = 1; i < f->model.applications.count; i++)
		if (strcmp(model_string(&f->model, f->model.applications.at[i].name), name) == 0)
			return f->model.applications.at[i].instance_count;
	return 0;
}

#endif
