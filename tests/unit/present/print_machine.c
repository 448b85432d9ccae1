/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints tests/support/model_maker's machine for test_report.py.
 *
 *	print_machine text|json|csv plain|hostile|build|idle [KEY,...]
 *
 * "hostile" adds a process and functions whose names are read from standard input, one after
 * each NUL, and sampled ten times each.  "build" adds thirty small processes of one program, and
 * prints as briefly as on a terminal of 80 columns.  "idle" has counted ticks of idle CPUs, and
 * programs of 32 bits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tally.h"
#include "present/report.h"
#include "tests/support/model_maker.h"

#define MIN_PERCENT 1

static struct report_style style;

static void add_hostile(struct model_maker *maker)
{
	char *name = NULL;
	size_t size = 0;

	while (getdelim(&name, &size, '\0', stdin) > 0) {
		const struct maker_frame frame = { name, IMAGE_FILE, name, QUALITY_SYMTAB, false };

		maker_samples(maker, &(struct maker_run){
					     .thread = maker_thread(maker, name, 9000, false),
					     .stack = maker_stack(maker, STACK_ROOT_END, &frame),
					     .context = CONTEXT_USER,
					     .count = 1000 });
		model_fact_set(&maker->model, "command", "%s", name);
	}
	free(name);
}

/* A build: one program as many processes, each of them small. */
static void add_build(struct model_maker *maker)
{
	const struct maker_frame frame = { "/usr/bin/cc1", IMAGE_FILE, "parse", QUALITY_SYMTAB,
					   false };
	uint32_t stack = maker_stack(maker, STACK_ROOT_END, &frame);

	for (uint32_t tgid = 1000; tgid < 1030; tgid++)
		maker_samples(maker, &(struct maker_run){
					     .thread = maker_thread(maker, "cc1", tgid, false),
					     .stack = stack,
					     .context = CONTEXT_USER,
					     .count = 40 });
}

static void add_idle(struct model_maker *maker)
{
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		ledger_cpu(&maker->model.ledger, cpu)->idle_count = 1000 + cpu;
	model_fact_set(&maker->model, "walked_32bit", "321");
}

static int print_table(const struct profile *profile, const char *format, const char *keys)
{
	enum dimension by[GROUP_KEYS_MAX];
	struct group_table table;
	size_t count;
	int rc;

	if (dimensions_parse(keys, by, &count, NULL) < 0 ||
	    group_hits(profile, by, count, NULL, NULL, &table) < 0)
		return -1;
	group_sort_by_rank(&table);
	if (strcmp(format, "text") == 0)
		rc = table_as_text(profile, &table, &style, stdout);
	else if (strcmp(format, "json") == 0)
		rc = table_as_json(profile, &table, &style, stdout);
	else
		rc = table_as_csv(profile, &table, &style, stdout);
	group_table_fini(&table);
	return rc;
}

static int print_overview(const struct profile *profile, const char *format)
{
	struct overview overview;
	int rc = overview_make(profile, profile_first_event(profile), MIN_PERCENT, &overview);

	if (rc == 0 && strcmp(format, "text") == 0)
		rc = report_text(&overview, &style, stdout);
	else if (rc == 0)
		rc = report_json(&overview, &style, stdout);
	overview_fini(&overview);
	return rc;
}

int main(int argc, char **argv)
{
	struct model_maker maker;
	struct profile profile;
	struct tally tally;
	int rc;

	if (argc < 3)
		return 2;
	model_maker_machine(&maker);
	if (strcmp(argv[2], "hostile") == 0)
		add_hostile(&maker);
	if (strcmp(argv[2], "idle") == 0)
		add_idle(&maker);
	if (strcmp(argv[2], "build") == 0) {
		add_build(&maker);
		style = (struct report_style){
			.limit = 20, .brief = true, .profiles = 3, .columns = 80
		};
	}
	if (tally_init(&tally, &maker.model, &(struct profile_options){ 0 }, 25000, &profile) < 0 ||
	    tally_batch(&tally, &maker.batch) < 0)
		return 1;
	tally_fini(&tally);
	rc = argc > 3 ? print_table(&profile, argv[1], argv[3]) : print_overview(&profile, argv[1]);
	profile_fini(&profile);
	model_maker_fini(&maker);
	return rc < 0 || fflush(stdout) != 0;
}
