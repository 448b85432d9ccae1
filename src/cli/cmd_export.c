/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay export: writes a recording in the format of another tool. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/nearest_word.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/input_options.h"
#include "cli/metric_options.h"
#include "cli/output_file.h"
#include "cli/rights.h"
#include "cli/say_losses.h"
#include "cli/symbolize_now.h"
#include "export/export.h"

struct arguments {
	const char *path;
	const char *output;	/* NULL means stdout */
	struct filter filter;
	struct export_options options;
};

enum option_key { OPTION_INLINE = 256 };

static const struct argp_option option_list[] = {
	{ "format", 'f', "FORMAT", 0, "Write this format; see 'assay list formats'", 1 },
	{ "output", 'o', "FILE", 0, "Write to FILE (default: standard output)", 1 },
	{ "inline", OPTION_INLINE, NULL, 0,
	  "Write source lines, and write inlined functions as separate "
	  "frames",
	  1 },
	{ 0 },
};

static const struct export_format *parse_format(const char *name, struct argp_state *state)
{
	const struct export_format *format = export_format_find(name);

	struct nearest_word nearest = { .wanted = name };
	char meant[NEAREST_WORD_TEXT_MAX];

	for (size_t i = 0; export_formats[i]; i++)
		nearest_word_offer(&nearest, export_formats[i]->name);
	if (!format)
		argp_error(state, "unknown format '%s'%s", name,
			   nearest.found ? nearest_word_text(&nearest, meant)
					 : "; see 'assay list formats'");
	return format;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &arguments->filter;
		state->child_inputs[2] = &arguments->path;
		return 0;
	case 'f':
		arguments->options.format = parse_format(arg, state);
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case OPTION_INLINE:
		arguments->options.inlined = true;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->options.format)
			argp_error(state, "give a format with -f FORMAT; 'assay list formats' "
					  "lists them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the destination ---- */

static bool is_stdout(const char *output)
{
	return !output || strcmp(output, "-") == 0;
}

static int open_output(const struct arguments *arguments, struct output_file *file, struct err *err)
{
	const struct export_format *format = arguments->options.format;
	const char *output = arguments->output;

	if (is_stdout(output)) {
		if (format->is_binary && isatty(STDOUT_FILENO))
			return err_set(err, -EINVAL,
				       "format %s cannot be written to a terminal; use -o FILE",
				       format->name);
		file->out = stdout;
		return 0;
	}
	if (input_is_file(arguments->path, output))
		return err_set(err, -EINVAL,
			       "%s is the recording to export and must not be overwritten", output);
	return output_file_open(file, output, err);
}

/* ---- exporting ---- */

struct exported {
	struct recording *recording;
	struct model model;
	struct export_count count;
	struct err err;
};

static void exported_fini(struct exported *exported)
{
	model_fini(&exported->model);
	recording_close(exported->recording);
}

static int write_all(struct exported *exported, const struct arguments *arguments)
{
	struct output_file file;
	int rc = open_output(arguments, &file, &exported->err);

	if (rc < 0)
		return rc;
	rc = export_write(exported->recording, &exported->model, &arguments->options, file.out,
			  &exported->count, &exported->err);
	if (is_stdout(arguments->output))
		return rc;	/* main() checks stdout for errors */
	return output_file_close(&file, rc, &exported->err);
}

static int load_and_write(struct exported *exported, const struct arguments *arguments)
{
	int rc = (arguments->options.inlined ? cli_load_with_lines : cli_load_recording)(
		arguments->path, &exported->recording, &exported->model, &exported->err);

	if (rc < 0)
		return rc;
	rc = write_all(exported, arguments);
	if (rc < 0)
		return rc;
	return cli_say_losses(arguments->path, exported->recording, &exported->model,
			      &exported->err);
}

/* Prints a message for each kind of loss. Called if the output format cannot store losses. */
static void say_losses(const struct model *model)
{
	char text[EXPORT_LOSS_MAX];

	for (int i = 0; i < LOSS_COUNT; i++)
		if (export_loss_text(model, (enum loss)i, text, sizeof(text)))
			cli_message("%s", text);
}

static int export(struct arguments *arguments)
{
	_cleanup_(exported_fini) struct exported exported = { 0 };
	struct export_options *options = &arguments->options;
	int rc;

	options->filter = &arguments->filter;
	options->path = arguments->path;
	rights_allow(arguments->output);
	rc = load_and_write(&exported, arguments);
	if (rc < 0) {
		(void)cli_metric_err(arguments->path, rc == -ENODATA ? rc : 0, &exported.err);
		cli_error(&exported.err);
		return EXIT_FAILED;
	}
	if (!options->format->has_losses)
		say_losses(&exported.model);
	if (exported.count.left_out)
		cli_message("%" PRIu64 " samples of other events were left out: format %s holds "
			    "only one event; choose it with --event",
			    exported.count.left_out, options->format->name);
	if (!exported.count.written && filter_is_set(&arguments->filter)) {
		filter_say_unmatched(&arguments->filter, &exported.model);
		cli_message("%s: no sample matches the filter", arguments->path);
		return EXIT_NO_MATCH;
	}
	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		FILTER_OPTIONS, WALL_OPTIONS, INPUTS_OPTIONS, { 0 }
	};
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc = "[FILE]",
		.doc = "Writes a recording (default: " DEFAULT_RECORDING
		       ") in the format of another tool.",
	};
	struct arguments arguments = { .path = DEFAULT_RECORDING, .filter = FILTER_INIT };
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &arguments) == 0)
		status = export(&arguments);
	filter_fini(&arguments.filter);
	return status;
}

const struct command cmd_export = {
	.name = "export",
	.summary = "write a recording in the format of another tool",
	.run = run,
};
