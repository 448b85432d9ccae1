/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/stopwatch_session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "process/proc_read.h"
#include "sampler/irq_time.h"
#include "session/file_readers.h"
#include "session/kernel_symbols.h"
#include "session/span_callers.h"
#include "session/span_cgroups.h"
#include "session/span_counters.h"
#include "session/stop_signals.h"
#include "session/workload.h"
#include "stopwatch/probe_costs.h"
#include "stopwatch/stopwatch.h"

#define CHECK_NS (NS_PER_SEC / 5)	/* how often the overhead is checked */
#define CALLERS_NS (NS_PER_SEC / 10)	/* how often the files of callers are opened */
#define POLL_MAX_NS (3600 * NS_PER_SEC)

typedef VEC(struct span_times) span_times_list;

struct session {
	const struct stopwatch_session_options *options;
	const struct stopwatch_listener *listener;
	struct readers *readers;
	struct kallsyms kallsyms;
	struct stopwatch *stopwatch;
	struct probe_costs costs;
	struct span_counters counters;
	struct irq_time *irq_time;	/* NULL: not measured */
	struct span_callers *callers;	/* NULL: spans are not told apart by caller */
	struct span_cgroups *cgroups;	/* NULL: nor by control group */
	struct workload workload;
	VEC(uint32_t) tgids;
	VEC(struct span_row) rows;
	VEC(struct span_group) groups;
	/* With intervals: what was there at the end of the last one. */
	span_times_list spans_before, groups_before;
	uint64_t start_ns, interval_end_ns, end_ns;
	struct probe_overhead overhead;
	uint64_t stopped_ns;		/* when measuring stopped; 0: it goes on */
	int signal_fd;
	int exec_error;
	struct err err;
};

/* ---- before ---- */

static int choose_processes(struct session *session)
{
	const struct stopwatch_session_options *options = session->options;
	bool only_some = !options->all_processes && (options->tgid_count || session->workload.pid);
	uint32_t *slot;

	if (!only_some)
		return 0;
	if (proc_is_in_pid_namespace())
		return err_set(&session->err, -EOPNOTSUPP,
			       "in a pid namespace, only all processes can be measured: the kernel "
			       "knows them by other ids");
	for (size_t i = 0; i < options->tgid_count; i++) {
		slot = vec_push(&session->tgids);
		if (!slot)
			return err_sys(&session->err, -ENOMEM, "processes");
		*slot = options->tgids[i];
	}
	if (!session->workload.pid)
		return 0;
	slot = vec_push(&session->tgids);
	if (!slot)
		return err_sys(&session->err, -ENOMEM, "processes");
	*slot = (uint32_t)session->workload.pid;
	return 0;
}

static void say_cost(const struct session *session)
{
	size_t count = stopwatch_span_count(session->stopwatch), slow;
	uint64_t most_ns = probe_costs_most_ns(&session->costs, session->stopwatch, &slow);

	if (most_ns)
		session_note(&session->listener->notes,
			     "%zu %s; each call takes up to %.1f us longer", count,
			     count == 1 ? "point" : "points", (double)most_ns / NS_PER_USEC);
	if (slow && session->options->return_probes)
		session_note(&session->listener->notes,
			     "%zu of them %s slow to probe: the kernel executes the first "
			     "instruction by itself, with a trap after it",
			     slow, slow == 1 ? "is" : "are");
	if (stopwatch_left_out(session->stopwatch))
		session_note(&session->listener->notes,
			     "functions left out, because their code cannot be decoded or probed: "
			     "%zu",
			     stopwatch_left_out(session->stopwatch));
}

static int open_counters(struct session *session)
{
	const struct stopwatch_session_options *options = session->options;
	int rc = 0;

	if (options->counters)
		rc = span_counters_open(&session->counters, options->counters, &session->err);
	if (rc == 0 && options->interrupts)
		rc = irq_time_new(NULL, false, &session->irq_time, &session->err);
	return rc;
}

static int prepare(struct session *session)
{
	const struct stopwatch_session_options *options = session->options;
	struct stopwatch_options how = {
		.what = options->what,
		.return_probes = options->return_probes,
		.waits = options->waits,
		.measure = options->measure,
		.by = options->by,
		.by_value = options->by_value,
		.by_second = options->by_second,
		.argument = options->argument,
		.program_dirs = options->program_dirs,
		.kallsyms = &session->kallsyms,
		.probe_ns = session->costs.call_ns,
		.probe_counts = &session->costs.call,
	};
	int rc;

	session->readers = file_readers_new();
	session->signal_fd = stop_signals_open();
	if (session->signal_fd < 0)
		return err_sys(&session->err, session->signal_fd, "cannot receive signals");
	if (options->command) {
		rc = workload_start(&session->workload, options->command, &session->err);
		if (rc < 0)
			return rc;
	}
	rc = choose_processes(session);
	if (rc < 0)
		return rc;
	how.readers = session->readers;
	how.tgids = session->tgids.at;
	how.tgid_count = session->tgids.count;
	rc = open_counters(session);
	if (rc < 0)
		return rc;
	how.counters = session->counters.open;
	how.interrupts = session->irq_time;
	if (span_points_need_kernel(&options->what))
		rc = kernel_symbols_read(NULL, &session->kallsyms, &session->err);
	if (rc == 0)
		rc = stopwatch_find(&how, &session->stopwatch, &session->err);
	if (rc == 0 && options->by == SPAN_BY_CALLER)
		rc = span_callers_new(session->readers, &session->callers, &session->err);
	if (rc == 0 && options->by == SPAN_BY_CGROUP)
		rc = span_cgroups_new(&session->cgroups, &session->err);
	if (rc == 0)
		rc = probe_costs_measure(&how, &session->costs, &session->err);
	if (rc == 0)
		rc = stopwatch_load(session->stopwatch, &session->err);
	if (rc == 0)
		say_cost(session);
	return rc;
}

/* ---- results ---- */

static struct span_row row_of(const struct session *session, size_t span)
{
	struct stopwatch_span found = stopwatch_span(session->stopwatch, span);

	return (struct span_row){
		.kind = found.kind,
		.image = found.image,
		.name = found.name,
		.inside_ns = session->options->measure == SPAN_TIME
				     ? session->costs.inside_ns[found.cost]
				     : 0,
		.inside_counts = session->costs.inside.at[found.cost],
	};
}

static bool is_empty(const struct span_times *times)
{
	uint64_t misses = times->no_amount;

	for (size_t i = 0; i < SPAN_MISSES; i++)
		misses += times->misses[i];
	return !times->count && !misses;
}

/* With intervals, leaves only what came since @before, which becomes what there is now. */
static void keep_new(struct span_times *times, struct span_times *before)
{
	struct span_times now = *times;

	if (!before)
		return;
	span_times_since(times, before);
	*before = now;
}

/* With intervals, makes room for what was there before. */
static int slots_before(const struct session *session, span_times_list *before, size_t count)
{
	if (!session->options->interval_ms)
		return 0;
	while (before->count < count) {
		struct span_times *slot = vec_push(before);

		if (!slot)
			return -ENOMEM;
		*slot = (struct span_times){ 0 };
	}
	return 0;
}

/* Returns the row that has the caller of group @i already, or NULL. */
static struct span_row *row_of_caller(struct session *session, struct u64map *rows, size_t i)
{
	uint64_t key = (uint64_t)session->groups.at[i].span << 32 |
		       span_callers_number(session->callers, i);
	uint32_t row;

	if (u64map_get(rows, key, &row))
		return &session->rows.at[row];
	(void)u64map_put(rows, key, (uint32_t)session->rows.count);
	return NULL;
}

/* Adds the rows of the groups. Groups with the same caller become one row. */
static void add_group_rows(struct session *session)
{
	struct u64map rows = { 0 };

	for (size_t i = 0; i < session->groups.count; i++) {
		bool has_before = i < session->groups_before.count;
		struct span_group *group = &session->groups.at[i];
		struct span_row row = row_of(session, group->span), *same = NULL;

		stopwatch_read_group(session->stopwatch, i, &row.times);
		keep_new(&row.times, has_before ? &session->groups_before.at[i] : NULL);
		if (is_empty(&row.times))
			continue;
		row.group = group;
		if (session->callers) {
			row.group_name = span_callers_name(session->callers, i);
			same = row_of_caller(session, &rows, i);
		}
		if (session->cgroups)
			row.group_name = span_cgroups_name(session->cgroups, group->id);
		if (same)
			span_times_merge(&same->times, &row.times);
		else
			session->rows.at[session->rows.count++] = row;
	}
	u64map_fini(&rows);
}

/* A number may have been taken for a group that another CPU had just made: then it is empty. */
static int collect_groups(struct session *session)
{
	size_t count = session->options->by ? stopwatch_group_count(session->stopwatch) : 0;
	int rc = 0;

	if (vec_reserve(&session->groups, count) < 0 || vec_reserve(&session->rows, count) < 0 ||
	    slots_before(session, &session->groups_before, count) < 0)
		return err_sys(&session->err, -ENOMEM, "spans");
	for (size_t i = 0; i < count; i++) {
		struct span_group *group = &session->groups.at[session->groups.count++];

		if (stopwatch_group(session->stopwatch, i, group) < 0)
			*group = (struct span_group){ 0 };
	}
	if (session->callers)
		rc = span_callers_find(session->callers, session->groups.at, count, &session->err);
	if (session->cgroups)
		rc = span_cgroups_find(session->cgroups, session->groups.at, count, &session->err);
	if (rc == 0)
		add_group_rows(session);
	return rc;
}

/* With groups, a span has a row of its own only for what is in none of them. */
static int collect(struct session *session)
{
	size_t count = stopwatch_span_count(session->stopwatch);
	int rc;

	session->rows.count = session->groups.count = 0;
	rc = collect_groups(session);
	if (rc < 0)
		return rc;
	if (slots_before(session, &session->spans_before, count) < 0)
		return err_sys(&session->err, -ENOMEM, "spans");
	for (size_t i = 0; i < count; i++) {
		bool has_before = i < session->spans_before.count;
		struct span_row row = row_of(session, i), *slot;

		stopwatch_read(session->stopwatch, i, &row.times);
		keep_new(&row.times, has_before ? &session->spans_before.at[i] : NULL);
		if ((session->options->by || session->options->interval_ms) && is_empty(&row.times))
			continue;
		slot = vec_push(&session->rows);
		if (!slot)
			return err_sys(&session->err, -ENOMEM, "spans");
		*slot = row;
	}
	for (size_t i = 0; i < session->rows.count; i++) {
		struct span_row *row = &session->rows.at[i];

		span_times_subtract(&row->times, row->inside_ns);
		span_times_subtract_counts(&row->times, row->inside_counts);
	}
	return 0;
}

/* Passes the result of the interval, or of all the time, which ends at @now_ns. */
static int show(struct session *session, uint64_t now_ns)
{
	struct stopwatch_result result = {
		.time_seconds = (double)(now_ns - session->start_ns) / NS_PER_SEC,
		.counter_count = session->counters.open.count,
		.counter_names = session->counters.names,
		.counter_kinds = session->counters.kinds,
	};
	int rc = collect(session);

	if (rc < 0)
		return rc;
	result.rows = session->rows.at;
	result.row_count = session->rows.count;
	rc = session->listener->result(session->listener->context, &result);
	return rc < 0 ? err_sys(&session->err, rc, "cannot print the spans") : 0;
}

static void stop_measuring(struct session *session)
{
	if (session->stopped_ns)
		return;
	session->stopped_ns = clock_monotonic_ns();
	stopwatch_disable(session->stopwatch);
}

/* ---- during ---- */

/* Returns when the overhead is checked next; 0: never. */
static uint64_t next_check_ns(const struct session *session)
{
	return session->options->max_overhead_percent > 0 && !session->stopped_ns
		       ? session->overhead.checked_ns + CHECK_NS
		       : 0;
}

/* Stops measuring if the probes have taken too much since the last time. */
static void check_overhead(struct session *session)
{
	uint64_t now_ns = clock_monotonic_ns();
	double percent;

	if (!next_check_ns(session) || now_ns < next_check_ns(session))
		return;
	percent = probe_overhead_percent(&session->overhead, session->stopwatch, &session->costs,
					 now_ns);
	if (percent <= session->options->max_overhead_percent)
		return;
	stop_measuring(session);
	session_note(&session->listener->notes,
		     "the probes took about %.2g%% of the machine's CPU time, more than %.3g%%, "
		     "and were removed after %.1f s; all figures are of this time",
		     percent, session->options->max_overhead_percent,
		     (double)(session->stopped_ns - session->start_ns) / NS_PER_SEC);
}

static void keep_earlier(uint64_t *next_ns, uint64_t other_ns)
{
	if (other_ns && (!*next_ns || other_ns < *next_ns))
		*next_ns = other_ns;
}

/* Until the end of the interval, or of all, or the next check, or files are to be opened. */
static int timeout_ms(const struct session *session)
{
	uint64_t now_ns = clock_monotonic_ns(), next_ns = session->end_ns;

	if (session->callers)
		keep_earlier(&next_ns, now_ns + CALLERS_NS);
	if (!session->stopped_ns)
		keep_earlier(&next_ns, session->interval_end_ns);
	keep_earlier(&next_ns, next_check_ns(session));
	if (!next_ns)
		return -1;
	if (next_ns <= now_ns)
		return 0;
	return next_ns - now_ns < POLL_MAX_NS ? (int)((next_ns - now_ns) / NS_PER_MSEC) + 1
					      : (int)(POLL_MAX_NS / NS_PER_MSEC);
}

/* Shows an interval that is over. Returns 1, and shows nothing, if the time limit is reached. */
static int at_timeout(struct session *session)
{
	uint64_t now_ns = clock_monotonic_ns();
	int rc;

	if (session->end_ns && now_ns >= session->end_ns)
		return 1;
	if (session->callers && span_callers_read(session->callers) < 0)
		return err_sys(&session->err, -ENOMEM, "callers");
	check_overhead(session);
	if (session->stopped_ns || !session->interval_end_ns || now_ns < session->interval_end_ns)
		return 0;
	rc = show(session, now_ns);
	while (session->interval_end_ns <= now_ns)
		session->interval_end_ns += session->options->interval_ms * NS_PER_MSEC;
	return rc;
}

static int measure(struct session *session)
{
	struct pollfd fds[] = {
		{ .fd = session->signal_fd, .events = POLLIN },
		{ .fd = session->workload.pid ? session->workload.pidfd : -1, .events = POLLIN },
	};
	int rc;

	if (session->irq_time)
		irq_time_enable(session->irq_time);
	stopwatch_enable(session->stopwatch);
	session->start_ns = clock_monotonic_ns();
	if (session->options->duration_ms)
		session->end_ns = session->start_ns + session->options->duration_ms * NS_PER_MSEC;
	if (session->options->interval_ms)
		session->interval_end_ns = session->start_ns +
					   session->options->interval_ms * NS_PER_MSEC;
	probe_overhead_begin(&session->overhead, session->start_ns);
	if (session->workload.pid) {
		rc = workload_release(&session->workload, &session->err);
		if (rc < 0) {
			session->exec_error = rc;
			return rc;
		}
	}
	for (;;) {
		rc = poll(fds, 2, timeout_ms(session));
		if (rc < 0 && errno != EINTR)
			return err_sys(&session->err, -errno, "poll");
		if (rc <= 0) {
			rc = at_timeout(session);
			if (rc != 0)
				return rc < 0 ? rc : 0;
			continue;
		}
		if (fds[0].revents)
			stop_signals_take(session->signal_fd, session->workload.pid);
		return 0;
	}
}

/* ---- after ---- */

static void say_not_counted(const struct session *session)
{
	struct err err = { 0 };

	if (session->counters.open.count && span_counters_check(&session->counters, &err) < 0)
		session_note(&session->listener->notes, "%s; its figures are too small", err.text);
}

static void say_skipped(const struct session *session)
{
	uint64_t count = stopwatch_skipped(session->stopwatch);

	if (count)
		session_note(&session->listener->notes,
			     "the kernel skipped %llu entries and returns, so some calls are "
			     "missing",
			     (unsigned long long)count);
}

static int report(struct session *session)
{
	stop_measuring(session);
	say_skipped(session);
	say_not_counted(session);
	return show(session, session->stopped_ns);
}

struct stopwatch_outcome stopwatch_session(const struct stopwatch_session_options *options,
					   const struct stopwatch_listener *listener)
{
	struct session session = { .options = options, .listener = listener, .signal_fd = -1 };
	struct stopwatch_outcome outcome = { 0 };
	int rc;

	session.workload.pidfd = session.workload.gate_fd = -1;
	rc = prepare(&session);
	if (rc == 0)
		rc = measure(&session);
	if (rc == 0)
		rc = report(&session);
	stopwatch_free(session.stopwatch);
	span_callers_free(session.callers);
	span_cgroups_free(session.cgroups);
	irq_time_free(session.irq_time);
	span_counters_close(&session.counters);
	kallsyms_fini(&session.kallsyms);
	if (session.workload.pid && rc == 0) {
		stop_signals_wait(&session.workload, &listener->notes);
		outcome.exit_status = workload_wait(&session.workload);
	}
	workload_fini(&session.workload);
	readers_free(session.readers);
	stop_signals_close(session.signal_fd);
	vec_free(&session.tgids);
	vec_free(&session.rows);
	vec_free(&session.groups);
	vec_free(&session.spans_before);
	vec_free(&session.groups_before);
	outcome.exec_error = session.exec_error;
	outcome.err = session.err;
	return outcome;
}
