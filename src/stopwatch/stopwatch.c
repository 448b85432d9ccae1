/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/stopwatch-private.h"

#include <elf.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/pattern.h"
#include "stopwatch/image_search.h"

DEFINE_CLEANUP(struct stopwatch, stopwatch_free);

/* ---- functions ---- */

static const char *why_none(const struct found_functions *functions)
{
	if (functions->has_resolver)
		return "this function has several versions, of which the program chooses one when "
		       "it starts; give the name of that one, or a pattern such as '*NAME*'";
	if (functions->has_all_names)
		return "no function of this name (it may have been inlined everywhere)";
	return "not in the symbol table, which has no static functions; install the debug package "
	       "of this file";
}

/* Leaves out functions whose entry or end would never be seen. */
static size_t drop_unseen(struct found_functions *functions, bool return_probes)
{
	size_t count = functions->list.count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct found_function *function = &functions->list.at[i];
		struct probe_entry entry = probe_entry_of(functions->machine, function->code,
							  sizeof(function->code));

		if (!entry.is_refused && (return_probes || function->is_decoded))
			functions->list.at[kept++] = *function;
	}
	functions->list.count = kept;
	return count - kept;
}

static int check_functions(const struct watched_image *image, const char *pattern, struct err *err)
{
	const struct found_functions *functions = &image->functions;

	if (functions->is_go)
		return err_set(err, -EOPNOTSUPP,
			       "%s: functions of Go programs cannot be timed: Go moves stacks, and "
			       "goroutines between threads",
			       image->path);
	if (functions->machine != EM_X86_64 && functions->machine != EM_AARCH64)
		return err_set(err, -EOPNOTSUPP, "%s: only 64-bit programs can be timed",
			       image->path);
	if (!functions->list.count || (functions->has_resolver && !strpbrk(pattern, "*?[/:")))
		return err_set(err, -ENOENT, "%s: %s: %s", image->path, pattern,
			       why_none(functions));
	return 0;
}

static int find_functions(struct stopwatch *stopwatch, const struct point *point, struct err *err)
{
	const struct stopwatch_options *options = &stopwatch->options;
	const struct image_search search = {
		.name = point->image,
		.tgids = options->tgids,
		.tgid_count = options->tgid_count,
		.program_dirs = options->program_dirs,
	};
	struct watched_image *image = vec_push(&stopwatch->images);
	char path[PATH_MAX];
	int rc;

	if (!image)
		return err_sys(err, -ENOMEM, "%s", point->image);
	*image = (struct watched_image){ .fd = image_search_open(&search, path, err),
					 .first_span = stopwatch->function_count };
	if (image->fd < 0)
		return image->fd;
	image->path = strdup(path);
	if (!image->path)
		return err_sys(err, -ENOMEM, "%s", path);
	rc = functions_find(options->readers, image->fd, point->name, &image->functions);
	if (rc == -ENOEXEC)
		return err_set(err, rc, "%s: is not a program or library", path);
	if (rc < 0)
		return err_sys(err, rc, "%s: cannot read its functions", path);
	rc = check_functions(image, point->name, err);
	if (rc < 0)
		return rc;
	stopwatch->left_out += drop_unseen(&image->functions, options->return_probes);
	if (!image->functions.list.count)
		return err_set(err, -EOPNOTSUPP,
			       "%s: %s: its code cannot be decoded, or the kernel sets no probe at "
			       "its first instruction",
			       path, point->name);
	stopwatch->function_count += image->functions.list.count;
	return 0;
}

/* ---- system calls ---- */

static int add_call(struct stopwatch *stopwatch, uint32_t number, char *name)
{
	struct watched_call *call = vec_push(&stopwatch->calls);

	if (!call) {
		free(name);
		return -ENOMEM;
	}
	*call = (struct watched_call){ number, name };
	return 0;
}

static int find_calls(struct stopwatch *stopwatch, const struct point *point, struct err *err)
{
	uint32_t machine = seccomp_arch_native();
	size_t before = stopwatch->calls.count;
	struct pattern pattern = { 0 };
	int rc = pattern_compile(point->name, PATTERN_NAME, &pattern, err);

	if (rc < 0)
		return rc;
	for (uint32_t number = 0; number < SPAN_CALLS && rc == 0; number++) {
		char *name = seccomp_syscall_resolve_num_arch(machine, (int)number);

		if (name && pattern_matches(&pattern, name))
			rc = add_call(stopwatch, number, name);
		else
			free(name);
	}
	pattern_fini(&pattern);
	if (rc < 0)
		return err_sys(err, rc, "syscall:%s", point->name);
	if (stopwatch->calls.count == before)
		return err_set(err, -ENOENT, "syscall:%s: there is no such system call",
			       point->name);
	return 0;
}

/* ---- all ---- */

int stopwatch_find(const struct stopwatch_options *options, struct stopwatch **ret_stopwatch,
		   struct err *err)
{
	_cleanup_(stopwatch_freep) struct stopwatch *stopwatch = calloc(1, sizeof(*stopwatch));

	if (!stopwatch)
		return err_sys(err, -ENOMEM, "cannot measure spans");
	stopwatch->options = *options;
	for (size_t i = 0; i < options->point_count; i++) {
		const struct point *point = &options->points[i];
		int rc = point->kind == POINT_CALL ? find_calls(stopwatch, point, err)
						   : find_functions(stopwatch, point, err);

		if (rc < 0)
			return rc;
	}
	if (stopwatch_span_count(stopwatch) > STOPWATCH_SPANS_MAX)
		return err_set(err, -E2BIG, "the points are %zu functions; at most %u can be timed",
			       stopwatch_span_count(stopwatch), STOPWATCH_SPANS_MAX);
	*ret_stopwatch = TAKE_PTR(stopwatch);
	return 0;
}

void stopwatch_free(struct stopwatch *stopwatch)
{
	if (!stopwatch)
		return;
	stopwatch_unload(stopwatch);
	for (size_t i = 0; i < stopwatch->images.count; i++) {
		struct watched_image *image = &stopwatch->images.at[i];

		if (image->fd >= 0)
			(void)close(image->fd);
		free(image->path);
		found_functions_fini(&image->functions);
	}
	for (size_t i = 0; i < stopwatch->calls.count; i++)
		free(stopwatch->calls.at[i].name);
	vec_free(&stopwatch->images);
	vec_free(&stopwatch->calls);
	free(stopwatch);
}

size_t stopwatch_span_count(const struct stopwatch *stopwatch)
{
	return stopwatch->function_count + stopwatch->calls.count;
}

size_t stopwatch_left_out(const struct stopwatch *stopwatch)
{
	return stopwatch->left_out;
}

struct stopwatch_span stopwatch_span(const struct stopwatch *stopwatch, size_t i)
{
	const struct watched_image *image;
	const struct found_function *function;

	if (i >= stopwatch->function_count)
		return (struct stopwatch_span){
			.kind = POINT_CALL,
			.image = "",
			.name = stopwatch->calls.at[i - stopwatch->function_count].name,
			.cost = PROBE_NOP5,	/* a tracepoint */
		};
	image = &stopwatch->images.at[stopwatch->images.count - 1];
	while (image->first_span > i)
		image--;
	function = &image->functions.list.at[i - image->first_span];
	return (struct stopwatch_span){
		.kind = POINT_FUNCTION,
		.image = image->path,
		.name = function->name,
		.cost = probe_entry_of(image->functions.machine, function->code,
				       sizeof(function->code))
				.cost,
	};
}

void stopwatch_read(const struct stopwatch *stopwatch, size_t i, struct span_times *ret_times)
{
	size_t count = stopwatch_span_count(stopwatch);

	*ret_times = (struct span_times){ 0 };
	for (uint32_t cpu = 0; stopwatch->sums && cpu < stopwatch->cpu_count; cpu++)
		span_times_add(ret_times, &stopwatch->sums[cpu * count + i]);
}
