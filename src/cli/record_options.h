/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_options.h - what `assay record` and `assay run` are told on the command line
 */
#ifndef ASSAY_CLI_RECORD_OPTIONS_H
#define ASSAY_CLI_RECORD_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "cli/option_values.h"
#include "capture/capture.h"
#include "symbolize/source_file.h"

#define DEFAULT_FLUSH_MS 1000

struct record_options {
	struct capture_options capture;	/* ids and command_tgid are filled at the start */
	const char *output;
	const char *kallsyms;		/* --kallsyms, NULL: /proc/kallsyms */
	const char *vmlinux;
	uint64_t output_bytes_max;	/* larger, or where it cannot be written, it is given up;
					   0: it is the user's, and has no limit */
	bool no_recording;		/* somebody only looks on */
	uint64_t flush_ms;
	uint64_t duration_ms;		/* 0: until the command ends, or ^C */
	uint64_t delay_ms;
	double max_overhead_percent;	/* of the machine's CPU time; 0: no limit */
	bool is_default_rate;		/* neither -F nor -c */
	bool no_calibration;
	bool quiet;
	bool no_irq_time;
	bool embed_sources;
	struct source_options sources;	/* with embed_sources */
	bool system_wide;		/* -a */
	bool has_uid;			/* -u */
	char **command;			/* argv, NULL-terminated; NULL: none */
	struct id_list ids;		/* -p or -t */
};

/*
 * Reads the command line of a command that @doc describes.  Options left open get their defaults;
 * combinations that make no sense are refused, with a message.  False where the command should
 * end with EXIT_USAGE; record_options_fini() after either.
 */
bool record_options_read(int argc, char **argv, const char *doc,
			 struct record_options *ret_options);
void record_options_fini(struct record_options *options);

/*
 * The same for a command with options of its own beside these: a child parser, whose input is a
 * zeroed struct record_options, and what comes after parsing (0, or -EINVAL).
 */
extern const struct argp record_argp;
int record_options_settle(struct record_options *options, struct err *err);

/* The command as one line for people, in @text. */
void record_options_command_line(const struct record_options *options, char *text,
				 size_t size_bytes);

#endif
