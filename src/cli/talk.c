/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/talk.h"

#include <errno.h>

#include "cli/command.h"

static void note(void *context, const char *text)
{
	const struct talk *talk = context;

	if (talk)
		progress_end(&talk->progress);
	cli_message("%s", text);
}

static void show_progress(void *context, uint64_t sample_count, uint64_t size_bytes)
{
	const struct talk *talk = context;

	progress_show(&talk->progress, sample_count, size_bytes);
}

void talk_init(struct talk *talk, bool is_quiet, bool wants_progress)
{
	*talk = (struct talk){ 0 };
	progress_init(&talk->progress, !is_quiet && wants_progress);
	if (is_quiet)
		return;
	talk->listener = (struct session_listener){
		.note = note,
		.progress = show_progress,
		.context = talk,
	};
}

void talk_how_to_end(const struct record_options *options, bool is_quiet)
{
	if (!is_quiet && !options->command && !options->duration_ms)
		cli_message("press ^C to end the recording");
}

int exit_status_of_exec(int exec_error)
{
	return exec_error == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC;
}

void talk_error(const struct talk *talk, const struct record_outcome *outcome)
{
	if (!outcome->err.code)
		return;
	progress_end(&talk->progress);
	cli_error(&outcome->err);
}

int talk_exit_status(struct record_outcome *outcome)
{
	const struct session_listener loud = { .note = note };
	int status = record_outcome_wait(outcome, &loud);

	if (outcome->exec_error)
		return exit_status_of_exec(outcome->exec_error);
	return outcome->err.code ? EXIT_FAILED : status;
}
