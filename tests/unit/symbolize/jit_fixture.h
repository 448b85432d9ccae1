/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_fixture.h - a watch of this process, as one with generated code
 *
 *	struct fixture f = begin();
 *
 *	jitdump_load(&w, 100, 0x1000, 16, "name");
 *	show_dump(&f, IMAGE_TGID);	or append(f.map, ...)
 *	sample(&f, 150, 0x1004, 0);
 *	settle(&f);
 *	jit_name(f.jit);
 *	name_of(&f, 0, 0)	of the first sample's innermost frame
 *	end(&f);
 */
#ifndef ASSAY_TESTS_JIT_FIXTURE_H
#define ASSAY_TESTS_JIT_FIXTURE_H

#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "fixture.h"
#include "support/jitdump_writer.h"
#include "support/temp.h"
#include "symbolize/jit.h"
#include "symbolize/jit_dump.h"
#include "symbolize/jitdump.h"

#define IMAGE_TGID (uint32_t) getpid()

static struct jitdump_writer w;

struct fixture {
	struct temp_dir dir;
	struct model *model;
	struct jit *jit;
	struct sample_batch batch;
	uint32_t image, thread;
	char map[160], dump[160];
	uint64_t begin_ns;
};

/* Watches this process, because it is alive. */
static inline struct fixture begin(void)
{
	static char sysroot[sizeof(((struct temp_dir *)NULL)->path)];
	struct fixture f = { .dir = temp_dir_make(), .model = fixture_model() };
	const struct jit_options options = { .sysroot = sysroot };
	struct process process = { .tgid = IMAGE_TGID, .uid = getuid(), .exec_ns = 7 };
	struct image image = { .kind = IMAGE_JIT, .tgid = IMAGE_TGID };

	image.path = model_intern(f.model, "//anon");
	image.process = model_process_add(f.model, &process);
	f.image = model_image_id(f.model, &image);
	(void)temp_file(&f.dir, "tmp/other", "", 0);
	(void)snprintf(f.map, sizeof(f.map), "%s/tmp/perf-%u.map", f.dir.path, IMAGE_TGID);
	(void)snprintf(f.dump, sizeof(f.dump), "%s/tmp/jit.dump", f.dir.path);
	memcpy(sysroot, f.dir.path, sizeof(sysroot));
	assert_int_equal(jit_new(f.model, &options, &f.jit), 0);
	jitdump_begin(&w, false);
	f.begin_ns = clock_monotonic_ns();
	return f;
}

static inline void end(struct fixture *f)
{
	jit_free(f->jit);
	sample_batch_fini(&f->batch);
	(void)unlink(f->map);
	(void)unlink(f->dump);
	temp_dir_remove(&f->dir);
}

static inline void append(const char *path, const void *bytes, size_t size_bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size_bytes), (ssize_t)size_bytes);
	assert_int_equal(close(fd), 0);
}

/* Passes the jitdump on as capture does when the process has mapped it. */
static inline void show_dump(struct fixture *f, uint32_t named_pid)
{
	struct jit_seen_dump seen = { .tgid = IMAGE_TGID, .named_pid = named_pid, .exec_ns = 7 };

	append(f->dump, w.bytes, w.size_bytes);
	seen.fd = open(f->dump, O_RDONLY | O_CLOEXEC);
	assert_true(seen.fd >= 0);
	jit_take_dump(f->jit, &seen);
	w.size_bytes = 0;
}

static inline void grow_dump(struct fixture *f)
{
	append(f->dump, w.bytes, w.size_bytes);
	w.size_bytes = 0;
}

static inline void overwrite_dump(struct fixture *f, size_t at)
{
	int fd = open(f->dump, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, w.bytes, w.size_bytes, (off_t)at), (ssize_t)w.size_bytes);
	assert_int_equal(close(fd), 0);
	w.size_bytes = 0;
}

/* Adds a sample whose stack has two addresses of generated code. */
static inline void sample(struct fixture *f, uint64_t time_ns, uint64_t addr, uint64_t caller)
{
	uint32_t stack = STACK_ROOT_END;
	struct sample *sample = vec_push(&f->batch.samples);

	if (caller)
		stack = model_stack_id(f->model, stack,
				       model_location_id(f->model, f->image, caller));
	stack = model_stack_id(f->model, stack, model_location_id(f->model, f->image, addr));
	*sample = (struct sample){ .time_ns = time_ns, .stack = stack, .weight = 1 };
}

static inline const struct location *location_at(const struct fixture *f, size_t i, int depth)
{
	uint32_t stack = f->batch.samples.at[i].stack;

	for (; depth > 0; depth--)
		stack = f->model->stacks.at[stack].parent;
	return &f->model->locations.at[f->model->stacks.at[stack].location];
}

static inline const char *name_of(const struct fixture *f, size_t i, int depth)
{
	uint32_t function = location_at(f, i, depth)->function;

	return model_string(f->model, f->model->functions.at[function].name);
}

/* Returns the name of the first location with this address. */
static inline const char *function_name(const struct fixture *f, uint64_t addr)
{
	uint32_t location = model_location_id(f->model, f->image, addr);
	uint32_t function = f->model->locations.at[location].function;

	return model_string(f->model, f->model->functions.at[function].name);
}

static inline uint64_t loss(const struct fixture *f, enum loss reason)
{
	return f->model->losses.count[reason];
}

static inline void settle(struct fixture *f)
{
	jit_settle(f->jit, &f->batch);
}

#endif
