/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_options.h - what `assay stat` is told on the command line
 */
#ifndef ASSAY_CLI_STAT_OPTIONS_H
#define ASSAY_CLI_STAT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "cli/option_values.h"
#include "present/stat.h"

enum stat_target { STAT_COMMAND, STAT_SYSTEM, STAT_PROCESSES, STAT_THREADS };

struct stat_options {
	VEC(const char *) events;	/* each -e; none: the default ones */
	enum stat_target target;
	struct id_list ids;		/* -p or -t */
	const char *cpus;		/* -C */
	uint64_t runs;			/* -r */
	uint64_t interval_ms, duration_ms;	/* 0: none */
	bool system_wide, per_thread, per_cpu;
	bool list;			/* --list */
	bool diff;			/* --diff: of the two files */
	const char *files[2];
	enum stat_format format;
	const char *output;		/* NULL: standard output */
	char **command;			/* argv, NULL-terminated; NULL: none */
};

/* False where the command should end with EXIT_USAGE; stat_options_fini() after either. */
bool stat_options_read(int argc, char **argv, struct stat_options *ret_options);
void stat_options_fini(struct stat_options *options);

#endif
