/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/print_options.h"

enum option_key {
	OPTION_JSON = 256,
	OPTION_CSV,
	OPTION_NO_PAGER,
	OPTION_INLINE,
};

static const struct argp_option print_list[] = {
	{ "json", OPTION_JSON, NULL, 0, "Print JSON", 1 },
	{ "csv", OPTION_CSV, NULL, 0, "Print CSV", 1 },
	{ "no-pager", OPTION_NO_PAGER, NULL, 0, "Do not start a pager", 1 },
	{ 0 },
};

static error_t parse_print(int key, char *arg, struct argp_state *state)
{
	struct print_options *options = state->input;

	(void)arg;
	switch (key) {
	case OPTION_JSON:
		options->format = REPORT_JSON;
		return 0;
	case OPTION_CSV:
		options->format = REPORT_CSV;
		return 0;
	case OPTION_NO_PAGER:
		options->no_pager = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct setting_names option_names = {
	.limit = "--limit",
	.min_percent = "--min-percent",
	.depth = "--depth",
	.files = "--functions",
	.by = "--by",
	.event = "--event",
	.table_memory = "--table-memory",
	.more = "assay report --by=application,function (or process, image, context, cpu, time "
		"...). Choose samples with --comm, --image, --symbol and --context; --limit=0 "
		"shows all rows.",
};

const struct argp print_argp = { .options = print_list, .parser = parse_print };

static const struct argp_option inline_list[] = {
	{ "inline", OPTION_INLINE, NULL, 0,
	  "Count inlined functions under their own names (needs debug information)", 1 },
	{ 0 },
};

static error_t parse_inline(int key, char *arg, struct argp_state *state)
{
	struct filter *filter = state->input;

	(void)arg;
	if (key != OPTION_INLINE)
		return ARGP_ERR_UNKNOWN;
	filter->inlined = true;
	return 0;
}

const struct argp inline_argp = { .options = inline_list, .parser = parse_inline };
