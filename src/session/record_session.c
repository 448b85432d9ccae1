/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/record_session.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "session/workload.h"
#include "session/kernel_symbols.h"
#include "session/rate_control.h"
#include "session/embed_sources.h"
#include "session/file_readers.h"
#include "session/record_code.h"
#include "session/record_facts.h"
#include "session/record_guard.h"
#include "session/record_irq.h"
#include "session/record_jit.h"
#include "session/record_room.h"
#include "session/stop_signals.h"
#include "sampler/kernel_lacks.h"
#include "store/recording.h"
#include "symbolize/symbolize.h"

/*
 * On a machine with more runnable tasks than CPUs, the ring buffers would fill up while assay waits
 * for a CPU. So assay raises its own priority during a recording. This takes little CPU time from
 * other processes. The reports show how much CPU time assay used. Without privilege, the kernel
 * refuses the higher priority.
 */
#define RECORDER_NICE (-15)

#define BATCH_MOST (UINT32_C(1) << 18)	/* samples that wait for the next flush; 10 MiB */
#define WATCHED_SYMBOLS_BYTES ((size_t)64 << 20)

/*
 * Descriptors that are held while the capture starts, so that enough remain for the recording,
 * its journals and readers. If there are too few for the in-kernel sampler then, perf's rings are
 * used, which need fewer.
 */
#define HELD_DESCRIPTORS 12

struct session {
	const struct record_options *options;
	const struct session_listener *listener;
	const struct session_watch *watch;	/* NULL: no watcher */
	struct model model;
	struct kallsyms kallsyms;
	struct symbol_cache *symbols;	/* NULL if code is named only once, at the end */
	struct workload workload;	/* pid is 0 if there is no command */
	struct readers *readers;	/* NULL: this process reads all files itself */
	struct file_opener *opener;
	struct capture *capture;
	struct image_file kcore;	/* not open if its fd is -1 */
	struct irq_time *irq_time;	/* NULL if interrupts are not timed */
	struct record_spans *spans;	/* NULL if no spans are measured */
	struct jit *jit;		/* NULL if it could not be allocated */
	struct recording *recording;
	struct sample_batch batch;
	struct rate_control rate;
	struct record_room room;
	int signal_fd;
	int nice;			/* our priority before the session, restored at the end */
	uint64_t sample_count, span_count;	/* that were written */
	uint64_t next_flush_ns;
	uint64_t enable_ns;		/* time at which to enable sampling; 0: already enabled */
	/* time and own CPU time when sampling was enabled; 0 before that */
	uint64_t start_ns, start_cpu_ns;
	uint64_t end_ns;		/* 0 if there is no time limit */
	bool stopped;
	bool disk_is_full;		/* the last flush could not be written */
	int exec_error;			/* error of executing the command; 0: none */
	struct err no_kallsyms;		/* error of reading the kernel symbols; code 0: no error */
	struct err err;
};

static uint64_t cpu_time_ns(const struct session *session)
{
	const struct guard *guard = session->options->guard;

	return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) +
	       (session->readers ? readers_cpu_ns(session->readers) : 0) +
	       (guard ? guard_cpu_ns(guard) : 0) +
	       (session->opener ? file_opener_cpu_ns(session->opener) : 0);
}

/* Returns the CPU time that this recording has used, without the time that the calibration used. */
static uint64_t own_time_ns(const struct session *session)
{
	return cpu_time_ns(session) - session->rate.calibration_cpu_ns;
}

/* ---- before sampling ---- */

static void read_kernel_symbols(struct session *session)
{
	const char *given = session->options->kallsyms;
	int rc = given ? kallsyms_read(given, &session->kallsyms, &session->no_kallsyms)
		       : kernel_symbols_read(session->options->cache_dir, &session->kallsyms,
					     &session->no_kallsyms);

	if (rc < 0)
		return;
	model_fact_set(&session->model, FACT_KERNEL_TEXT_START, "0x%llx",
		       (unsigned long long)session->kallsyms.text_start_addr);
}

static int start_capture(struct session *session, const struct capture_options *options)
{
	int held[HELD_DESCRIPTORS], rc;

	for (size_t i = 0; i < HELD_DESCRIPTORS; i++)
		held[i] = fcntl(session->signal_fd, F_DUPFD_CLOEXEC, 0);
	rc = capture_new(&session->model, options, &session->capture, &session->err);
	for (size_t i = 0; i < HELD_DESCRIPTORS; i++)
		if (held[i] >= 0)
			(void)close(held[i]);
	return rc;
}

static int start_spans(struct session *session, const struct capture_options *capture)
{
	const struct record_spans_parts parts = {
		.options = &session->options->spans,
		.capture_options = capture,
		.capture = session->capture,
		.model = &session->model,
		.readers = session->readers,
		.kallsyms = &session->kallsyms,
		.tick_ns = session->rate.is_known ? session->rate.cost.cost_ns : 0,
		.irq_time = session->irq_time,
	};

	return record_spans_are_wanted(&session->options->spans)
		       ? record_spans_new(&parts, &session->spans, &session->err)
		       : 0;
}

static int prepare(struct session *session)
{
	const struct record_options *options = session->options;
	struct capture_options capture = options->capture;
	int rc = model_init(&session->model);

	if (rc < 0)
		return err_set(&session->err, rc, "out of memory");
	session->readers = file_readers_new();
	rc = file_opener_new(&session->opener);
	if (rc < 0)
		return err_set(&session->err, rc, "out of memory");
	file_opener_begin(session->opener);
	session->signal_fd = stop_signals_open();
	if (session->signal_fd < 0)
		return err_sys(&session->err, session->signal_fd, "signals");
	rc = record_check_symbols(options, &session->err);
	if (rc < 0)
		return rc;
	read_kernel_symbols(session);
	record_facts(options, &session->model);
	rate_control_prepare(&session->rate, options, &capture);
	record_room_init(&session->room, options->memory_bytes, session->watch, &session->model,
			 &capture.memory);
	if (options->command) {
		rc = workload_start(&session->workload, options->command, &session->err);
		if (rc < 0)
			return rc;
		capture.command_tgid = (uint32_t)session->workload.pid;
	}
	(void)setpriority(PRIO_PROCESS, 0, RECORDER_NICE);
	capture.kallsyms = &session->kallsyms;
	if (capture.callgraph == CALLGRAPH_DWARF || capture.callgraph == CALLGRAPH_BEST)
		capture.cache_dir = options->cache_dir;
	capture.opener = session->opener;
	capture.readers = session->readers;
	rc = start_capture(session, &capture);
	if (rc < 0)
		return rc;
	session->irq_time = record_irq_new(options, &session->model);
	rc = start_spans(session, &capture);
	if (rc < 0)
		return rc;
	rate_control_begin(&session->rate, session->capture, &session->model);
	session->jit = record_jit_new(&session->model, session->room.generated_bytes_max,
				      session->opener, session->readers);
	/* for the code of hot functions at the end, when this process may no longer open it */
	if (capture_sees_kernel(session->capture))
		(void)image_file_open(AT_FDCWD, "/proc/kcore", &session->kcore, NULL);
	return options->no_recording
		       ? 0
		       : recording_create(options->output, &session->recording, &session->err);
}

static int enable(struct session *session)
{
	uint64_t now_ns = clock_monotonic_ns();

	session->enable_ns = 0;
	session->start_ns = now_ns;
	session->start_cpu_ns = own_time_ns(session);
	model_fact_set_u64(&session->model, FACT_START_NS, now_ns);
	rate_control_start(&session->rate, session->capture, now_ns, cpu_time_ns(session));
	record_irq_enable(session->irq_time);
	record_spans_enable(session->spans);
	return capture_enable(session->capture, &session->err);
}

static int start(struct session *session)
{
	const struct record_options *options = session->options;
	uint64_t now_ns = clock_monotonic_ns();
	int rc;

	session->next_flush_ns = now_ns + options->flush_ms * NS_PER_MSEC;
	if (options->delay_ms) {
		session->enable_ns = now_ns + options->delay_ms * NS_PER_MSEC;
	} else {
		rc = enable(session);
		if (rc < 0)
			return rc;
	}
	if (options->duration_ms)
		session->end_ns = now_ns + (options->delay_ms + options->duration_ms) * NS_PER_MSEC;
	if (!session->workload.pid)
		return 0;
	rc = workload_release(&session->workload, &session->err);
	if (rc < 0)
		session->exec_error = rc;
	return rc;
}

static struct symbolize_options naming(const struct session *session)
{
	return (struct symbolize_options){
		.kallsyms = session->kallsyms.symbols.count ? &session->kallsyms : NULL,
		.vmlinux = session->options->vmlinux,
		.image_file = capture_image_file,
		.image_file_context = session->capture,
		.opener = session->opener,
		.readers = session->readers,
		.symbols = session->symbols,
		.demangle = true,
	};
}

/* ---- sampling ---- */

static int obey(struct session *session, int wanted)
{
	session->stopped |= wanted == SESSION_END;
	return wanted < 0 ? wanted : 0;
}

static int show(struct session *session)
{
	const struct symbolize_options names = naming(session);
	const struct session_sight sight = {
		.model = &session->model,
		.batch = &session->batch,
		.naming = &names,
		.own_cpu_ns = own_time_ns(session),
		.start_ns = session->start_ns,
		.start_cpu_ns = session->start_cpu_ns,
		.now_ns = clock_monotonic_ns(),
		.irq_timed = session->irq_time != NULL,
		.is_kept = session->recording != NULL,
	};

	if (!session->watch)
		return 0;
	record_jit_name_now(session->jit);
	return obey(session,
		    session->watch->on_flush(session->watch->context, &sight, &session->err));
}

static void say_room(struct session *session, int rc)
{
	if (rc == -ENOSPC && !session->disk_is_full)
		session_note(session->listener,
			     "the disk is full: samples are lost until it has room");
	if (rc == 0 && session->disk_is_full)
		session_note(session->listener, "the disk has room again");
	session->disk_is_full = rc == -ENOSPC;
}

/* Single spans are stored as samples, too. */
static void count_samples(struct session *session)
{
	const struct model *model = &session->model;
	uint64_t spans = 0;

	for (size_t i = 0; session->spans && i < session->batch.samples.count; i++)
		spans += event_is_span(&model->events.at[session->batch.samples.at[i].event]);
	session->span_count += spans;
	session->sample_count += session->batch.samples.count - spans;
}

static int store(struct session *session)
{
	uint64_t most_bytes = session->options->output_bytes_max, bytes;
	int rc = recording_append(session->recording, &session->model, &session->batch,
				  &session->err);

	if (rc == -ENOSPC)
		loss_add(&session->model.losses, LOSS_DISK_FULL, session->batch.samples.count);
	else if (rc == 0)
		count_samples(session);
	say_room(session, rc);
	bytes = recording_size_bytes(session->recording);
	session_progress(session->listener, session->sample_count, bytes);
	/*
	 * only a temporary recording has a size limit; if it cannot be kept, go on without a
	 * recording
	 */
	if (most_bytes && (rc < 0 || bytes > most_bytes)) {
		recording_close(TAKE_PTR(session->recording));
		return 0;
	}
	/* The samples of this flush are lost. The next one may find room. */
	return rc == -ENOSPC ? 0 : rc;
}

static void end_on_full_disk(struct session *session)
{
	if (!session->stopped)
		session_note(session->listener, "the disk stayed full, and what waits for room has "
						"used up its memory: the recording ends");
	session->stopped = true;
}

static int flush(struct session *session, bool all)
{
	int rc = capture_drain(session->capture, &session->batch, all, &session->err);

	if (rc < 0)
		return rc;
	record_jit_settle(session->jit, session->capture, &session->batch);
	capture_account(session->capture);
	record_irq_read(session->irq_time, &session->model);
	record_spans_read(session->spans);
	rc = show(session);
	if (rc < 0)
		return rc;
	if (session->recording)
		rc = store(session);
	sample_batch_clear(&session->batch);
	if (rc == 0 && !session->disk_is_full)
		record_room_make(&session->room, session->capture, &session->model);
	else if (session->disk_is_full && record_room_is_used_up(&session->room, &session->model))
		end_on_full_disk(session);
	return rc;
}

static int timeout_ms(const struct session *session)
{
	uint64_t now_ns = clock_monotonic_ns(), next_ns = session->next_flush_ns;
	uint64_t spans_ns = record_spans_due_ns(session->spans);

	if (session->end_ns && session->end_ns < next_ns)
		next_ns = session->end_ns;
	if (session->enable_ns && session->enable_ns < next_ns)
		next_ns = session->enable_ns;
	if (spans_ns && spans_ns < next_ns)
		next_ns = spans_ns;
	return next_ns <= now_ns ? 0 : (int)((next_ns - now_ns) / NS_PER_MSEC) + 1;
}

/* Checks the time, and enables sampling, ends the recording or flushes if this is due. */
static int keep_time(struct session *session)
{
	uint64_t now_ns = clock_monotonic_ns();
	int rc;

	if (session->enable_ns && now_ns >= session->enable_ns) {
		rc = enable(session);
		if (rc < 0)
			return rc;
	}
	if (session->end_ns && now_ns >= session->end_ns)
		session->stopped = true;
	record_spans_judge(session->spans, now_ns, session->listener);
	if (now_ns < session->next_flush_ns)
		return 0;
	session->next_flush_ns = now_ns + session->options->flush_ms * NS_PER_MSEC;
	if (capture_targets_gone(session->capture))
		session->stopped = true;
	rc = flush(session, false);
	if (rc < 0)
		return rc;
	rate_control_step(&session->rate, session->capture, &session->model, now_ns,
			  cpu_time_ns(session));
	return 0;
}

static int loop(struct session *session)
{
	struct pollfd fds[] = {
		{ .fd = capture_poll_fd(session->capture), .events = POLLIN },
		{ .fd = session->signal_fd, .events = POLLIN },
		{ .fd = session->workload.pid ? session->workload.pidfd : -1, .events = POLLIN },
		{ .fd = session->watch ? session->watch->fd : -1, .events = POLLIN },
	};

	while (!session->stopped) {
		int rc = poll(fds, sizeof(fds) / sizeof(fds[0]), timeout_ms(session));

		if (rc < 0 && errno != EINTR)
			return err_sys(&session->err, -errno, "poll");
		if (rc > 0 && fds[0].revents && capture_drain_is_due(session->capture)) {
			rc = capture_drain(session->capture, &session->batch, false, &session->err);
			if (rc < 0)
				return rc;
			record_jit_watch(session->jit, session->capture);
			/* single spans can be a million a second */
			if (session->batch.samples.count > BATCH_MOST)
				session->next_flush_ns = clock_monotonic_ns();
		}
		if (rc > 0 && fds[1].revents) {
			session->stopped = true;
			stop_signals_take(session->signal_fd, session->workload.pid);
		}
		if (rc > 0 && fds[2].revents)
			session->stopped = true;
		/*
		 * If a signal interrupted poll(), there may be no input, but the terminal may have
		 * been resized.
		 */
		if (session->watch && (rc < 0 || fds[3].revents))
			(void)obey(session, session->watch->on_input(session->watch->context));
		rc = keep_time(session);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- after sampling ---- */

static void own_cost(struct session *session, uint64_t symbolize_ns)
{
	struct model *model = &session->model;
	struct rusage usage;

	model_fact_set_u64(model, FACT_SELF_CPU_NS, own_time_ns(session));
	model_fact_set_u64(model, FACT_SYMBOLIZE_CPU_NS, symbolize_ns);
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		model_fact_set_u64(model, FACT_SELF_MAX_RSS_BYTES,
				   (uint64_t)usage.ru_maxrss * 1024);
	model_fact_set_u64(model, FACT_RECORDING_BYTES, recording_size_bytes(session->recording));
}

static int finish(struct session *session)
{
	const struct symbolize_options options = naming(session);
	const struct sample_batch nothing = { 0 };
	uint64_t before_ns = cpu_time_ns(session), symbolize_ns;
	int rc = recording_read_stacks(session->recording, &session->model, &session->err);

	if (rc < 0)
		return rc;
	model_limit_places(&session->model, 0);	/* no more samples come, only names */
	record_jit_name(session->jit);
	rc = symbolize(&session->model, &options, &session->err);
	if (rc < 0)
		return rc;
	symbolize_ns = cpu_time_ns(session) - before_ns;
	rc = recording_finish(session->recording, &session->model, &session->err);
	if (rc < 0)
		return rc;
	before_ns = cpu_time_ns(session);
	record_code_keep(session->recording, &session->model, &options, session->jit,
			 session->kcore.fd >= 0 ? &session->kcore : NULL);
	if (session->options->embed_sources) {
		rc = embed_sources(session->recording, &session->model, &options,
				   &session->options->sources, &session->err);
		if (rc < 0)
			return rc;
	}
	symbolize_ns += cpu_time_ns(session) - before_ns;
	own_cost(session, symbolize_ns);
	return recording_append(session->recording, &session->model, &nothing, &session->err);
}

static void say_result(const struct session *session)
{
	char spans[64] = "";
	const struct losses *losses = &session->model.losses;
	const char *name = session->options->output;
	char moved[PATH_MAX];
	uint64_t lost = losses->count[LOSS_SAMPLE_RING_FULL] +
			losses->count[LOSS_SAMPLE_KERNEL_DROPPED] + losses->count[LOSS_DISK_FULL];

	/*
	 * A skipped sample may belong to any task. It is certainly a loss of this recording only if
	 * all tasks were to be sampled.
	 */
	if (session->options->capture.target == TARGET_SYSTEM)
		lost += losses->count[LOSS_SAMPLE_SKIPPED];
	if (session->spans)
		(void)snprintf(spans, sizeof(spans), ", %llu single span%s",
			       (unsigned long long)session->span_count,
			       session->span_count == 1 ? "" : "s");
	record_jit_say(&session->model, session->listener);
	if (recording_place(session->recording, moved, sizeof(moved)) == RECORDING_MOVED) {
		session_note(session->listener, "%s was renamed while it was written", name);
		name = moved;
	}
	session_note(session->listener,
		     "%llu samples, %llu lost%s, %.1f KiB in %s; own CPU time %.3f s",
		     (unsigned long long)session->sample_count, (unsigned long long)lost, spans,
		     (double)recording_size_bytes(session->recording) / 1024, name,
		     (double)own_time_ns(session) / (double)NS_PER_SEC);
}

static void session_fini(struct session *session)
{
	recording_close(session->recording);
	irq_time_free(session->irq_time);
	record_spans_free(session->spans);
	jit_free(session->jit);
	capture_free(session->capture);
	image_file_fini(&session->kcore);
	file_opener_free(session->opener);
	readers_free(session->readers);
	sample_batch_fini(&session->batch);
	kallsyms_fini(&session->kallsyms);
	symbol_cache_free(session->symbols);
	model_fini(&session->model);
	(void)setpriority(PRIO_PROCESS, 0, session->nice);
	stop_signals_close(session->signal_fd);
}

/* Names the fields that the kernel lacks, if a feature in use suffers. */
static void say_lacks(const struct session *session)
{
	uint32_t uses = capture_kernel_uses(session->capture);
	struct kernel_lack lacks[KERNEL_LACKS_MAX];
	size_t count = 0;

	/* Reading the kernel's types takes 15 ms. */
	if (!uses || !session->listener->note || kernel_lacks_find(NULL, lacks, &count, NULL) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		if (uses >> lacks[i].use & 1)
			session_note(session->listener, "this kernel has no %s.%s: %s",
				     lacks[i].structure, lacks[i].member, lacks[i].cost);
}

static void say_start(const struct session *session)
{
	session_note(session->listener, "%s", capture_describe(session->capture));
	say_lacks(session);
	record_spans_say(session->spans, session->listener);
	rate_control_say(&session->rate, session->listener);
	if (session->no_kallsyms.code && capture_sees_kernel(session->capture))
		session_note(session->listener, "%s; kernel addresses will have no names",
			     session->no_kallsyms.text);
}

static void end_facts(struct session *session)
{
	uint64_t cpu_ns = workload_cpu_ns(&session->workload);

	model_fact_set_u64(&session->model, FACT_END_NS, clock_monotonic_ns());
	if (cpu_ns)
		model_fact_set_u64(&session->model, FACT_COMMAND_CPU_NS, cpu_ns);
}

/* Returns true, and sets the error if @err is not NULL, if the recording no longer has a name. */
static bool was_removed(const struct session *session, struct err *err)
{
	char path[PATH_MAX];

	if (recording_place(session->recording, path, sizeof(path)) != RECORDING_REMOVED)
		return false;
	(void)err_set(err, -ENOENT, "%s was removed while it was written, and is lost", path);
	return true;
}

/* Runs a session that has been prepared with prepare(). Returns when the file is complete. */
static int profile(struct session *session, struct record_outcome *outcome)
{
	struct err first = { 0 };
	int rc;

	say_start(session);
	rc = start(session);
	if (rc == 0)
		rc = loop(session);
	if (rc < 0)
		first = session->err;
	/* the command could not be executed, so there is nothing to keep */
	if (session->exec_error) {
		recording_discard(TAKE_PTR(session->recording));
		return rc;
	}
	(void)capture_disable(session->capture);
	record_irq_disable(session->irq_time);
	record_spans_disable(session->spans);
	end_facts(session);
	if (!session->recording || (session->watch && !session->watch->is_kept))
		return rc;
	if (rc == 0)
		rc = flush(session, true);
	if (rc < 0 && !first.code)
		first = session->err;
	/* A recording that may not grow further was closed by the flush. */
	if (!session->recording)
		return rc;
	if (finish(session) < 0 && rc == 0) {
		rc = session->err.code;
		first = session->err;
	}
	outcome->have_recording = !was_removed(session, rc == 0 ? &first : NULL);
	if (outcome->have_recording)
		say_result(session);
	else if (rc == 0)
		rc = first.code;
	if (rc < 0)
		session->err = first;
	return rc;
}

static int prepare_and_profile(struct session *session, struct record_outcome *outcome)
{
	int rc = prepare(session);

	if (rc < 0)
		return rc;
	if (session->watch && symbol_cache_new(WATCHED_SYMBOLS_BYTES, &session->symbols) < 0)
		return err_sys(&session->err, -ENOMEM, "symbols");
	record_guard_confine(session->options, session->listener);
	return profile(session, outcome);
}

struct record_outcome record_session(const struct record_options *options,
				     const struct session_listener *listener,
				     const struct session_watch *watch)
{
	_cleanup_(session_fini) struct session session = {
		.options = options,
		.listener = listener,
		.watch = watch,
		.signal_fd = -1,
		.kcore.fd = -1,
		.nice = getpriority(PRIO_PROCESS, 0),
		.workload = { .pidfd = -1, .gate_fd = -1 },
	};
	struct record_outcome outcome = { 0 };

	if (prepare_and_profile(&session, &outcome) < 0)
		outcome.err = session.err;
	outcome.exec_error = session.exec_error;
	outcome.workload = session.workload;
	return outcome;
}

int record_outcome_wait(struct record_outcome *outcome, const struct session_listener *listener)
{
	int status = 0;

	/* The recording is complete, but the command may still run. */
	if (outcome->workload.pid && !outcome->err.code) {
		stop_signals_wait(&outcome->workload, listener);
		status = workload_wait(&outcome->workload);
	}
	workload_fini(&outcome->workload);
	return status;
}
