/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/symbolize_now.h"

#include <limits.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "process/proc_read.h"
#include "cli/cache_dir.h"
#include "cli/command.h"
#include "cli/debug_servers.h"
#include "session/kernel_symbols.h"
#include "symbolize/jit.h"
#include "symbolize/lines.h"

#define START_ROUNDED_NS (20 * NS_PER_MSEC)

DEFINE_CLEANUP(struct recording, recording_close);

/* Compares the kernel's load address, which is different in each boot. */
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
 * Returns true if the process is still the recorded process. /proc rounds start timestamps down, so
 * a small difference is allowed.
 */
static bool is_there(const struct process *process)
{
	struct proc_task leader;

	return process->start_ns && proc_read_task(process->tgid, process->tgid, &leader) == 0 &&
	       leader.start_ns <= process->start_ns &&
	       process->start_ns - leader.start_ns <= START_ROUNDED_NS;
}

/*
 * Finds names for generated code of processes that are still running. For a process that has
 * exited, the perf map with its id may now belong to another process.
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
	struct symbolize_options options = { .demangle = true };
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
	 * Errors are ignored, because stored names only save time when the recording is read again.
	 * The recording is still marked as cut short.
	 */
	(void)recording_finish(recording, model, NULL);
	return 0;
}

/* Reopens an unfinished recording for writing, if possible, so that its names can be stored. */
static void reopen_unfinished(const char *path, struct recording **recording, struct model *model)
{
	struct recording *writable = NULL;
	int rc = recording_open_rw(path, &writable, NULL);

	model_fact_set(model, FACT_STATE, "%s",
		       rc == -EBUSY ? "still growing; this is what it holds so far"
				    : "was cut short; what came after its last flush is missing");
	if (rc == -EBUSY)
		cli_message("%s is still being recorded; showing what it holds so far", path);
	else
		cli_message("%s was cut short; showing what it holds, with names found on this "
			    "machine now",
			    path);
	if (rc == 0) {
		recording_close(*recording);
		*recording = writable;
	}
}

int cli_load_recording(const char *path, struct recording **ret_recording, struct model *model,
		       struct err *err)
{
	_cleanup_(recording_closep) struct recording *recording = NULL;
	int rc = model_init(model);

	if (rc < 0)
		return err_sys(err, rc, "%s", path);
	rc = recording_open(path, &recording, err);
	if (rc < 0)
		return rc;
	if (!recording_is_complete(recording))
		reopen_unfinished(path, &recording, model);
	if (recording_is_stale(recording))
		cli_message("%s: cannot read its journal without permission to write in its "
			    "directory; the last part of the run is missing",
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

/*
 * Reopens the recording for writing, so that new lines can be stored. If the recording cannot be
 * opened for writing, opens it for reading again.
 */
static int reopen_for_lines(const char *path, struct recording **recording, struct model *model,
			    struct err *err)
{
	struct recording *writable = NULL;
	int rc;

	/* This process may only have the file open once, see recording_open_rw(). */
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
 * Servers are asked only once, with a limit of a few seconds in total, because the user is waiting
 * for a report.
 */
static int make_lines(const char *path, struct recording *recording, struct model *model,
		      struct err *err)
{
	struct symbolize_options options = { .demangle = true };
	struct debug_servers servers;
	int rc;

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
	cli_message("no source lines for %s%s: the recorded file is not on this machine; to "
		    "look elsewhere, run assay symbolize [--sysroot DIR | --debug-dir DIR] %s",
		    model_string(model, model->images.at[first].path), others, path);
}

/* Makes the missing lines and stores them if the recording can be written. */
static int add_lines(const char *path, struct recording **recording, struct model *model,
		     struct err *err)
{
	int rc;

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
