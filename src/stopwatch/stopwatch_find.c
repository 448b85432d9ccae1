/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/stopwatch-private.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/pattern.h"
#include "perf/tracefs.h"
#include "symbolize/inlined_job.h"
#include "stopwatch/image_search.h"
#include "stopwatch/join_key.h"
#include "stopwatch/kernel_functions.h"

_Static_assert(STOPWATCH_SPANS_MAX <= 0x10000, "the number of a span fits into a cookie");

/* ---- functions ---- */

const char *stopwatch_why_none(const struct found_functions *functions)
{
	if (functions->has_resolver)
		return "this function has several versions, of which the program chooses one when "
		       "it starts; give the name of that one, or a pattern such as '*NAME*'";
	if (functions->has_all_names)
		return "no function of this name (it may have been inlined everywhere)";
	return "not in the symbol table, which has no static functions; install the debug package "
	       "of this file";
}

static bool is_same_file(int fd, int other_fd)
{
	struct stat file, other;

	return fstat(fd, &file) == 0 && fstat(other_fd, &other) == 0 &&
	       file.st_dev == other.st_dev && file.st_ino == other.st_ino;
}

/* Leaves out functions whose entry or end would never be seen, and counts them. */
static void drop_unseen(struct stopwatch *stopwatch, struct watched_image *image)
{
	struct found_functions *functions = &image->functions;
	bool needs_exits = !stopwatch->options.return_probes &&
			   (site_is_call(&image->site) || image->site.at_return);
	size_t count = functions->list.count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct found_function *function = &functions->list.at[i];
		struct probe_entry entry = probe_entry_of(functions->machine, function->code,
							  sizeof(function->code));

		if (entry.is_refused || (needs_exits && !function->is_decoded))
			stopwatch->left_out++;
		else
			functions->list.at[kept++] = *function;
	}
	functions->list.count = kept;
}

/* Leaves out the functions that are in @other, too. Both lists are by rising address. */
static void drop_common(struct found_functions *functions, const struct found_functions *other)
{
	size_t count = functions->list.count, kept = 0, k = 0;

	for (size_t i = 0; i < count; i++) {
		const struct found_function *function = &functions->list.at[i];

		while (k < other->list.count && other->list.at[k].vaddr < function->vaddr)
			k++;
		if (k == other->list.count || other->list.at[k].vaddr != function->vaddr)
			functions->list.at[kept++] = *function;
	}
	functions->list.count = kept;
}

/* Leaves out the functions whose calls are measured already, because two points name them. */
static void drop_watched(const struct stopwatch *stopwatch, struct watched_image *image)
{
	for (const struct watched_image *other = stopwatch->images.at; other < image; other++)
		if (site_is_call(&other->site) && is_same_file(other->fd, image->fd))
			drop_common(&image->functions, &other->functions);
}

/* Writes "a", "a and b", "a, b and c" or "a, b, c and 2 more functions". */
static char *list_inlined(const struct found_inlined *inlined)
{
	uint32_t more = inlined->count - inlined->name_count;
	char *text = NULL;
	size_t size_bytes;
	FILE *out = open_memstream(&text, &size_bytes);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < inlined->name_count; i++)
		(void)fprintf(out, "%s%s",
			      i == 0				    ? ""
			      : more || i + 1 < inlined->name_count ? ", "
								    : " and ",
			      inlined->names[i]);
	if (more)
		(void)fprintf(out, " and %" PRIu32 " more function%s", more, more == 1 ? "" : "s");
	return fclose(out) == 0 ? text : NULL;
}

/* There is no such function. It may have been inlined into all that call it. */
static int say_none(const struct stopwatch_options *options, const struct watched_image *image,
		    const char *pattern, struct err *err)
{
	_cleanup_(found_inlined_fini) struct found_inlined inlined = { 0 };
	_cleanup_free_ char *where = NULL;
	const char *why = stopwatch_why_none(&image->functions);

	if (!image->functions.has_resolver && image->functions.has_all_names &&
	    inlined_find(options->readers, image->fd, pattern, &inlined) == 0) {
		where = inlined.count ? list_inlined(&inlined) : NULL;
		why = "no function of this name";
	}
	if (where)
		return err_set(err, -ENOENT, "%s: %s was inlined everywhere: into %s", image->path,
			       pattern, where);
	return err_set(err, -ENOENT, "%s: %s: %s", image->path, pattern, why);
}

static int check_functions(const struct stopwatch_options *options,
			   const struct watched_image *image, const char *pattern, struct err *err)
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
		return say_none(options, image, pattern, err);
	return 0;
}

int stopwatch_open_image(const struct stopwatch_options *options, const struct point *point,
			 int *ret_fd, char **ret_path, struct err *err)
{
	const struct image_search search = {
		.name = point->image,
		.tgids = options->tgids,
		.tgid_count = options->tgid_count,
		.program_dirs = options->program_dirs,
	};
	char path[PATH_MAX];

	*ret_fd = image_search_open(&search, path, err);
	if (*ret_fd < 0)
		return *ret_fd;
	*ret_path = strdup(path);
	return *ret_path ? 0 : err_sys(err, -ENOMEM, "%s", path);
}

static int open_image(struct stopwatch *stopwatch, const struct point *point,
		      struct watched_image *image, struct err *err)
{
	const struct stopwatch_options *options = &stopwatch->options;
	int rc = stopwatch_open_image(options, point, &image->fd, &image->path, err);

	if (rc < 0)
		return rc;
	rc = functions_find(options->readers, image->fd, point->name, &image->functions);
	if (rc == -ENOEXEC)
		return err_set(err, rc, "%s: is not a program or library", image->path);
	if (rc < 0)
		return err_sys(err, rc, "%s: cannot read its functions", image->path);
	return check_functions(options, image, point->name, err);
}

static int add_function_spans(struct stopwatch *stopwatch, const struct watched_image *image)
{
	const struct found_functions *functions = &image->functions;

	for (size_t i = 0; i < functions->list.count; i++) {
		const struct found_function *function = &functions->list.at[i];
		const struct stopwatch_span span = {
			.kind = SPAN_FUNCTION,
			.image = image->path,
			.name = function->name,
			.cost = probe_entry_of(functions->machine, function->code,
					       sizeof(function->code))
					.cost,
		};

		if (stopwatch_add_span(stopwatch, &span) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int find_functions(struct stopwatch *stopwatch, const struct point *point,
			  const struct site *site, struct err *err)
{
	struct watched_image *image = vec_push(&stopwatch->images);
	size_t left_out = stopwatch->left_out;
	int rc;

	if (!image)
		return err_sys(err, -ENOMEM, "%s", point->text);
	*image = (struct watched_image){ .fd = -1, .site = *site };
	rc = open_image(stopwatch, point, image, err);
	if (rc < 0)
		return rc;
	drop_unseen(stopwatch, image);
	if (!image->functions.list.count && stopwatch->left_out > left_out)
		return err_set(err, -EOPNOTSUPP,
			       "%s: %s: its code cannot be decoded, or the kernel sets no probe at "
			       "its first instruction",
			       image->path, point->name);
	if (!site_is_call(site))
		return 0;
	image->site.span = (uint32_t)stopwatch->spans.count;
	drop_watched(stopwatch, image);
	rc = add_function_spans(stopwatch, image);
	return rc < 0 ? err_sys(err, rc, "%s", point->text) : 0;
}

/* ---- system calls ---- */

/* Takes ownership of @name. */
static int add_named_span(struct stopwatch *stopwatch, const struct stopwatch_span *span,
			  char *name)
{
	char **slot = name ? vec_push(&stopwatch->names) : NULL;
	struct stopwatch_span named = *span;

	if (!slot) {
		free(name);
		return -ENOMEM;
	}
	*slot = name;
	named.name = name;
	return stopwatch_add_span(stopwatch, &named);
}

static const struct watched_call *watched_call(const struct stopwatch *stopwatch, uint32_t number,
					       bool at_return)
{
	for (size_t i = 0; i < stopwatch->calls.count; i++) {
		const struct watched_call *call = &stopwatch->calls.at[i];

		if (call->number == number &&
		    (site_is_call(&call->site) || call->site.at_return == at_return))
			return call;
	}
	return NULL;
}

/* Takes ownership of @name. */
static int add_call(struct stopwatch *stopwatch, uint32_t number, const struct site *site,
		    char *name, struct err *err)
{
	static const struct stopwatch_span span = { .kind = SPAN_SYSTEM_CALL,
						    .image = "",
						    .cost = PROBE_CALL };
	const struct watched_call *known = watched_call(stopwatch, number, site->at_return);
	struct watched_call *call;
	int rc;

	if (known && site_is_call(site) && site_is_call(&known->site)) {
		free(name);
		return 0;
	}
	if (known) {
		rc = err_set(err, -EINVAL, "syscall:%s: only one thing can be measured at a point",
			     name);
		free(name);
		return rc;
	}
	call = vec_push(&stopwatch->calls);
	if (!call) {
		free(name);
		return err_sys(err, -ENOMEM, "system calls");
	}
	*call = (struct watched_call){ number, *site };
	if (!site_is_call(site)) {
		free(name);
		return 0;
	}
	call->site.span = (uint32_t)stopwatch->spans.count;
	return add_named_span(stopwatch, &span, name) < 0 ? err_sys(err, -ENOMEM, "system calls")
							  : 0;
}

static int find_calls(struct stopwatch *stopwatch, const struct point *point,
		      const struct site *site, struct err *err)
{
	uint32_t machine = seccomp_arch_native();
	struct pattern pattern = { 0 };
	bool found = false;
	int rc = pattern_compile(point->name, PATTERN_NAME, &pattern, err);

	if (rc < 0)
		return rc;
	for (uint32_t number = 0; number < SPAN_CALLS && rc == 0; number++) {
		char *name = seccomp_syscall_resolve_num_arch(machine, (int)number);

		if (name && pattern_matches(&pattern, name)) {
			found = true;
			rc = add_call(stopwatch, number, site, name, err);
		} else {
			free(name);
		}
	}
	pattern_fini(&pattern);
	if (rc == 0 && !found)
		return err_set(err, -ENOENT, "%s: there is no such system call", point->text);
	return rc;
}

/* ---- the kernel ---- */

static int find_kernel(struct stopwatch *stopwatch, const struct point *point,
		       const struct site *site, struct err *err)
{
	const struct kallsyms *kallsyms = stopwatch->options.kallsyms;
	struct kernel_functions functions = { 0 };
	int rc = kernel_functions_find(kallsyms, point->name, &functions, err);

	stopwatch->left_out += functions.left_out;
	for (size_t i = 0; i < functions.list.count && rc == 0; i++) {
		const struct kernel_symbol *symbol = &kallsyms->symbols.at[functions.list.at[i]];
		const struct stopwatch_span span = {
			.kind = SPAN_KERNEL_FUNCTION,
			.image = symbol->module ? kallsyms_string(kallsyms, symbol->module)
						: "[kernel]",
			.name = kallsyms_string(kallsyms, symbol->name),
			.cost = PROBE_KERNEL,
		};
		struct watched_kernel *function = vec_push(&stopwatch->kernel);

		if (!function) {
			rc = err_sys(err, -ENOMEM, "%s", point->text);
			break;
		}
		*function = (struct watched_kernel){ symbol->addr, *site };
		if (!site_is_call(site))
			continue;
		function->site.span = (uint32_t)stopwatch->spans.count;
		if (stopwatch_add_span(stopwatch, &span) < 0)
			rc = err_sys(err, -ENOMEM, "%s", point->text);
	}
	kernel_functions_fini(&functions);
	return rc;
}

static int find_tracepoint(struct stopwatch *stopwatch, const struct point *point,
			   const struct site *site, struct err *err)
{
	struct watched_tracepoint *tracepoint;
	uint64_t id;
	int rc = stopwatch_add_hit(stopwatch, point, site, err);

	if (rc < 0)
		return rc;
	if (tracefs_event_id(point->image, point->name, &id, err) < 0)
		return err_prefix(err, "%s", point->text);
	for (size_t i = 0; i < stopwatch->tracepoints.count; i++)
		if (stopwatch->tracepoints.at[i].id == id)
			return err_set(err, -EINVAL,
				       "%s: only one thing can be measured at a point",
				       point->text);
	tracepoint = vec_push(&stopwatch->tracepoints);
	if (!tracepoint)
		return err_sys(err, -ENOMEM, "%s", point->text);
	*tracepoint = (struct watched_tracepoint){ id, point->text, *site };
	return 0;
}

/* ---- points that are passed ---- */

int stopwatch_add_hit(struct stopwatch *stopwatch, const struct point *point,
		      const struct site *site, struct err *err)
{
	const struct stopwatch_span span = { .kind = SPAN_JOINED,
					     .image = "",
					     .cost = PROBE_NOT_MEASURED };

	if (!site_is_call(site))
		return 0;
	if (stopwatch->options.measure != SPAN_ARGUMENT)
		return err_set(err, -EINVAL,
			       "%s: this point has no end; measure from one point to another, or a "
			       "value that it has",
			       point->text);
	return add_named_span(stopwatch, &span, strdup(point->text)) < 0
		       ? err_sys(err, -ENOMEM, "%s", point->text)
		       : 0;
}

/* ---- all ---- */

static int find_point(struct stopwatch *stopwatch, const struct point *point, struct site site,
		      struct err *err)
{
	site.at_return = point->at_return;
	if (point->at_return && site_is_call(&site))
		return err_set(err, -EINVAL,
			       "%s: a return alone is no span; measure from one point to another",
			       point->text);
	switch (point->kind) {
	case POINT_CALL:
		return find_calls(stopwatch, point, &site, err);
	case POINT_KERNEL:
		return find_kernel(stopwatch, point, &site, err);
	case POINT_TRACEPOINT:
		return find_tracepoint(stopwatch, point, &site, err);
	case POINT_USDT:
		return stopwatch_find_usdt(stopwatch, point, &site, err);
	default:
		return find_functions(stopwatch, point, &site, err);
	}
}

/* Adds an empty key. Writes its number plus 1 to *@ret_number. Returns NULL with a message. */
static struct span_key *new_key(struct stopwatch *stopwatch, const struct point *point,
				uint32_t *ret_number, struct err *err)
{
	struct span_key *key = stopwatch->keys.count < SPAN_KEYS_MAX ? vec_push(&stopwatch->keys)
								     : NULL;

	if (!key) {
		(void)err_set(err, -E2BIG, "%s: too many points", point->text);
		return NULL;
	}
	*key = (struct span_key){ 0 };
	*ret_number = (uint32_t)stopwatch->keys.count;
	return key;
}

/* Only an argument or field can be measured, not for example the number of the CPU. */
static int find_measured(struct stopwatch *stopwatch, const struct point *point,
			 struct span_value *ret_value, struct err *err)
{
	const char *name = stopwatch->options.argument;

	return join_value_find(&stopwatch->options, name, point, true, ret_value, err);
}

/*
 * Adds the values of a point where spans begin: that which groups them, if it is not the result of
 * a call, and that which is measured.
 */
static int add_by(struct stopwatch *stopwatch, const struct point *point, bool is_joined,
		  uint32_t *ret_number, struct err *err)
{
	enum span_by by = stopwatch->options.by;
	bool is_call = !is_joined && point->kind != POINT_TRACEPOINT && point->kind != POINT_USDT;
	bool has_by = by == SPAN_BY_VALUE || (by == SPAN_BY_RESULT && !is_call);
	bool is_measured = !is_joined && stopwatch->options.measure == SPAN_ARGUMENT;
	struct span_key *key;
	int rc = 0;

	if (by == SPAN_BY_SIGN && !is_call)
		return err_set(err, -EINVAL,
			       "%s: only calls can be told apart by the sign of "
			       "their result",
			       point->text);
	if (by == SPAN_BY_CALLER && (!is_call || point->kind != POINT_FUNCTION))
		return err_set(err, -EINVAL,
			       "%s: only calls of functions of programs and libraries can be told "
			       "apart by caller",
			       point->text);
	if (!has_by && !is_measured)
		return 0;
	key = new_key(stopwatch, point, ret_number, err);
	if (!key)
		return -E2BIG;
	if (has_by)
		rc = join_value_find(&stopwatch->options, stopwatch->options.by_value, point, false,
				     &key->values[SPAN_BY], err);
	if (rc == 0 && has_by && stopwatch->options.by_second)
		rc = join_value_find(&stopwatch->options, stopwatch->options.by_second, point,
				     false, &key->values[SPAN_BY_SECOND], err);
	if (rc == 0 && is_measured)
		rc = find_measured(stopwatch, point, &key->values[SPAN_MEASURED], err);
	return rc;
}

/* Adds the key of a point. Writes its number plus 1 to *@ret_number. */
static int add_key(struct stopwatch *stopwatch, const char *text, const struct point *point,
		   bool is_end, uint32_t *ret_number, struct err *err)
{
	struct span_key *key = new_key(stopwatch, point, ret_number, err);

	return key ? join_key_find(&stopwatch->options, text, point, is_end, key, err) : -E2BIG;
}

static bool is_among(const struct point *points, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(points[i].text, text) == 0)
			return true;
	return false;
}

/* A point that ends a span and begins the next has one program, which does it in this order. */
static int find_join(struct stopwatch *stopwatch, const struct span_join *join, struct err *err)
{
	const struct stopwatch_span span = { .kind = SPAN_JOINED,
					     .image = "",
					     .cost = PROBE_NOT_MEASURED };
	uint32_t number = (uint32_t)stopwatch->spans.count;
	int rc = add_named_span(stopwatch, &span, strdup(join->name));

	if (rc < 0)
		return err_sys(err, rc, "%s", join->name);
	for (size_t i = 0; i < join->from_count && rc == 0; i++) {
		const struct point *point = &join->from[i];
		struct site site = { .span = number };

		rc = add_key(stopwatch, join->key, point, false, &site.begin, err);
		if (rc == 0)
			rc = add_by(stopwatch, point, true, &site.by, err);
		if (rc == 0 && is_among(join->to, join->to_count, point->text))
			rc = add_key(stopwatch, join->key, point, true, &site.end, err);
		if (rc == 0)
			rc = find_point(stopwatch, point, site, err);
	}
	for (size_t i = 0; i < join->to_count && rc == 0; i++) {
		const struct point *point = &join->to[i];
		struct site site = { .span = number };

		if (is_among(join->from, join->from_count, point->text))
			continue;
		rc = add_key(stopwatch, join->key, point, true, &site.end, err);
		if (rc == 0)
			rc = find_point(stopwatch, point, site, err);
	}
	return rc;
}

static int find_run_queue(struct stopwatch *stopwatch, struct err *err)
{
	enum span_by by = stopwatch->options.by;
	static const struct stopwatch_span span = {
		.kind = SPAN_JOINED, .image = "", .name = "runqueue", .cost = PROBE_NOT_MEASURED
	};

	if (by == SPAN_BY_CALLER)
		return err_set(err, -EINVAL, "runqueue has no callers");
	if (by >= SPAN_BY_VALUE)
		return err_set(err, -EINVAL, "runqueue has no arguments and no result");
	return stopwatch_add_span(stopwatch, &span) < 0 ? err_sys(err, -ENOMEM, "runqueue") : 0;
}

int stopwatch_find_all(struct stopwatch *stopwatch, struct err *err)
{
	const struct stopwatch_options *options = &stopwatch->options;
	int rc = 0;

	if (options->what.run_queue)		/* the first span: see stopwatch_load.c */
		rc = find_run_queue(stopwatch, err);
	for (size_t i = 0; i < options->what.join_count && rc == 0; i++)
		rc = find_join(stopwatch, &options->what.joins[i], err);
	for (size_t i = 0; i < options->what.point_count && rc == 0; i++) {
		struct site site = { .span = (uint32_t)stopwatch->spans.count };

		rc = add_by(stopwatch, &options->what.points[i], false, &site.by, err);
		if (rc == 0)
			rc = find_point(stopwatch, &options->what.points[i], site, err);
	}
	if (rc == 0 && stopwatch->spans.count > STOPWATCH_SPANS_MAX)
		rc = err_set(err, -E2BIG, "the points are %zu functions; at most %u can be timed",
			     stopwatch->spans.count, STOPWATCH_SPANS_MAX);
	return rc;
}
