/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/top.h"

#include <inttypes.h>
#include <stdarg.h>

#include "analyze/lookup.h"
#include "present/escape.h"
#include "present/text.h"

#define LINE_MAX_BYTES 4096

/*
 * Prints a line, cut to at most @columns. The cut is needed because names chosen by hostile
 * programs can be longer than any terminal is wide.
 */
static void print_line(FILE *out, size_t columns, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void print_line(FILE *out, size_t columns, const char *format, ...)
{
	char line[LINE_MAX_BYTES], shown[ESCAPE_CHARACTER_MAX];
	const char *rest = line;
	size_t used = 0;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (;;) {
		size_t wide = escape_next(&rest, shown);

		if (wide == 0 || used + wide > columns)
			break;
		(void)fputs(shown, out);
		used += wide;
	}
	(void)fputc('\n', out);
}

/* Returns @ns as a percentage of the total time of all CPUs in the window. */
static double percent_of_cpus(const struct live_frame *frame, uint64_t ns)
{
	uint64_t cpu_count = frame->profile.cpus.count;

	return percent_of(ns, frame->since.cpu_ns ? frame->since.cpu_ns
						  : frame->span_ns * (cpu_count ? cpu_count : 1));
}

static void print_title(const struct live_frame *frame, const struct top_style *style, FILE *out)
{
	char event[REPORT_LABEL_MAX];

	group_label(&frame->profile, BY_EVENT, frame->table.event, event, sizeof(event));
	print_line(out, style->columns, "%s: %" PRIu64 " samples of %.200s in %.1f s%s",
		   style->title, frame->profile.total_samples[frame->table.event], event,
		   (double)frame->span_ns / 1e9, style->frozen ? "  [frozen]" : "");
}

/*
 * Prints the share of each context, with the rare contexts combined as "other". Idle time is taken
 * from the kernel (/proc/stat) and not computed from samples, because hardware counters stop while
 * a CPU is idle, and an idle virtual CPU may get no timer ticks.
 */
static void print_contexts(const struct live_frame *frame, const struct top_style *style, FILE *out)
{
	const uint64_t *of = frame->contexts;
	uint64_t all = 0, other = of[CONTEXT_NMI] + of[CONTEXT_KERNEL] + of[CONTEXT_KTHREAD];
	char idle[64] = "";

	for (int i = 0; i < CONTEXT_COUNT; i++)
		all += i == CONTEXT_IDLE ? 0 : of[i];
	if (frame->since.cpu_ns)
		(void)snprintf(idle, sizeof(idle), "; CPUs idle %.1f%%, stolen %.1f%%",
			       percent_of_cpus(frame, frame->since.idle_ns),
			       percent_of_cpus(frame, frame->since.steal_ns));
	print_line(
		out, style->columns,
		"user %.0f%% sys %.0f%% fault %.0f%% softirq %.0f%% hardirq %.0f%% other %.0f%%%s",
		percent_of(of[CONTEXT_USER], all), percent_of(of[CONTEXT_SYSCALL], all),
		percent_of(of[CONTEXT_EXCEPTION], all), percent_of(of[CONTEXT_SOFTIRQ], all),
		percent_of(of[CONTEXT_HARDIRQ], all), percent_of(other, all), idle);
}

static void print_health(const struct live_frame *frame, const struct top_style *style, FILE *out)
{
	char lost_text[128] = "lost 0", irq[128] = "interrupts are not timed";
	enum loss most;
	uint64_t lost = live_lost(frame, &most);

	if (lost)
		(void)snprintf(lost_text, sizeof(lost_text), "lost %" PRIu64 " (%s)", lost,
			       loss_name(most));
	if (style->irq_timed)
		(void)snprintf(irq, sizeof(irq), "timed: softirqs %.2f%%, hardirqs %.2f%%",
			       percent_of_cpus(frame, frame->since.softirq_ns),
			       percent_of_cpus(frame, frame->since.hardirq_ns));
	print_line(out, style->columns, "%s; %s; assay %.1f%% CPU", irq, lost_text,
		   percent_of(frame->since.own_cpu_ns, frame->span_ns));
}

static void print_choice(const struct live_frame *frame, const struct top_style *style, FILE *out)
{
	const struct group_table *table = &frame->table;

	print_line(out, style->columns, "%zu of %s%s%s%s%s", table->rows.count,
		   dimension_name(table->by[0]), style->process ? "; only " : "",
		   style->process ? style->process : "", style->names ? "; names like " : "",
		   style->names ? style->names : "");
}

int top_as_text(const struct live_frame *frame, const struct top_style *style, FILE *out)
{
	const struct report_style rows = { .limit = style->rows,
					   .columns = style->columns,
					   .no_weight = true };

	print_title(frame, style, out);
	print_contexts(frame, style, out);
	print_health(frame, style, out);
	print_choice(frame, style, out);
	return table_rows_as_text(&frame->profile, &frame->table, style->first, &rows, out);
}

/* ---- JSON ---- */

int top_as_json(const struct live_frame *frame, size_t rows, FILE *out)
{
	const struct report_style style = { .limit = rows };
	const struct live_point *since = &frame->since;
	struct json json = { .out = out, .one_line = true };

	json_open(&json, NULL, '{');
	json_u64(&json, "version", 1);
	json_u64(&json, "time_ns", since->time_ns);
	json_double(&json, "span_seconds", (double)frame->span_ns / 1e9);
	json_open(&json, "contexts", '{');
	for (int i = 0; i < CONTEXT_COUNT; i++)
		json_u64(&json, context_name((enum context)i), frame->contexts[i]);
	json_close(&json);
	json_double(&json, "cpu_seconds", (double)since->cpu_ns / 1e9);
	json_double(&json, "idle_seconds", (double)since->idle_ns / 1e9);
	json_double(&json, "steal_seconds", (double)since->steal_ns / 1e9);
	json_double(&json, "hardirq_seconds", (double)since->hardirq_ns / 1e9);
	json_double(&json, "softirq_seconds", (double)since->softirq_ns / 1e9);
	json_double(&json, "own_cpu_seconds", (double)since->own_cpu_ns / 1e9);
	json_open(&json, "losses", '{');
	for (int i = 0; i < LOSS_COUNT; i++)
		if (since->losses.count[i])
			json_u64(&json, loss_name((enum loss)i), since->losses.count[i]);
	json_close(&json);
	table_members(&json, &frame->profile, &frame->table, &style);
	json_close(&json);
	return 0;
}
