/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/spans-private.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "present/escape.h"
#include "present/table.h"

#define HISTOGRAMS_MAX 3	/* with more rows, only the first one has a histogram */
#define TOO_SHORT_SHARE 0.1
#define BAR_WIDTH 40
#define BAR_ROWS_MAX 24
#define FEW_ROWS_MAX 10	/* of a histogram of few spans */
#define FEW_SPANS 100

static const char *const share_names[] = { "p50", "p90", "p99", "p99.9" };

static const char *const miss_texts[SPAN_MISSES] = {
	[SPAN_OPEN] = "did not return: longjmp, an exception, or their task ended",
	[SPAN_NO_ENTRY] = "returned, but had begun before",
	[SPAN_TOO_DEEP] = "could not be timed: in 64 timed calls already",
	[SPAN_NO_MEMORY] = "could not be timed: the kernel had no memory",
};

/* Of spans from one point to another. */
static const char *const joined_miss_texts[SPAN_MISSES] = {
	[SPAN_OPEN] = "did not end before the next one with the same key began",
	[SPAN_NO_ENTRY] = "ended, but had not begun: only the second point was passed",
	[SPAN_TOO_DEEP] = "could not be timed",
	[SPAN_NO_MEMORY] = "could not be timed: too many had begun and not ended",
};

void spans_ns(double ns, char ret_text[static SPANS_NS_MAX])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;
	int decimals;

	for (; unit < 3 && ns >= 999.5; unit++)
		ns /= 1000;
	decimals = ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2;
	if (unit == 0 && ns == floor(ns))
		decimals = 0;
	if (!isfinite(ns))
		(void)snprintf(ret_text, SPANS_NS_MAX, "?");
	else if (ns > 99999999)
		(void)snprintf(ret_text, SPANS_NS_MAX, "%.3g %s", ns, units[unit]);
	else
		(void)snprintf(ret_text, SPANS_NS_MAX, "%.*f %s", decimals, ns, units[unit]);
}

/* Writes a number as it is, or with a unit such as k if it is large. */
static void put_number(double number, char ret_text[static SPANS_NS_MAX])
{
	static const char *const units[] = { "", " k", " M", " G", " T", " P", " E" };
	size_t unit = 0;

	if (!isfinite(number)) {
		(void)snprintf(ret_text, SPANS_NS_MAX, "?");
	} else if (number < 99999.5) {
		(void)snprintf(ret_text, SPANS_NS_MAX, number == floor(number) ? "%.0f" : "%.1f",
			       number);
	} else {
		for (; unit < 6 && number >= 999.5; unit++)
			number /= 1000;
		(void)snprintf(ret_text, SPANS_NS_MAX, "%.3g%s", number, units[unit]);
	}
}

/* A duration, or a value that is measured. */
static void put_amount(const struct spans_print *print, double amount,
		       char ret_text[static SPANS_NS_MAX])
{
	if (print->value)
		put_number(amount, ret_text);
	else
		spans_ns(amount, ret_text);
}

static const char *image_of(const struct span_row *row)
{
	const char *slash = strrchr(row->image, '/');

	switch (row->kind) {
	case SPAN_SYSTEM_CALL:
		return "syscall";
	case SPAN_KERNEL_FUNCTION:
		return "kernel";
	default:
		return slash ? slash + 1 : row->image;
	}
}

/* As the user can type it. */
static void put_label(const struct span_row *row, FILE *out)
{
	escape_text(out, image_of(row));
	if (row->kind != SPAN_JOINED)
		(void)fputc(':', out);
	escape_text(out, row->name);
}

/* What was subtracted from each call: its own probes, and those of the calls inside it. */
static double probes_mean_ns(const struct span_row *row)
{
	double nested_ns = row->times.count ? row->times.probes_ns / (double)row->times.count : 0;

	return (double)row->inside_ns + nested_ns;
}

/* Returns true if what is left after the subtraction is within the noise of the probes. */
static bool is_too_short(const struct span_row *row)
{
	return row->inside_ns && row->times.count &&
	       span_mean_ns(&row->times) < TOO_SHORT_SHARE * probes_mean_ns(row);
}

/* ---- text ---- */

void spans_ns_cell(struct table *table, double ns)
{
	char text[SPANS_NS_MAX];

	spans_ns(ns, text);
	table_cell(table, "%s", text);
}

static void amount_cell(struct table *table, const struct spans_print *print, double amount)
{
	char text[SPANS_NS_MAX];

	put_amount(print, amount, text);
	table_cell(table, "%s", text);
}

static void wait_cells(struct table *table, const struct span_row *row)
{
	if (row->kind == SPAN_JOINED || !row->times.count) {
		for (int i = 0; i < 3; i++)
			table_cell(table, "-");
		return;
	}
	spans_ns_cell(table, spans_on_cpu_ns(&row->times));
	spans_ns_cell(table, row->times.run_queue_ns);
	spans_ns_cell(table, spans_blocked_ns(&row->times));
}

/* Rates of calls are left out: few of them are of use, and the table is wide. */
static bool shows_ratio(const struct spans_print *print, size_t counter,
			struct counter_ratio *ret_ratio)
{
	return spans_ratio(print, counter, ret_ratio) &&
	       (ret_ratio->unit == RATIO_PLAIN || ret_ratio->unit == RATIO_PERCENT);
}

/* A mean such as 1200 or 0.25. */
static void put_mean(double mean, bool is_time, char ret_text[static SPANS_NS_MAX])
{
	if (isnan(mean))
		(void)snprintf(ret_text, SPANS_NS_MAX, "-");
	else if (is_time)
		spans_ns(mean, ret_text);
	else if (mean >= 99999.5)
		put_number(mean, ret_text);
	else
		(void)snprintf(ret_text, SPANS_NS_MAX, "%.*f", mean >= 99.95 ? 0 : 2, mean);
}

static void mean_cell(struct table *table, double mean, bool is_time)
{
	char text[SPANS_NS_MAX];

	put_mean(mean, is_time, text);
	table_cell(table, "%s", text);
}

static void ratio_cell(struct table *table, double count, const char *unit)
{
	if (isnan(count))
		table_cell(table, "-");
	else
		table_cell(table, "%.*f%s", count >= 99.95 ? 0 : 2, count, unit);
}

/* Of one call, as most other columns. */
static void counter_cells(struct table *table, const struct spans_print *print,
			  const struct span_row *row)
{
	bool has = row->kind != SPAN_JOINED;
	struct counter_ratio ratio;

	for (size_t i = 0; i < print->counter_count; i++)
		mean_cell(table, has ? span_mean_count(&row->times, i) : NAN,
			  print->counter_kinds[i].is_time);
	if (print->also_value)
		mean_cell(table, has ? spans_mean_value(&row->times) : NAN, false);
	for (size_t i = 0; i < print->counter_count; i++)
		if (shows_ratio(print, i, &ratio))
			ratio_cell(table, has ? spans_ratio_value(&ratio, &row->times) : NAN,
				   ratio.unit == RATIO_PERCENT ? "%" : "");
}

static void time_cells(struct table *table, const struct spans_print *print,
		       const struct span_times *times)
{
	const double ns[] = {
		span_mean_ns(times),
		span_deviation_ns(times),
		(double)times->least_ns,
		span_percentile(times, 0.5).ns,
		span_percentile(times, 0.99).ns,
		(double)times->most_ns,
	};

	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
		if (times->count)
			amount_cell(table, print, ns[i]);
		else
			table_cell(table, "-");
}

static void add_row(struct table *table, const struct spans_print *print,
		    const struct span_row *row)
{
	char group[SPANS_GROUP_MAX];

	table_cell(table, "%" PRIu64, row->times.count);
	if (row->times.count)
		amount_cell(table, print, row->times.total_ns);
	else
		table_cell(table, "-");
	if (print->waits)
		wait_cells(table, row);
	if (print->interrupts && row->kind != SPAN_JOINED && row->times.count)
		spans_ns_cell(table, row->times.counts[SPAN_INTERRUPTS]);
	else if (print->interrupts)
		table_cell(table, "-");
	counter_cells(table, print, row);
	time_cells(table, print, &row->times);
	if (print->by)
		table_cell(table, "%s", spans_group_text(print->by, row, group));
	if (print->by_second)
		table_cell(table, "%s", spans_second_text(row, group));
	table_cell(table, "%s%s%s", image_of(row), row->kind == SPAN_JOINED ? "" : ":", row->name);
}

static size_t shown_count(const struct spans_print *print, const struct spans_show *show)
{
	return print->limit && print->limit < show->row_count ? print->limit : show->row_count;
}

static void add_columns(struct table_column *columns, size_t *count,
			const struct table_column *more, size_t more_count)
{
	for (size_t i = 0; i < more_count; i++)
		columns[(*count)++] = more[i];
}

static void add_counter_columns(const struct spans_print *print, struct table_column *columns,
				size_t *count)
{
	struct counter_ratio ratio;

	for (size_t i = 0; i < print->counter_count; i++)
		columns[(*count)++] = (struct table_column)RIGHT(print->counter_names[i]);
	if (print->also_value)
		columns[(*count)++] = (struct table_column)RIGHT(print->also_value);
	for (size_t i = 0; i < print->counter_count; i++)
		if (shows_ratio(print, i, &ratio))
			columns[(*count)++] = (struct table_column)RIGHT(ratio.name);
}

static int put_table(const struct spans_print *print, const struct spans_show *show)
{
	static const struct table_column begin[] = { RIGHT("calls"), RIGHT("total") };
	static const struct table_column waits[] = { RIGHT("on CPU"), RIGHT("runnable"),
						     RIGHT("blocked") };
	static const struct table_column interrupts = RIGHT("interrupts");
	static const struct table_column times[] = { RIGHT("mean"), RIGHT("deviation"),
						     RIGHT("min"),  RIGHT("p50"),
						     RIGHT("p99"),  RIGHT("max") };
	const struct table_column by[] = { LEFT(print->by_name), LEFT(print->by_second) };
	const struct table_column last = LEFT("function");
	size_t by_count = print->by_second ? 2 : print->by ? 1 : 0;
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table table = { .columns = columns, .width = print->width };
	int rc;

	add_columns(columns, &table.column_count, begin, 2);
	add_columns(columns, &table.column_count, waits, print->waits ? 3 : 0);
	add_columns(columns, &table.column_count, &interrupts, print->interrupts ? 1 : 0);
	add_counter_columns(print, columns, &table.column_count);
	add_columns(columns, &table.column_count, times, 6);
	add_columns(columns, &table.column_count, by, by_count);
	add_columns(columns, &table.column_count, &last, 1);
	for (size_t i = 0; i < shown_count(print, show); i++)
		add_row(&table, print, &show->rows[i]);
	rc = table_print(&table, print->out);
	if (shown_count(print, show) < show->row_count)
		(void)fprintf(print->out, "and %zu more\n",
			      show->row_count - shown_count(print, show));
	return rc;
}

static void put_title(const struct spans_print *print, const struct span_row *row, FILE *out)
{
	char group[SPANS_GROUP_MAX];

	(void)fputc('\n', out);
	put_label(row, out);
	if (print->by) {
		(void)fprintf(out, ", %s ", print->by_name);
		escape_text(out, spans_group_text(print->by, row, group));
	}
	if (print->by_second)
		(void)fprintf(out, ", %s %s", print->by_second, spans_second_text(row, group));
	(void)fputc('\n', out);
}

static void put_percentiles(const struct spans_print *print, const struct span_times *times,
			    FILE *out)
{
	for (size_t i = 0; i < SPANS_SHARES; i++) {
		struct span_percentile percentile = span_percentile(times, spans_shares[i]);
		char ns[SPANS_NS_MAX], low[SPANS_NS_MAX], high[SPANS_NS_MAX];

		put_amount(print, percentile.ns, ns);
		put_amount(print, percentile.low_ns, low);
		put_amount(print, percentile.high_ns, high);
		(void)fprintf(out, "  %-6s %9s  [%s - %s]\n", share_names[i], ns, low,
			      percentile.is_known ? high : "not known: too few");
	}
}

/* Joins buckets until they fit: by powers of two if there are many. */
static void put_histogram(const struct spans_print *print, const struct span_times *times,
			  FILE *out)
{
	uint32_t first = 0, last = SPAN_BUCKETS - 1, step = 1;
	uint64_t most = 0;

	while (first < last && !times->buckets[first])
		first++;
	while (last > first && !times->buckets[last])
		last--;
	while ((last - first) / step >= (times->count < FEW_SPANS ? FEW_ROWS_MAX : BAR_ROWS_MAX))
		step *= 2;
	first -= first % step;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t at = first; at <= last; at += step) {
			uint64_t count = 0;
			char start[SPANS_NS_MAX];
			int width;

			for (uint32_t i = at; i < at + step && i < SPAN_BUCKETS; i++)
				count += times->buckets[i];
			if (count > most)
				most = count;
			if (pass == 0)
				continue;
			put_amount(print, (double)span_bucket_start_ns(at), start);
			width = (int)ceil((double)count * BAR_WIDTH / (double)most);
			(void)fprintf(out, "  %9s |%-*.*s| %" PRIu64 "\n", start, BAR_WIDTH, width,
				      "########################################", count);
		}
}

/* One amount of a call, on average: of all, and of slow ones. */
static void put_comparison(const char *name, double all, double slow, bool is_time, FILE *out)
{
	char all_text[SPANS_NS_MAX], slow_text[SPANS_NS_MAX];

	put_mean(all, is_time, all_text);
	put_mean(slow, is_time, slow_text);
	(void)fprintf(out, "  %12s %12s  ", all_text, slow_text);
	escape_text(out, name);
	(void)fputc('\n', out);
}

static double each(double total, const struct span_times *times)
{
	return times->count ? total / (double)times->count : NAN;
}

/* What the slow calls that were recorded have, and what all calls have. */
static void put_slow_amounts(const struct spans_print *print, const struct span_row *row, FILE *out)
{
	const struct span_times *all = &row->times, *slow = row->slow;

	(void)fprintf(out, "  %12s %12s  of each, on average\n", "all calls", "slow ones");
	put_comparison("time", span_mean_ns(all), span_mean_ns(slow), true, out);
	if (print->waits) {
		put_comparison("on CPU", each(spans_on_cpu_ns(all), all),
			       each(spans_on_cpu_ns(slow), slow), true, out);
		put_comparison("runnable", each(all->run_queue_ns, all),
			       each(slow->run_queue_ns, slow), true, out);
		put_comparison("blocked", each(spans_blocked_ns(all), all),
			       each(spans_blocked_ns(slow), slow), true, out);
	}
	if (print->interrupts)
		put_comparison("interrupts", span_mean_count(all, SPAN_INTERRUPTS),
			       span_mean_count(slow, SPAN_INTERRUPTS), true, out);
	for (size_t i = 0; i < print->counter_count; i++)
		put_comparison(print->counter_names[i], span_mean_count(all, i),
			       span_mean_count(slow, i), print->counter_kinds[i].is_time, out);
	if (print->also_value)
		put_comparison(print->also_value, spans_mean_value(all), spans_mean_value(slow),
			       false, out);
}

/* Writes "  1 call " or "  2 calls ", where @what is "calls". */
static void put_counted(double count, const char *what, FILE *out)
{
	int length = (int)strlen(what);

	(void)fprintf(out, "  %.0f %.*s ", count, round(count) == 1 ? length - 1 : length, what);
}

static void put_slow(const struct spans_print *print, const struct span_row *row, const char *what,
		     FILE *out)
{
	char limit[SPANS_NS_MAX];

	spans_ns((double)row->slow_ns, limit);
	put_counted(row->slow_count, what, out);
	(void)fprintf(out, "%s slow: at least %s, with the probes",
		      round(row->slow_count) == 1 ? "is" : "are", limit);
	if (!row->slow || row->kind == SPAN_JOINED) {
		(void)fputc('\n', out);
		return;
	}
	(void)fprintf(out, "; recorded: %" PRIu64 "\n", row->slow->count);
	put_slow_amounts(print, row, out);
}

static void put_notes(const struct spans_print *print, const struct span_row *row, FILE *out)
{
	const struct span_times *times = &row->times;
	bool is_joined = row->kind == SPAN_JOINED;
	const char *const *texts = is_joined ? joined_miss_texts : miss_texts;
	const char *what = !is_joined ? "calls" : print->value ? "hits" : "spans";
	char inside[SPANS_NS_MAX];

	spans_ns(probes_mean_ns(row), inside);
	if (is_too_short(row))
		(void)fprintf(
			out,
			"  the %s are too short to be timed: the probes alone seem to take %s\n",
			what, inside);
	if (row->slow_ns)
		put_slow(print, row, what, out);
	if (times->no_amount) {
		put_counted((double)times->no_amount, what, out);
		(void)fputs("had a value below 0, such as an error, or one that looks like an "
			    "address\n",
			    out);
	}
	if (times->incomplete) {
		put_counted((double)times->incomplete, what, out);
		(void)fputs("could not be counted in full: a CPU did not count, or the kernel did "
			    "not tell that a thread ran again\n",
			    out);
	}
	for (size_t i = 0; i < SPAN_MISSES; i++)
		if (times->misses[i]) {
			put_counted((double)times->misses[i], what, out);
			(void)fprintf(out, "%s\n", texts[i]);
		}
}

int spans_as_text(const struct spans_print *print, const struct spans_show *show)
{
	size_t count = shown_count(print, show);
	size_t histograms = count <= HISTOGRAMS_MAX ? count : 1;
	int rc = put_table(print, show);

	for (size_t i = 0; i < count; i++) {
		const struct span_times *times = &show->rows[i].times;
		bool has_notes = is_too_short(&show->rows[i]) || show->rows[i].slow_ns ||
				 times->incomplete || times->no_amount;

		for (size_t k = 0; k < SPAN_MISSES; k++)
			has_notes |= times->misses[k] != 0;
		if (!has_notes && (i >= histograms || !times->count))
			continue;
		put_title(print, &show->rows[i], print->out);
		if (i < histograms && times->count) {
			put_percentiles(print, times, print->out);
			put_histogram(print, times, print->out);
		}
		put_notes(print, &show->rows[i], print->out);
	}
	return rc;
}

int spans_interval_as_text(const struct spans_print *print, const struct spans_show *show)
{
	(void)fprintf(print->out, "after %.3f s:\n", show->time_seconds);
	return put_table(print, show);
}
