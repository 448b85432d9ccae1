/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay import: converts the file of another profiler to an ordinary recording. */
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/small_file.h"
#include "cli/cache_dir.h"
#include "cli/command.h"
#include "cli/rights.h"
#include "session/file_readers.h"
#include "session/import_jit.h"
#include "cli/symbolize_now.h"
#include "cli/talk.h"
#include "session/record_code.h"
#include "session/record_jit.h"
#include "import/import.h"
#include "store/recording.h"
#include "symbolize/symbolize.h"

/*
 * Path of perf's copy of kallsyms. The first %s is the home directory. The second %s is the
 * kernel's build-id in hexadecimal.
 */
#define PERF_KALLSYMS "%s/.debug/[kernel.kallsyms]/%s/kallsyms"

struct arguments {
	const char *path, *output;
	/* NULL: detect the format from the file's content */
	const struct import_format *format;
	bool quiet;
};

struct work {
	const struct arguments *arguments;
	struct model model;
	struct import *import;
	struct import_jit jit;
	struct readers *readers;	/* NULL: this process reads all files itself */
	struct recording *recording;
	uint64_t sample_count;
	bool written;
};

static const struct argp_option option_list[] = {
	{ "format", 'f', "FORMAT", 0,
	  "Read FILE as this format; see 'assay list formats' (default: detected from its content)",
	  1 },
	{ "output", 'o', "FILE", 0, "Write to FILE (default: " DEFAULT_RECORDING ")", 1 },
	{ "quiet", 'q', NULL, 0, "Print only errors", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'f':
		arguments->format = import_format_find(arg);
		if (!arguments->format)
			argp_error(state, "cannot import format '%s'; see 'assay list formats'",
				   arg);
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "give only one file");
		arguments->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "give a file to import");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- kernel symbols ---- */

static bool lie_as_recorded(const struct kallsyms *kallsyms, const struct import_kernel *kernel)
{
	uint64_t addr = kallsyms_addr(kallsyms, kernel->symbol);

	return addr && addr == kernel->symbol_addr;
}

static bool is_running_kernel(const struct import_kernel *kernel)
{
	uint8_t build_id[BUILD_ID_MAX];
	size_t size;

	if (kernel->build_id_size == 0)
		return kernel->same_host;
	return symbolize_kernel_build_id(build_id, &size, NULL) == 0 &&
	       size == kernel->build_id_size && memcmp(build_id, kernel->build_id, size) == 0;
}

static bool read_kept(const struct import_kernel *kernel, struct kallsyms *ret_kallsyms)
{
	const char *home = getenv("HOME");
	char id[2 * BUILD_ID_MAX + 1] = "", path[PATH_MAX];

	if (!home || kernel->build_id_size == 0)
		return false;
	for (size_t i = 0; i < kernel->build_id_size; i++)
		(void)snprintf(id + 2 * i, 3, "%02x", kernel->build_id[i]);
	(void)snprintf(path, sizeof(path), PERF_KALLSYMS, home, id);
	return kallsyms_read(path, ret_kallsyms, NULL) == 0;
}

/*
 * Finds the symbols of the kernel that the imported file was recorded on. Tries the symbols of the
 * running kernel first, then perf's copy. Symbols are accepted only if one known symbol has the
 * same address in them as in the imported file. Sets *ret_same_boot to true if the symbols of the
 * running kernel were accepted. Returns false if no symbols were accepted.
 */
static bool find_kallsyms(void *context, const struct import_kernel *kernel,
			  struct kallsyms *ret_kallsyms, bool *ret_same_boot)
{
	if (is_running_kernel(kernel) && cli_read_kernel_symbols(ret_kallsyms, NULL) == 0) {
		*ret_same_boot = lie_as_recorded(ret_kallsyms, kernel);
		if (*ret_same_boot)
			return true;
		kallsyms_fini(ret_kallsyms);
	}
	if (read_kept(kernel, ret_kallsyms)) {
		if (lie_as_recorded(ret_kallsyms, kernel))
			return true;
		kallsyms_fini(ret_kallsyms);
	}
	*ret_kallsyms = (struct kallsyms){ 0 };
	return false;
}

/* ---- the recording ---- */

static void see_jitdump(void *context, const struct import_jitdump *dump)
{
	struct work *work = context;

	import_jit_see(&work->jit, dump);
}

static int flush(void *context, struct sample_batch *batch, struct err *err)
{
	struct work *work = context;
	int rc;

	import_jit_settle(&work->jit, batch);
	rc = recording_append(work->recording, &work->model, batch, err);
	work->written = true;
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < batch->samples.count; i++)
		work->sample_count += model_samples(&work->model, &batch->samples.at[i]);
	return 0;
}

static void same_boot_facts(struct work *work)
{
	char boot_id[64];

	if (import_kallsyms(work->import))
		model_fact_set(&work->model, FACT_KERNEL_TEXT_START, "0x%" PRIx64,
			       import_kallsyms(work->import)->text_start_addr);
	if (import_is_same_boot(work->import) &&
	    small_file_read("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id)) == 0)
		model_fact_set(&work->model, FACT_BOOT_ID, "%s", boot_id);
}

static int finish(struct work *work, struct err *err)
{
	const struct symbolize_options options = {
		.kallsyms = import_kallsyms(work->import),
		.image_file = import_image_file,
		.image_file_context = work->import,
		.readers = work->readers,
		.demangle = true,
	};
	const struct sample_batch nothing = { 0 };
	int rc;

	same_boot_facts(work);
	model_fact_set(&work->model, FACT_ASSAY_VERSION, "%s", ASSAY_VERSION);
	record_jit_name(work->jit.jit);
	rc = symbolize(&work->model, &options, err);
	if (rc < 0)
		return rc;
	rc = recording_finish(work->recording, &work->model, err);
	if (rc < 0)
		return rc;
	record_code_keep(work->recording, &work->model, &options, work->jit.jit, NULL);
	return recording_append(work->recording, &work->model, &nothing, err);
}

static int import_all(struct work *work, struct err *err)
{
	_cleanup_free_ char *output = strdup(work->arguments->output);
	struct utsname name;
	char cache[PATH_MAX];
	struct import_options options = {
		.format = work->arguments->format,
		.kallsyms = find_kallsyms,
		.jitdump = see_jitdump,
		.flush = flush,
		.context = work,
		.host = uname(&name) == 0 ? name.nodename : NULL,
		.cache_dir = cache_dir(cache, sizeof(cache)),
		.readers = work->readers,
		.temp_dir = output ? dirname(output) : NULL,
	};
	int rc = import_new(&work->model, &options, &work->import);

	if (rc < 0)
		return err_sys(err, rc, "%s", work->arguments->path);
	import_jit_init(&work->jit, &work->model, work->arguments->path);
	rc = recording_create(work->arguments->output, &work->recording, err);
	if (rc < 0)
		return rc;
	rc = import_read(work->import, work->arguments->path, err);
	if (rc < 0) {
		if (!work->written)
			recording_discard(TAKE_PTR(work->recording));
		return rc;
	}
	return finish(work, err);
}

/* Prints a message for each kind of data in the file that could not be imported. */
static void say_losses(const struct losses *losses)
{
	static const enum loss reasons[] = {
		LOSS_LINE_MALFORMED,  LOSS_RECORD_MALFORMED, LOSS_EVENT_UNKNOWN, LOSS_GUEST,
		LOSS_WEIGHT_OVERFLOW, LOSS_VALUE_NEGATIVE,   LOSS_SAMPLE_BUDGET, LOSS_STRING_BUDGET,
		LOSS_LINE_BUDGET,     LOSS_LOCATION_BUDGET,  LOSS_STACK_BUDGET,	 LOSS_MEMORY,
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		uint64_t count = losses->count[reasons[i]];
		const char *unit = loss_unit(reasons[i]);
		/* length of the unit, without its plural "s" if the count is 1 */
		int length = (int)strlen(unit) - (count == 1);

		if (count)
			cli_message("lost: %" PRIu64 " %.*s, %s: %s", count, length, unit,
				    loss_name(reasons[i]), loss_meaning(reasons[i]));
	}
}

static void say_result(const struct work *work)
{
	const char *lacks = model_fact(&work->model, FACT_NOT_IN_FILE);
	struct talk talk;

	cli_message("%" PRIu64 " samples from %s, %.1f KiB in %s", work->sample_count,
		    work->arguments->path, (double)recording_size_bytes(work->recording) / 1024,
		    work->arguments->output);
	if (lacks)
		cli_message("the file does not contain: %s", lacks);
	say_losses(&work->model.losses);
	if (model_fact(&work->model, FACT_NEGATIVE_VALUES))
		cli_message("negative values: %s", model_fact(&work->model, FACT_NEGATIVE_VALUES));
	talk_init(&talk, false, false);
	record_jit_say(&work->model, &talk.listener);
	if (work->model.losses.count[LOSS_FILE_CUT])
		cli_message("%s is damaged or incomplete; only the data before the damaged or "
			    "missing part was used",
			    work->arguments->path);
}

static int run(int argc, char **argv)
{
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.args_doc = "FILE",
		.doc = "Makes a recording from a file that another profiler wrote: perf.data "
		       "(also if written by perf record -o - or -z), folded stacks and others. "
		       "If FILE is -, reads standard input.",
	};
	struct arguments arguments = { .output = DEFAULT_RECORDING };
	struct work work = { .arguments = &arguments };
	struct err err = { 0 };
	int rc;

	if (cli_parse(&argp, argc, argv, 0, &arguments) != 0)
		return EXIT_USAGE;
	work.readers = file_readers_new();
	rights_allow(arguments.output);
	rights_beware(arguments.path);
	rc = model_init(&work.model);
	if (rc < 0)
		(void)err_sys(&err, rc, "%s", arguments.path);
	else
		rc = import_all(&work, &err);
	if (rc < 0)
		cli_error(&err);
	else if (!arguments.quiet)
		say_result(&work);
	if (rc == 0 && work.sample_count == 0)
		cli_message("%s contains no samples, so %s is an empty recording", arguments.path,
			    arguments.output);
	recording_close(work.recording);
	import_free(work.import);
	import_jit_fini(&work.jit);
	readers_free(work.readers);
	model_fini(&work.model);
	if (rc < 0)
		return EXIT_FAILED;
	return work.sample_count ? EXIT_OK : EXIT_NO_MATCH;
}

const struct command cmd_import = {
	.name = "import",
	.summary = "make a recording from another profiler's file",
	.run = run,
};
