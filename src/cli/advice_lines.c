/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/advice_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/debian_package.h"
#include "elf/file_opener.h"

#define ARCHIVE_MAX 256
#define PYTHON_WITH_NAMES 12	/* -X perf came with Python 3.12 */

struct wording {
	const struct model *model;
	const char *path;
	char packages[ADVICE_MAX][DEBIAN_PACKAGE_MAX];	/* by advice */
	bool joined[ADVICE_MAX];	/* by advice: it is about several files */
	bool said_archive;
	bool failed;
};

static char *format(struct wording *wording, const char *text, ...)
	__attribute__((format(printf, 2, 3)));

static char *format(struct wording *wording, const char *text, ...)
{
	char *made = NULL;
	va_list args;

	va_start(args, text);
	if (vasprintf(&made, text, args) < 0) {
		made = NULL;
		wording->failed = true;
	}
	va_end(args);
	return made;
}

static const char *path_of(const struct wording *wording, const struct advice *advice)
{
	return string_of(wording->model, image_of(wording->model, advice->image)->path);
}

/* ---- warnings ---- */

static void word_warning(struct wording *wording, const struct advice *advice,
			 struct advice_line *line)
{
	static const struct {
		const char *what, *command;
	} words[] = {
		[ADVICE_DAMAGED] = { "parts of the file are damaged or missing",
				     "assay report --section losses" },
		[ADVICE_LOST] = { "of the samples were lost, so shares may be wrong",
				  "record at a lower rate, such as -F 99" },
		[ADVICE_UNACCOUNTED] = { "of all time is unaccounted for",
					 "assay report --section ledger" },
		[ADVICE_OWN_COST] = { "of a CPU was used by assay itself",
				      "record at a lower rate, such as -F 99" },
		[ADVICE_FEW_SAMPLES] = { "there are too few samples for exact shares",
					 "record for longer, or at a higher rate with -F" },
		[ADVICE_FRAME_POINTERS] = { "of the stacks are not whole, because some code has no "
					    "frame pointers",
					    "record with --call-graph dwarf" },
		[ADVICE_SMALL_COPIES] = { "of the stacks are not whole, because they are larger "
					  "than what was copied",
					  "record with --call-graph dwarf,65528" },
		[ADVICE_STACKS_CUT] = { "of the stacks are not whole",
					"assay report --section health" },
	};
	double percent = advice->share < 0 ? -100 * advice->share : 100 * advice->share;

	if (percent > 0)
		line->what = format(wording, "%.1f%% %s", percent, words[advice->kind].what);
	else
		line->what = format(wording, "%s", words[advice->kind].what);
	line->command = format(wording, "%s", words[advice->kind].command);
}

/* ---- hints ---- */

/*
 * Returns the shell command that names the functions of the recording again, with @variable before
 * it and @option in it. Without a recording, returns what to do instead.
 */
static char *symbolize_command(struct wording *wording, const char *variable, const char *option)
{
	const char *file = wording->path ? wording->path : DEFAULT_RECORDING;
	bool is_default = strcmp(file, DEFAULT_RECORDING) == 0;

	return format(wording, "%s%sassay symbolize%s%s%s",
		      wording->path ? "" : "record it, then run ", variable, option,
		      is_default ? "" : " ", is_default ? "" : file);
}

static char *install_command(struct wording *wording, const char *package)
{
	_cleanup_free_ char *symbolize = symbolize_command(wording, "", "");
	const char *then = wording->path && symbolize ? " && " : "";
	char archive[ARCHIVE_MAX] = "";

	if (!wording->said_archive)
		debian_debug_archive(package, archive, sizeof(archive));
	wording->said_archive = wording->said_archive || *archive;
	if (!*archive)
		return format(wording, "apt install %s%s%s", package, then, *then ? symbolize : "");
	return format(wording,
		      "echo '%s' > /etc/apt/sources.list.d/debug.list && apt update && "
		      "apt install %s%s%s",
		      archive, package, then, *then ? symbolize : "");
}

/* Returns true if a file is there. Does not wait for a file system that does not answer. */
static bool is_file_here(const char *path)
{
	struct file_opener *opener;
	int fd;

	if (file_opener_new(&opener) < 0)
		return false;
	fd = file_opener_open(opener, path, 0);
	file_opener_free(opener);
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0 || fd == -EACCES;
}

static void word_symbols(struct wording *wording, const struct advice *advice, size_t index,
			 struct advice_line *line)
{
	const char *path = path_of(wording, advice), *package = wording->packages[index];
	const struct image *image = image_of(wording->model, advice->image);
	bool is_here = is_file_here(path);

	line->what = format(wording,
			    wording->joined[index] ? "%s and other files have no symbols"
						   : "%s has no symbols",
			    path);
	if (*package)
		line->command = install_command(wording, package);
	else if (!image->build_id_size && !image->unread && is_here)
		line->command = format(wording, "run a build of it that is not stripped");
	else if (!image->build_id_size)
		line->command = symbolize_command(
			wording, "", is_here ? " --trust-paths" : " --trust-paths --sysroot DIR");
	else if (getenv("DEBUGINFOD_URLS"))
		line->command = symbolize_command(wording, "", "");
	else if (is_here && image->unread)
		line->command = symbolize_command(wording, "", "");
	else if (is_here)
		line->command = symbolize_command(
			wording, "DEBUGINFOD_URLS=https://debuginfod.elfutils.org ", "");
	else
		line->command = symbolize_command(wording, "", " --sysroot DIR");
}

static void word_python(struct wording *wording, const struct advice *advice,
			struct advice_line *line)
{
	const char *name = file_name(path_of(wording, advice)), *dot = strchr(name, '.');
	long minor = dot ? strtol(dot + 1, NULL, 10) : 0;

	line->what = format(wording, "%s runs Python functions whose names are not known", name);
	if (minor >= PYTHON_WITH_NAMES)
		line->command = format(wording, "run it with -X perf");
	else
		line->command = format(wording, "run it with Python 3.%d or later and -X perf",
				       PYTHON_WITH_NAMES);
}

static void word_java(struct wording *wording, const struct advice *advice,
		      struct advice_line *line)
{
	line->what = format(wording, "java runs generated code whose names are not known");
	line->command = format(
		wording,
		"run java with -XX:+PreserveFramePointer "
		"-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, or call jcmd %" PRIu32
		" Compiler.perfmap while it is recorded",
		process_of(wording->model, advice->process)->tgid);
}

static void word_hint(struct wording *wording, const struct advice *advice, size_t index,
		      struct advice_line *line)
{
	switch (advice->kind) {
	case ADVICE_NO_SYMBOLS:
		word_symbols(wording, advice, index, line);
		return;
	case ADVICE_PYTHON:
		word_python(wording, advice, line);
		return;
	case ADVICE_JAVA:
		word_java(wording, advice, line);
		return;
	case ADVICE_NODE:
		line->what = format(wording, "node runs generated code whose names are not known");
		line->command = format(wording, "run node with --perf-basic-prof "
						"--interpreted-frames-native-stack");
		return;
	case ADVICE_WAITS:
		line->what = format(wording, "of the run the command was not running on a CPU");
		line->command = format(wording, "record with --off-cpu to see why");
		return;
	case ADVICE_KERNEL_HIDDEN:
	default:
		line->what = format(wording, "the names of the kernel's functions are hidden");
		line->command = format(wording, "record as root, or after sysctl "
						"kernel.kptr_restrict=0");
		return;
	}
}

/* Finds the packages of all files without symbols at once, because dpkg has no index by file. */
static void find_packages(struct wording *wording, const struct advices *advices)
{
	const char *paths[ADVICE_MAX];
	bool any = false;

	for (size_t i = 0; i < advices->count; i++) {
		bool wanted = advices->at[i].kind == ADVICE_NO_SYMBOLS;

		paths[i] = wanted ? path_of(wording, &advices->at[i]) : "";
		any = any || wanted;
	}
	if (any)
		debian_debug_packages(paths, advices->count, wording->packages);
}

/* One package has the symbols of several files. Joins the advice about these files. */
static void join_packages(struct wording *wording, struct advices *advices)
{
	size_t kept = 0;

	for (size_t i = 0; i < advices->count; i++) {
		const char *package = wording->packages[i];
		size_t same = *package ? 0 : kept;

		while (same < kept && strcmp(wording->packages[same], package) != 0)
			same++;
		if (same < kept) {
			advices->at[same].share += advices->at[i].share;
			wording->joined[same] = true;
			continue;
		}
		memmove(wording->packages[kept], package, DEBIAN_PACKAGE_MAX);
		advices->at[kept++] = advices->at[i];
	}
	advices->count = kept;
}

static int advise_on(const struct profile *profile, struct advices *ret_advices)
{
	_cleanup_(health_fini) struct health health = { 0 };
	_cleanup_(account_fini) struct account account = { 0 };

	if (health_make(profile, profile_first_event(profile), &health) < 0 ||
	    account_make(profile, &account) < 0)
		return -ENOMEM;
	return advise(profile, &health, &account, ret_advices);
}

int advice_lines_make(const struct profile *profile, const char *path,
		      struct advice_lines *ret_lines)
{
	struct advices advices;
	int rc = advise_on(profile, &advices);

	*ret_lines = (struct advice_lines){ 0 };
	return rc < 0 ? rc : advice_lines_word(&advices, profile->model, path, ret_lines);
}

int advice_lines_word(struct advices *advices, const struct model *model, const char *path,
		      struct advice_lines *ret_lines)
{
	struct wording wording = { .model = model, .path = path };

	*ret_lines = (struct advice_lines){ 0 };
	find_packages(&wording, advices);
	join_packages(&wording, advices);
	for (size_t i = 0; i < advices->count; i++) {
		struct advice_line *line = &ret_lines->at[ret_lines->count++];

		line->warns = advice_warns(&advices->at[i]);
		line->share = advices->at[i].share;
		if (line->warns)
			word_warning(&wording, &advices->at[i], line);
		else
			word_hint(&wording, &advices->at[i], i, line);
	}
	return wording.failed ? -ENOMEM : 0;
}

void advice_lines_fini(struct advice_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		free(lines->at[i].what);
		free(lines->at[i].command);
	}
	lines->count = 0;
}

/* cli_say_losses() has said them. */
static void drop_losses(struct advices *advices)
{
	size_t kept = 0;

	for (size_t i = 0; i < advices->count; i++)
		if (advices->at[i].kind != ADVICE_LOST && advices->at[i].kind != ADVICE_DAMAGED)
			advices->at[kept++] = advices->at[i];
	advices->count = kept;
}

int advice_print(const struct profile *profile, const char *path, const struct advice_style *style,
		 FILE *out)
{
	struct advice_lines lines = { 0 };
	struct advices advices;
	int rc = advise_on(profile, &advices);

	if (rc == 0) {
		drop_losses(&advices);
		rc = advice_lines_word(&advices, profile->model, path, &lines);
	}
	if (rc == 0) {
		advice_print_warnings(&lines, style->columns, style->is_colored, out);
		advice_print_hints(&lines, style->columns, out);
	}
	advice_lines_fini(&lines);
	return rc;
}
