/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/stat_session.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/counters.h"
#include "perf/file_limit.h"
#include "perf/portable_events.h"
#include "session/workload.h"
#include "session/stat_tasks.h"
#include "session/stop_signals.h"

#define TASKS_CHECK_MS 100	/* interval for checking whether the processes have ended */
#define AFTER_SIGNAL_MS 100	/* maximum wait for a command that received the same ^C */
#define TIMES_MAX 3		/* elapsed, user and system time */
#define KINDS_MAX (COUNTED_EVENTS_MAX + TIMES_MAX)

struct session {
	const struct stat_options *options;
	const struct stat_listener *listener;
	struct event_groups groups;
	struct cpus cpus;
	struct stat_tasks tasks;
	struct counters counters;
	struct workload workload;
	struct counter_kind kinds[KINDS_MAX];
	const char *names[KINDS_MAX];
	char **places;			/* names of CPUs or threads; NULL if all are summed up */
	size_t named_count;
	struct counter_table table;
	VEC(struct counter_reading) before;	/* readings at the start of the interval or run */
	VEC(struct counter_reading) now, since;
	struct rusage usage;		/* resources used by child processes before this run */
	/* soft limit on open files before we raised it; 0 if it was not raised */
	struct rlimit files;
	uint64_t start_ns, interval_start_ns, end_ns;	/* end_ns is 0 if there is no time limit */
	int signal_fd;
	bool stopped;			/* stopped by a signal */
	bool said;			/* say_how() has been called */
	int exec_error;			/* error of executing the command; 0: none */
	int exit_status;		/* status of the first run that failed; 0: none failed */
	struct err err;
};

/* ---- what to count ---- */

static int parse_default(struct session *session)
{
	static const char *const hardware[][2] = {
		{ "total-cycles", "cycles" },
		{ "total-instructions", "instructions" },
		{ "branch-instructions", "branches" },
		{ "branch-misses", "branch-misses" },
	};
	const char *clock = session->options->target == STAT_SYSTEM ? "cpu-clock" : "task-clock";
	int rc = event_groups_parse(clock, &session->groups, &session->err);

	if (rc < 0)
		return rc;
	rc = event_groups_parse("context-switches,cpu-migrations,page-faults", &session->groups,
				&session->err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sizeof(hardware) / sizeof(hardware[0]); i++) {
		struct perf_event_attr attr = { .size = sizeof(attr) };

		if (portable_event_find(hardware[i][0], &attr, NULL) < 0)
			continue;
		rc = event_groups_parse(hardware[i][1], &session->groups, &session->err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int parse_events(struct session *session)
{
	const struct stat_options *options = session->options;

	if (!options->event_count)
		return parse_default(session);
	for (size_t i = 0; i < options->event_count; i++) {
		int rc = event_groups_parse(options->events[i], &session->groups, &session->err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int choose_cpus(struct session *session)
{
	_cleanup_(cpus_fini) struct cpus wanted = VEC_INIT;
	int rc = cpus_online(&session->cpus, &session->err);

	if (rc < 0)
		return rc;
	if (session->options->cpus) {
		rc = cpus_parse(session->options->cpus, &wanted, &session->err);
		if (rc < 0)
			return rc;
		cpus_intersect(&session->cpus, &wanted);
	}
	if (!session->cpus.count)
		return err_set(&session->err, -ENODEV, "none of the CPUs %s is online",
			       session->options->cpus);
	return 0;
}

/* ---- opening ---- */

static int open_counters(struct session *session)
{
	const struct stat_options *options = session->options;
	uint32_t command_tid = (uint32_t)session->workload.pid;
	struct counters_options where = { .groups = &session->groups };

	if (options->target == STAT_PROCESSES || options->target == STAT_THREADS)
		return stat_tasks_open(&session->tasks, options, &session->groups,
				       &session->counters, &session->err);
	if (options->target == STAT_SYSTEM) {
		where.cpus = &session->cpus;
	} else {
		where.tids = &command_tid;
		where.tid_count = 1;
		where.inherit = true;
		where.enable_on_exec = true;
	}
	return counters_open(&session->counters, &where, &session->err);
}

/* Tells the user once about limitations of the counts. */
static void say_how(struct session *session)
{
	const struct session_listener *notes = &session->listener->notes;

	if (session->said)
		return;
	session->said = true;
	if (session->groups.user_only)
		session_note(notes,
			     "the kernel allows counting only in user code (see 'assay doctor')");
	if (session->tasks.unsettled)
		session_note(notes, "new threads kept starting while counting began; some may be "
				    "missing");
	if (session->counters.absent)
		session_note(notes, "%zu thread%s ended before counting began",
			     session->counters.absent, session->counters.absent == 1 ? "" : "s");
}

/* ---- tables ---- */

static void add_time(struct session *session, const char *name)
{
	size_t index = session->table.kind_count++;

	session->names[index] = name;
	session->kinds[index] = (struct counter_kind){ .type = PERF_TYPE_MAX, .is_time = true };
}

static int name_places(struct session *session, size_t count)
{
	session->places = calloc(count, sizeof(*session->places));
	if (!session->places)
		return -ENOMEM;
	session->named_count = count;
	if (session->options->per_thread)
		return stat_tasks_name(&session->tasks, session->places);
	for (size_t i = 0; i < count; i++)
		if (asprintf(&session->places[i], "cpu %d", session->cpus.at[i]) < 0) {
			session->places[i] = NULL;
			return -ENOMEM;
		}
	return 0;
}

/*
 * Allocates memory for the readings of a run. The readings at the start of the run are zero,
 * because newly opened counters start at zero. Must be called for each run, because a process may
 * have more threads than in the previous run.
 */
static int prepare_readings(struct session *session)
{
	size_t count = session->counters.place_count * session->groups.spec_count;

	if (vec_reserve(&session->before, count) < 0 || vec_reserve(&session->now, count) < 0 ||
	    vec_reserve(&session->since, count) < 0)
		return -ENOMEM;
	memset(session->before.at, 0, count * sizeof(*session->before.at));
	return 0;
}

/*
 * Sets up the table. Called after the counters have been opened, because the number of CPUs or
 * threads in the table is not known earlier.
 */
static int prepare_table(struct session *session)
{
	struct counter_table *table = &session->table;
	int rc = prepare_readings(session);

	if (rc < 0 || table->kinds)
		return rc;
	table->kinds = session->kinds;
	table->event_count = table->kind_count = session->groups.spec_count;
	table->place_count = 1;
	for (size_t i = 0; i < table->event_count; i++) {
		session->kinds[i] = counter_kind_of(&session->groups.specs[i]);
		session->names[i] = session->groups.specs[i].name;
	}
	add_time(session, "elapsed-time");
	if (session->options->target == STAT_COMMAND && !session->options->interval_ms) {
		add_time(session, "user-time");
		add_time(session, "system-time");
	}
	if (!session->options->per_thread && !session->options->per_cpu)
		return 0;
	table->place_count = session->counters.place_count;
	return name_places(session, table->place_count);
}

static double timeval_ns(struct timeval after, struct timeval before)
{
	return (double)(after.tv_sec - before.tv_sec) * 1e9 +
	       (double)(after.tv_usec - before.tv_usec) * 1e3;
}

/* Reads the counters and adds the counts since the start of the run or interval to the table. */
static int take_readings(struct session *session, uint64_t now_ns)
{
	size_t count = session->counters.place_count * session->groups.spec_count;
	struct counter_reading *now = session->now.at, *since = session->since.at;
	struct rusage usage = session->usage;
	double times_ns[TIMES_MAX] = { (double)(now_ns - session->interval_start_ns) };

	counters_read(&session->counters, now);
	for (size_t i = 0; i < count; i++) {
		since[i] = counter_since(&session->before.at[i], &now[i]);
		if (!now[i].failed && !now[i].absent)
			session->before.at[i] = now[i];
	}
	/* The CPU times of a command are unknown until it has been waited for. */
	times_ns[1] = times_ns[2] = NAN;
	if (!session->workload.pid && getrusage(RUSAGE_CHILDREN, &usage) == 0) {
		times_ns[1] = timeval_ns(usage.ru_utime, session->usage.ru_utime);
		times_ns[2] = timeval_ns(usage.ru_stime, session->usage.ru_stime);
	}
	session->interval_start_ns = now_ns;
	return counter_table_add(&session->table, since, session->counters.place_count, times_ns);
}

static int hand_over(struct session *session, uint64_t now_ns)
{
	const struct stat_result result = {
		.table = &session->table,
		.events = session->names,
		.places = (const char *const *)session->places,
		.time_seconds = (double)(now_ns - session->start_ns) / (double)NS_PER_SEC,
		.user_only = session->groups.user_only,
	};

	return session->listener->result(session->listener->context, &result);
}

static int end_interval(struct session *session, uint64_t now_ns)
{
	int rc = take_readings(session, now_ns);

	if (rc == 0)
		rc = hand_over(session, now_ns);
	counter_table_clear(&session->table);
	return rc;
}

/* ---- counting ---- */

static uint64_t interval_end_ns(const struct session *session)
{
	return session->interval_start_ns + session->options->interval_ms * NS_PER_MSEC;
}

static int timeout_ms(const struct session *session, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;

	if (session->options->interval_ms)
		next_ns = interval_end_ns(session);
	if (session->end_ns && session->end_ns < next_ns)
		next_ns = session->end_ns;
	if (session->options->id_count && now_ns + TASKS_CHECK_MS * NS_PER_MSEC < next_ns)
		next_ns = now_ns + TASKS_CHECK_MS * NS_PER_MSEC;
	if (next_ns == UINT64_MAX)
		return -1;
	if (next_ns <= now_ns)
		return 0;
	return (int)((next_ns - now_ns) / NS_PER_MSEC % INT32_MAX) + 1;
}

/* Waits until the command or the processes end, the time limit is reached, or a signal arrives. */
static int wait_for_end(struct session *session)
{
	struct pollfd fds[] = {
		{ .fd = session->signal_fd, .events = POLLIN },
		{ .fd = session->workload.pid ? session->workload.pidfd : -1, .events = POLLIN },
	};

	for (;;) {
		uint64_t now_ns = clock_monotonic_ns();
		int rc = poll(fds, 2, timeout_ms(session, now_ns));

		if (rc < 0 && errno != EINTR)
			return err_sys(&session->err, -errno, "poll");
		if (rc > 0 && fds[0].revents) {
			session->stopped = true;
			stop_signals_take(session->signal_fd, session->workload.pid);
		}
		now_ns = clock_monotonic_ns();
		if (session->stopped || (rc > 0 && fds[1].revents) ||
		    (session->end_ns && now_ns >= session->end_ns) ||
		    (session->options->id_count && stat_tasks_gone(session->options)))
			return 0;
		if (session->options->interval_ms && now_ns >= interval_end_ns(session)) {
			rc = end_interval(session, now_ns);
			if (rc < 0)
				return err_set(&session->err, rc, "out of memory");
		}
	}
}

static int start(struct session *session)
{
	const struct stat_options *options = session->options;
	int rc;

	(void)getrusage(RUSAGE_CHILDREN, &session->usage);
	if (options->target != STAT_COMMAND)
		counters_enable(&session->counters);
	session->start_ns = session->interval_start_ns = clock_monotonic_ns();
	if (options->duration_ms)
		session->end_ns = session->start_ns + options->duration_ms * NS_PER_MSEC;
	if (!options->command)
		return 0;
	rc = workload_release(&session->workload, &session->err);
	if (rc < 0)
		session->exec_error = rc;
	return rc;
}

/*
 * If the command has ended, waits for it now, because its CPU times are known only after that. A
 * command that still runs is waited for later.
 */
static void reap(struct session *session)
{
	struct pollfd ended = { .fd = session->workload.pidfd, .events = POLLIN };
	int status, timeout_ms = session->stopped ? AFTER_SIGNAL_MS : 0;

	if (!session->workload.pid || poll(&ended, 1, timeout_ms) != 1)
		return;
	status = workload_wait(&session->workload);
	if (!session->exit_status)
		session->exit_status = status;
}

static int count_once(struct session *session)
{
	uint64_t now_ns;
	int rc = 0;

	file_limit_restore(&session->files);
	if (session->options->command)
		rc = workload_start(&session->workload, session->options->command, &session->err);
	file_limit_raise(&session->files);
	if (rc < 0)
		return rc;
	rc = open_counters(session);
	if (rc < 0)
		return rc;
	say_how(session);
	rc = prepare_table(session);
	if (rc < 0)
		return err_set(&session->err, rc, "out of memory");
	rc = start(session);
	if (rc < 0)
		return rc;
	rc = wait_for_end(session);
	if (rc < 0)
		return rc;
	now_ns = clock_monotonic_ns();
	counters_disable(&session->counters);
	reap(session);
	if (session->stopped && session->table.run_count)
		return 0;	/* drop an incomplete run */
	rc = session->options->interval_ms ? end_interval(session, now_ns)
					   : take_readings(session, now_ns);
	return rc < 0 ? err_set(&session->err, rc, "out of memory") : 0;
}

static int count(struct session *session)
{
	int rc = parse_events(session);

	if (rc < 0)
		return rc;
	if (session->options->target == STAT_SYSTEM) {
		rc = choose_cpus(session);
		if (rc < 0)
			return rc;
	}
	for (uint64_t run = 0; run < session->options->runs; run++) {
		rc = count_once(session);
		if (rc < 0 || session->stopped || session->end_ns)
			break;
		counters_fini(&session->counters);
		workload_fini(&session->workload);
	}
	/* If a later run fails, the results of the earlier runs are still valid. */
	if (session->table.run_count && !session->options->interval_ms &&
	    hand_over(session, session->interval_start_ns) < 0 && rc == 0)
		rc = err_set(&session->err, -ENOMEM, "out of memory");
	return rc;
}

/* ---- start and end ---- */

static void session_fini(struct session *session)
{
	counters_fini(&session->counters);
	stat_tasks_fini(&session->tasks);
	cpus_fini(&session->cpus);
	counter_table_fini(&session->table);
	vec_free(&session->before);
	vec_free(&session->now);
	vec_free(&session->since);
	for (size_t i = 0; i < session->named_count; i++)
		free(session->places[i]);
	free(session->places);
	workload_fini(&session->workload);
	stop_signals_close(session->signal_fd);
	free(session);
}

DEFINE_CLEANUP(struct session, session_fini);

/* All results have been passed on, but the command may still run. */
static int final_status(struct session *session)
{
	int status = 0;

	if (session->workload.pid) {
		stop_signals_wait(&session->workload, &session->listener->notes);
		status = workload_wait(&session->workload);
	}
	return session->exit_status ? session->exit_status : status;
}

struct stat_outcome stat_session(const struct stat_options *options,
				 const struct stat_listener *listener)
{
	_cleanup_(session_finip) struct session *session = calloc(1, sizeof(*session));
	struct stat_outcome outcome = { 0 };

	if (!session) {
		(void)err_set(&outcome.err, -ENOMEM, "out of memory");
		return outcome;
	}
	session->options = options;
	session->listener = listener;
	session->workload = (struct workload){ .pidfd = -1, .gate_fd = -1 };
	session->signal_fd = stop_signals_open();
	if (count(session) < 0)
		outcome.err = session->err;
	outcome.exec_error = session->exec_error;
	outcome.exit_status = outcome.err.code ? session->exit_status : final_status(session);
	return outcome;
}
