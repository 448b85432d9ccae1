/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay symbolize: adds names, source lines and inlined functions to a recording. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/debug_servers.h"
#include "session/embed_sources.h"
#include "session/file_readers.h"
#include "cli/input_options.h"
#include "cli/rights.h"
#include "cli/symbolize_now.h"
#include "symbolize/adopt.h"
#include "symbolize/lines.h"

#define DEBUG_DIRS_MAX 16

struct arguments {
	const char *path, *sysroot;
	const char *debug_dirs[DEBUG_DIRS_MAX + 1];
	size_t debug_dir_count;
	struct source_options sources;
	bool embed_sources, trust_paths;
};

enum option_key {
	OPTION_DEBUG_DIR = 256,
	OPTION_EMBED_SOURCES,
	OPTION_SOURCE_DIR,
	OPTION_SYSROOT,
	OPTION_TRUST_PATHS,
};

static const struct argp_option option_list[] = {
	{ "debug-dir", OPTION_DEBUG_DIR, "DIR", 0,
	  "Look for debug files below DIR (repeatable; default: /usr/lib/debug)", 1 },
	{ "embed-sources", OPTION_EMBED_SOURCES, NULL, 0,
	  "Store the source files of hot functions in the recording, if "
	  "all users may read these files",
	  1 },
	{ "source-dir", OPTION_SOURCE_DIR, "DIR", 0,
	  "Look for source files below DIR first, and accept all files "
	  "there that you may read (repeatable)",
	  1 },
	{ "sysroot", OPTION_SYSROOT, "DIR", 0,
	  "Look for the recorded programs and libraries below DIR", 1 },
	{ "trust-paths", OPTION_TRUST_PATHS, NULL, 0,
	  "If the recording has no build-id of a file, use the file at its path", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->path;
		return 0;
	case OPTION_DEBUG_DIR:
		if (arguments->debug_dir_count == DEBUG_DIRS_MAX)
			argp_error(state, "--debug-dir can be given at most %d times",
				   DEBUG_DIRS_MAX);
		arguments->debug_dirs[arguments->debug_dir_count++] = arg;
		return 0;
	case OPTION_EMBED_SOURCES:
		arguments->embed_sources = true;
		return 0;
	case OPTION_SOURCE_DIR:
		if (!source_dir_add(&arguments->sources, arg))
			argp_error(state, "--source-dir can be given at most %d times",
				   SOURCE_DIRS_MAX);
		return 0;
	case OPTION_SYSROOT:
		arguments->sysroot = arg;
		return 0;
	case OPTION_TRUST_PATHS:
		arguments->trust_paths = true;
		return 0;
	case ARGP_KEY_END:
		if (arguments->sources.source_dir_count && !arguments->embed_sources)
			argp_error(state, "--source-dir requires --embed-sources");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void say_result(const struct model *model, uint64_t refined)
{
	uint64_t with_line = 0;

	for (size_t i = 1; i < model->locations.count; i++)
		with_line += model->locations.at[i].line != 0;
	cli_message("%" PRIu64 " of %zu locations have a source line; %" PRIu64 " got a better "
		    "name",
		    with_line, model->locations.count - 1, refined);
}

static int embed(const struct arguments *arguments, struct recording *recording,
		 struct model *model, const struct symbolize_options *options, struct err *err)
{
	int rc = model_index_loaded(model);

	if (rc < 0)
		return err_set(err, rc, "no memory to keep source files");
	return embed_sources(recording, model, options, &arguments->sources, err);
}

/*
 * Improves the names of functions, adds source lines, and stores both in the recording. With
 * --embed-sources, also stores source files in the recording.
 */
static int improve_with(const struct symbolize_options *options, const struct arguments *arguments,
			struct recording *recording, struct model *model, uint64_t *ret_refined,
			struct err *err)
{
	size_t adopted;
	int rc = adopt_files(model, options, arguments->trust_paths, &adopted, err);

	if (rc < 0)
		return rc;
	if (adopted)
		recording_rewrite_places(recording);
	rc = symbolize_refine(model, options, ret_refined, err);
	if (rc < 0)
		return rc;
	if (!arguments->embed_sources) {
		rc = lines_resolve(model, options, err);
		if (rc < 0)
			return rc;
	}
	rc = recording_finish(recording, model, err);
	if (rc < 0)
		return rc;
	return arguments->embed_sources ? embed(arguments, recording, model, options, err) : 0;
}

DEFINE_CLEANUP(struct readers, readers_free);

static int improve(const struct arguments *arguments, struct recording *recording,
		   struct model *model, uint64_t *ret_refined, struct err *err)
{
	_cleanup_(readers_freep) struct readers *readers = file_readers_new();
	struct symbolize_options options = {
		.readers = readers,
		.demangle = true,
		.sysroot = arguments->sysroot,
		.debug_dirs = arguments->debug_dir_count ? arguments->debug_dirs : NULL,
	};
	struct debug_servers servers;
	int rc;

	debug_servers_begin(&servers, arguments->path, 0, &options);
	debug_servers_rank(&servers, recording, model, &options);
	rc = improve_with(&options, arguments, recording, model, ret_refined, err);
	debug_servers_end(&servers);
	return rc;
}

/*
 * Opens the recording for writing from the start. Reopening it for writing later is not possible,
 * because recording_open_rw() requires that this process does not have the file open.
 */
static int refine(const struct arguments *arguments, struct recording **recording,
		  struct model *model, struct err *err)
{
	uint64_t refined = 0;
	int rc;

	rights_beware(arguments->path);
	rc = recording_open_rw(arguments->path, recording, err);

	if (rc < 0)
		return rc;
	rc = recording_load(*recording, model, err);
	if (rc < 0)
		return rc;
	if (!recording_is_complete(*recording)) {
		rc = cli_symbolize_now(*recording, model, arguments->path, err);
		if (rc < 0)
			return rc;
	}
	rc = improve(arguments, *recording, model, &refined, err);
	if (rc < 0)
		return rc;
	say_result(model, refined);
	return 0;
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = { INPUT_OPTIONS, { 0 } };
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc = "[FILE]",
		.doc = "Adds names, source lines and inlined functions, using the files that "
		       "are on this machine now.",
	};
	struct arguments arguments = { .path = DEFAULT_RECORDING };
	struct recording *recording = NULL;
	struct model model;
	struct err err = { 0 };
	int rc;

	if (cli_parse(&argp, argc, argv, 0, &arguments) != 0)
		return EXIT_USAGE;
	rc = model_init(&model);
	if (rc < 0)
		(void)err_sys(&err, rc, "%s", arguments.path);
	else
		rc = refine(&arguments, &recording, &model, &err);
	if (rc < 0)
		cli_error(&err);
	recording_close(recording);
	model_fini(&model);
	return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_symbolize = {
	.name = "symbolize",
	.summary = "add names and source lines to a recording",
	.run = run,
};
