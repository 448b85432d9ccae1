/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the machine of tests/support/model_maker for test_report.py.
 *
 *	print_machine text|json|csv plain|hostile|limited|build|idle [KEY,...]
 *	print_machine text plain|hostile|build screen
 *	print_machine text|json|csv plain|hostile wall
 *
 * - "hostile" adds a process and functions with the NUL-terminated names read from standard input,
 *   with ten samples each
 * - "limited" was recorded with --max-overhead
 * - "build" adds thirty small processes of one program, and prints in the short form for a terminal
 *   of 80 columns
 * - "idle" has counted ticks of idle CPUs, and 32-bit programs; it could not count skipped ticks
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tally.h"
#include "base/clock.h"
#include "present/report.h"
#include "present/report_wall.h"
#include "tests/support/model_maker.h"

#define MIN_PERCENT 1

static const struct setting_names names = {
	.limit = "LIMIT",
	.min_percent = "MIN_PERCENT",
	.by = "BY",
	.event = "EVENT",
	.table_memory = "TABLE_MEMORY",
	.more = "sentences about what else can be shown.",
};
static struct report_style style = { .settings = &names, .sections = SECTIONS_FULL };

static void add_hostile_interrupts(struct model_maker *maker, uint32_t name)
{
	struct interrupts *interrupts = &maker->model.interrupts;
	uint32_t number = (uint32_t)interrupts->times.count;
	struct interrupt_time *time = vec_push(&interrupts->times);
	struct interrupt_victim *victim = vec_push(&interrupts->victims);

	if (!time || !victim)
		abort();
	*time = (struct interrupt_time){ number % INTERRUPT_KIND_COUNT, number, 0, name, 1000, 1 };
	*victim = (struct interrupt_victim){ 7000 + number, name, number % 2, 1000, 1 << 30 };
}

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
		model_fact_set(&maker->model, FACT_COMMAND, "%s", name);
		add_hostile_interrupts(maker, model_intern(&maker->model, name));
	}
	free(name);
}

/* Adds a build: one program that ran as many small processes. */
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

/* Adds the effect of --max-overhead: the rate fell once, to a third. */
static void limit_overhead(struct model_maker *maker)
{
	struct event *event = &maker->model.events.at[0];

	event->frequency_hz = NS_PER_SEC / event->period;
	for (size_t i = maker->batch.samples.count / 2; i < maker->batch.samples.count; i++)
		maker->batch.samples.at[i].weight = 3 * MAKER_PERIOD_NS;
	model_fact_set(&maker->model, FACT_MAX_OVERHEAD_PERCENT, "1");
	model_fact_set_u64(&maker->model, FACT_RATE_ASKED_HZ, 4000);
	model_fact_set(&maker->model, FACT_RATES, "1000 Hz from 0.0 s, 333 Hz from 4.5 s");
}

static void add_idle(struct model_maker *maker)
{
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		ledger_cpu(&maker->model.ledger, cpu)->idle_count = 1000 + cpu;
	model_fact_set_u64(&maker->model, FACT_WALKED_32BIT, 321);
	model_fact_set(&maker->model, FACT_TICK_WATCH, "no timers to be seen");
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

/* Adds waits of burn, which runs for the rest of its 10 seconds. */
static int add_waits(struct model_maker *maker)
{
	static const struct {
		enum wait_kind kind;
		uint64_t weight;
	} waits[] = {
		{ WAIT_BLOCKED, 1500000000 },	   { WAIT_BLOCKED_IO, 250000000 },
		{ WAIT_RUNNABLE, 500000000 },	   { WAIT_PREEMPTED, 1000000000 },
		{ WAIT_SHORT_BLOCKED, 200000000 }, { WAIT_SHORT_COUNT, 4000 },
	};
	uint32_t first;

	if (wait_events_add(&maker->model, 1000000, &first) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		struct sample *sample = vec_push(&maker->batch.samples);

		if (!sample)
			return -1;
		*sample = maker->batch.samples.at[0];
		sample->time_ns = MAKER_START_NS + UINT64_C(10000000000);
		sample->event = (uint8_t)(first + waits[i].kind);
		sample->weight = waits[i].weight;
	}
	return 0;
}

static int print_wall(struct model_maker *maker, const char *format)
{
	struct wall_making making;
	struct wall wall = { 0 };
	int rc = add_waits(maker);

	if (rc == 0)
		rc = wall_begin(&making, &maker->model, NULL);
	if (rc < 0)
		return rc;
	wall_batch(&making, &maker->batch);
	rc = wall_end(&making, BY_PROCESS, &wall);
	if (rc == 0 && strcmp(format, "text") == 0)
		rc = wall_as_text(&maker->model, &wall, &style, stdout);
	else if (rc == 0 && strcmp(format, "json") == 0)
		rc = wall_as_json(&maker->model, &wall, &style, stdout);
	else if (rc == 0)
		rc = wall_as_csv(&maker->model, &wall, &style, stdout);
	wall_making_fini(&making);
	wall_fini(&wall);
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
	bool is_screen;
	int rc;

	if (argc < 3)
		return 2;
	model_maker_machine(&maker);
	if (strcmp(argv[2], "hostile") == 0)
		add_hostile(&maker);
	if (strcmp(argv[2], "limited") == 0)
		limit_overhead(&maker);
	if (strcmp(argv[2], "idle") == 0)
		add_idle(&maker);
	if (strcmp(argv[2], "build") == 0) {
		add_build(&maker);
		style = (struct report_style){ .limit = 20,
					       .brief = true,
					       .profiles = 3,
					       .columns = 80,
					       .settings = &names,
					       .sections = SECTIONS_FULL };
	}
	if (argc > 3 && strcmp(argv[3], "wall") == 0) {
		rc = print_wall(&maker, argv[1]);
		model_maker_fini(&maker);
		return rc < 0 || fflush(stdout) != 0;
	}
	is_screen = argc > 3 && strcmp(argv[3], "screen") == 0;
	if (is_screen) {
		style.sections = SECTIONS_FIRST_SCREEN;
		style.next = "The next commands.";
	}
	if (tally_init(&tally, &maker.model, &(struct profile_options){ .by_stack = is_screen },
		       25000, &profile) < 0 ||
	    tally_batch(&tally, &maker.batch) < 0)
		return 1;
	tally_fini(&tally);
	rc = argc > 3 && !is_screen ? print_table(&profile, argv[1], argv[3])
				    : print_overview(&profile, argv[1]);
	profile_fini(&profile);
	model_maker_fini(&maker);
	return rc < 0 || fflush(stdout) != 0;
}
