/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/symbolize_now.h"

#include <limits.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "process/proc_read.h"
#include "cli/cache_dir.h"
#include "cli/command.h"
#include "cli/debug_servers.h"
#include "cli/input_options.h"
#include "cli/rights.h"
#include "session/file_readers.h"
#include "session/kernel_symbols.h"
#include "session/merge.h"
#include "symbolize/adopt.h"
#include "symbolize/jit.h"
#include "symbolize/lines.h"

#define START_ROUNDED_NS (20 * NS_PER_MSEC)

DEFINE_CLEANUP(struct readers, readers_free);
DEFINE_CLEANUP(struct recording, recording_close);

/*
 * Compares the kernel's load address at the time of the recording with the address in @kallsyms.
 * The load address is different in each boot.
 */
bool cli_is_recorded_boot(const struct model *model, const struct kallsyms *kallsyms)
{
	const char *start = model_fact(model, FACT_KERNEL_TEXT_START);

	return start && kallsyms->text_start_addr &&
	       strtoull(start, NULL, 16) == kallsyms->text_start_addr;
}

int cli_read_kernel_symbols(struct kallsyms *ret_kallsyms, struct err *err)
{
	char cache[PATH_MAX];

	return kernel_symbols_read(cache_dir(cache, sizeof(cache)), ret_kallsyms, err);
}

/*
 * Returns true if the recorded process is still running. A process with the same pid but another
 * start time is a different process. /proc rounds start times down, so a difference of up to
 * START_ROUNDED_NS is allowed.
 */
static bool is_there(const struct process *process)
{
	struct proc_task leader;

	return process->start_ns && proc_read_task(process->tgid, process->tgid, &leader) == 0 &&
	       leader.start_ns <= process->start_ns &&
	       process->start_ns - leader.start_ns <= START_ROUNDED_NS;
}

/*
 * Finds names for generated (JIT) code, but only in processes that are still running. If a process
 * has exited, another process may have got its pid since then, and may have written the perf map
 * with that pid.
 */
static void name_generated_code(struct model *model)
{
	const struct jit_options options = { .is_there = is_there };
	struct jit *jit;

	if (jit_new(model, &options, &jit) < 0)
		return;
	jit_name(jit);
	jit_free(jit);
}

int cli_symbolize_now(struct recording *recording, struct model *model, const char *path,
		      struct err *err)
{
	_cleanup_(kallsyms_fini) struct kallsyms kallsyms = { 0 };
	_cleanup_(readers_freep) struct readers *readers = file_readers_new();
	struct symbolize_options options = { .readers = readers, .demangle = true };
	struct err unread;
	int rc;

	if (cli_read_kernel_symbols(&kallsyms, &unread) == 0 &&
	    cli_is_recorded_boot(model, &kallsyms)) {
		options.kallsyms = &kallsyms;
		name_generated_code(model);
	}
	rc = symbolize(model, &options, err);
	if (rc < 0)
		return err_prefix(err, "%s", path);
	/*
	 * Store the names. Errors are ignored, because stored names only save time when the
	 * recording is read again. If FACT_STATE says that the recording was cut short, this fact
	 * is stored unchanged.
	 */
	(void)recording_finish(recording, model, NULL);
	return 0;
}

static bool said_unfinished;

bool cli_said_unfinished(void)
{
	return said_unfinished;
}

/*
 * Reopens an unfinished recording for writing, so that names can be stored in it. If the recording
 * cannot be opened for writing, it stays open for reading. Prints a message in both cases.
 */
static void reopen_unfinished(const char *path, struct recording **recording, struct model *model)
{
	struct recording *writable = NULL;
	int rc;

	said_unfinished = true;
	if (recording_is_salvaged(*recording)) {
		model_fact_set(model, FACT_STATE, "is damaged; some of its samples are missing");
		cli_message("%s is damaged; showing the data that can be found, with names found "
			    "on this machine now",
			    path);
		return;
	}
	rc = recording_open_rw(path, &writable, NULL);
	model_fact_set(model, FACT_STATE, "%s",
		       rc == -EBUSY ? "still being recorded; only the data written so far is shown"
				    : "was cut short; the data after the last flush is missing");
	if (rc == -EBUSY)
		cli_message("%s is still being recorded; showing the data written so far", path);
	else
		cli_message("%s was cut short; showing the data that it contains, with "
			    "names found on this machine now",
			    path);
	if (rc == 0) {
		recording_close(*recording);
		*recording = writable;
	}
}

static int load_file(const char *path, struct recording **ret_recording, struct model *model,
		     struct err *err)
{
	_cleanup_(recording_closep) struct recording *recording = NULL;
	int rc = model_init(model);

	if (rc < 0)
		return err_sys(err, rc, "%s", path);
	rights_beware(path);
	rc = recording_open(path, &recording, err);
	if (rc < 0)
		return rc;
	if (!recording_is_complete(recording))
		reopen_unfinished(path, &recording, model);
	if (recording_is_stale(recording))
		cli_message("%s: reading the journal needs permission to write in the "
			    "directory of the recording; the last part of the run is "
			    "missing",
			    path);
	rc = recording_load(recording, model, err);
	if (rc < 0)
		return rc;
	if (!recording_is_complete(recording)) {
		rc = cli_symbolize_now(recording, model, path, err);
		if (rc < 0)
			return rc;
	}
	*ret_recording = TAKE_PTR(recording);
	return 0;
}

int cli_load_recording(const char *path, struct recording **ret_recording, struct model *model,
		       struct err *err)
{
	struct merge_options options = { .output = path, .load = load_file };
	int rc;

	options.paths = input_paths(path, &options.count);
	if (!options.paths)
		return load_file(path, ret_recording, model, err);
	for (size_t i = 0; i < options.count; i++)
		rights_allow(options.paths[i]);
	rc = model_init(model);
	return rc < 0 ? err_sys(err, rc, "%s", path)
		      : merge_read(&options, ret_recording, model, err);
}

/*
 * Reopens the recording for writing, so that source lines can be stored in it. If the recording
 * cannot be opened for writing, opens it for reading again.
 */
static int reopen_for_lines(const char *path, struct recording **recording, struct model *model,
			    struct err *err)
{
	struct recording *writable = NULL;
	int rc;

	/* recording_open_rw() requires that this process does not have the file open. */
	recording_close(TAKE_PTR(*recording));
	if (recording_open_rw(path, &writable, NULL) < 0) {
		rc = recording_open(path, recording, err);
		return rc;
	}
	*recording = writable;
	model_fini(model);
	rc = model_init(model);
	return rc < 0 ? err_sys(err, rc, "%s", path) : recording_load(writable, model, err);
}

/*
 * Looks up source lines. Debug servers are asked only if lines have never been looked up for this
 * recording, and for at most DEBUG_SERVERS_REPORT_SECONDS in total, because the user is waiting for
 * a report.
 */
static int make_lines(const char *path, struct recording *recording, struct model *model,
		      struct err *err)
{
	struct symbolize_options options = { .demangle = true };
	struct debug_servers servers;
	size_t adopted;
	int rc = adopt_files(model, &options, false, &adopted, err);

	if (rc < 0)
		return rc;
	if (adopted)
		recording_rewrite_places(recording);
	if (lines_are_made(model))
		return lines_complete(model, &options, err);
	debug_servers_begin(&servers, path, DEBUG_SERVERS_REPORT_SECONDS, &options);
	debug_servers_rank(&servers, recording, model, &options);
	rc = lines_resolve(model, &options, err);
	debug_servers_end(&servers);
	return rc;
}

static bool has_more_lines(struct model *model)
{
	const struct symbolize_options options = { .demangle = true };

	return !lines_are_made(model) || lines_can_be_completed(model, &options);
}

static void say_missing(const char *path, const struct model *model)
{
	uint32_t first = 0;
	size_t count = lines_missing_files(model, &first);
	char others[40] = "";

	if (!count)
		return;
	if (count > 1)
		(void)snprintf(others, sizeof(others), " and %zu others", count - 1);
	if (model->images.at[first].build_id_size)
		cli_message("no source lines for %s%s: the recorded file is not on this machine; "
			    "to look elsewhere, run assay symbolize [--sysroot DIR | --debug-dir "
			    "DIR] %s",
			    model_string(model, model->images.at[first].path), others, path);
	else
		cli_message("no source lines for %s%s: the recorded file has no build-id, and no "
			    "other file is known to be the same; to use the file at that path, "
			    "run assay symbolize --trust-paths [--sysroot DIR] %s",
			    model_string(model, model->images.at[first].path), others, path);
}

/* Looks up the missing source lines, and stores them in the recording if it is writable. */
static int add_lines(const char *path, struct recording **recording, struct model *model,
		     struct err *err)
{
	size_t count;
	int rc;

	/* What several recordings were merged to cannot be opened again. */
	if (input_paths(path, &count))
		return make_lines(path, *recording, model, err);
	if (recording_is_complete(*recording)) {
		rc = reopen_for_lines(path, recording, model, err);
		if (rc < 0)
			return rc;
	}
	rc = make_lines(path, *recording, model, err);
	if (rc < 0)
		return rc;
	(void)recording_finish(*recording, model, NULL);
	return 0;
}

int cli_load_with_lines(const char *path, struct recording **ret_recording, struct model *model,
			struct err *err)
{
	_cleanup_(recording_closep) struct recording *recording = NULL;
	int rc = cli_load_recording(path, &recording, model, err);

	if (rc < 0)
		return rc;
	if (has_more_lines(model)) {
		rc = add_lines(path, &recording, model, err);
		if (rc < 0)
			return rc;
	}
	say_missing(path, model);
	*ret_recording = TAKE_PTR(recording);
	return 0;
}

int cli_load_with_lines_at_hand(const char *path, struct recording **ret_recording,
				struct model *model, struct err *err)
{
	const struct symbolize_options options = { .demangle = true };
	_cleanup_(recording_closep) struct recording *recording = NULL;
	int rc = cli_load_recording(path, &recording, model, err);

	if (rc < 0)
		return rc;
	if (!lines_are_made(model)) {
		rc = lines_resolve(model, &options, err);
		if (rc < 0)
			return rc;
	}
	*ret_recording = TAKE_PTR(recording);
	return 0;
}
