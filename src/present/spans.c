/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/spans.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "present/escape.h"
#include "present/json.h"
#include "present/table.h"

#define HISTOGRAMS_MAX 3	/* with more rows, only the first one has a histogram */
#define TOO_SHORT_SHARE 0.1
#define BAR_WIDTH 40
#define BAR_ROWS_MAX 24

static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };
static const char *const share_names[] = { "p50", "p90", "p99", "p99.9" };
static const char *const share_keys[] = { "p50", "p90", "p99", "p999" };

#define SHARE_COUNT (sizeof(shares) / sizeof(shares[0]))

static const char *const miss_keys[SPAN_MISSES] = {
	[SPAN_OPEN] = "open",
	[SPAN_NO_ENTRY] = "no_entry",
	[SPAN_TOO_DEEP] = "too_deep",
	[SPAN_NO_MEMORY] = "no_memory",
};

static const char *const miss_texts[SPAN_MISSES] = {
	[SPAN_OPEN] = "did not return: longjmp, an exception, or their task ended",
	[SPAN_NO_ENTRY] = "returned, but had begun before, or in the parent of a fork",
	[SPAN_TOO_DEEP] = "were not timed: their task was in 64 timed calls already",
	[SPAN_NO_MEMORY] = "were not timed: the kernel had no memory",
};

/* Of spans from one point to another. */
static const char *const joined_miss_texts[SPAN_MISSES] = {
	[SPAN_OPEN] = "did not end before the next one with the same key began",
	[SPAN_NO_ENTRY] = "ended, but had not begun: only the second point was passed",
	[SPAN_TOO_DEEP] = "were not timed",
	[SPAN_NO_MEMORY] = "were not timed: too many had begun and not ended",
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
	return row->times.count &&
	       span_mean_ns(&row->times) < TOO_SHORT_SHARE * probes_mean_ns(row);
}

/* ---- text ---- */

static void ns_cell(struct table *table, double ns)
{
	char text[SPANS_NS_MAX];

	spans_ns(ns, text);
	table_cell(table, "%s", text);
}

static void add_row(struct table *table, const struct span_row *row)
{
	const struct span_times *times = &row->times;

	table_cell(table, "%" PRIu64, times->count);
	if (times->count) {
		ns_cell(table, times->total_ns);
		ns_cell(table, span_mean_ns(times));
		ns_cell(table, span_deviation_ns(times));
		ns_cell(table, (double)times->least_ns);
		ns_cell(table, span_percentile(times, 0.5).ns);
		ns_cell(table, span_percentile(times, 0.99).ns);
		ns_cell(table, (double)times->most_ns);
	} else {
		for (int i = 0; i < 7; i++)
			table_cell(table, "-");
	}
	table_cell(table, "%s%s%s", image_of(row), row->kind == SPAN_JOINED ? "" : ":", row->name);
}

static int put_table(const struct spans_print *print, size_t count, FILE *out)
{
	static const struct table_column columns[] = {
		RIGHT("calls"), RIGHT("total"), RIGHT("mean"), RIGHT("deviation"), RIGHT("min"),
		RIGHT("p50"),	RIGHT("p99"),	RIGHT("max"),  LEFT("function"),
	};
	struct table table = {
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(columns[0]),
		.width = print->width,
	};

	for (size_t i = 0; i < count; i++)
		add_row(&table, &print->rows[i]);
	return table_print(&table, out);
}

static void put_title(const struct span_row *row, FILE *out)
{
	(void)fputc('\n', out);
	put_label(row, out);
	(void)fputc('\n', out);
}

static void put_percentiles(const struct span_times *times, FILE *out)
{
	for (size_t i = 0; i < SHARE_COUNT; i++) {
		struct span_percentile percentile = span_percentile(times, shares[i]);
		char ns[SPANS_NS_MAX], low[SPANS_NS_MAX], high[SPANS_NS_MAX];

		spans_ns(percentile.ns, ns);
		spans_ns(percentile.low_ns, low);
		spans_ns(percentile.high_ns, high);
		(void)fprintf(out, "  %-6s %9s  [%s - %s]\n", share_names[i], ns, low,
			      percentile.is_known ? high : "not known: too few");
	}
}

/* Joins buckets until they fit: by powers of two if there are many. */
static void put_histogram(const struct span_times *times, FILE *out)
{
	uint32_t first = 0, last = SPAN_BUCKETS - 1, step = 1;
	uint64_t most = 0;

	while (first < last && !times->buckets[first])
		first++;
	while (last > first && !times->buckets[last])
		last--;
	while ((last - first) / step >= BAR_ROWS_MAX)
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
			spans_ns((double)span_bucket_start_ns(at), start);
			width = (int)ceil((double)count * BAR_WIDTH / (double)most);
			(void)fprintf(out, "  %9s |%-*.*s| %" PRIu64 "\n", start, BAR_WIDTH, width,
				      "########################################", count);
		}
}

static void put_notes(const struct span_row *row, FILE *out)
{
	const struct span_times *times = &row->times;
	bool is_joined = row->kind == SPAN_JOINED;
	const char *const *texts = is_joined ? joined_miss_texts : miss_texts;
	const char *what = is_joined ? "spans" : "calls";
	char inside[SPANS_NS_MAX];

	spans_ns(probes_mean_ns(row), inside);
	if (is_too_short(row))
		(void)fprintf(
			out,
			"  the %s are too short to be timed: the probes alone seem to take %s\n",
			what, inside);
	for (size_t i = 0; i < SPAN_MISSES; i++)
		if (times->misses[i])
			(void)fprintf(out, "  %" PRIu64 " %s %s\n", times->misses[i], what,
				      texts[i]);
}

static int put_text(const struct spans_print *print, FILE *out)
{
	size_t count = print->limit && print->limit < print->row_count ? print->limit
								       : print->row_count;
	size_t histograms = count <= HISTOGRAMS_MAX ? count : 1;
	int rc = put_table(print, count, out);

	if (count < print->row_count)
		(void)fprintf(out, "and %zu more\n", print->row_count - count);
	for (size_t i = 0; i < count; i++) {
		const struct span_times *times = &print->rows[i].times;
		bool has_notes = is_too_short(&print->rows[i]);

		for (size_t k = 0; k < SPAN_MISSES; k++)
			has_notes |= times->misses[k] != 0;
		if (!has_notes && (i >= histograms || !times->count))
			continue;
		put_title(&print->rows[i], out);
		if (i < histograms && times->count) {
			put_percentiles(times, out);
			put_histogram(times, out);
		}
		put_notes(&print->rows[i], out);
	}
	return rc;
}

/* ---- for programs ---- */

static void put_json_row(struct json *json, const struct span_row *row)
{
	const struct span_times *times = &row->times;

	json_open(json, NULL, '{');
	json_string(json, "image", row->image);
	json_string(json, "function", row->name);
	json_u64(json, "calls", times->count);
	json_double(json, "total_ns", times->total_ns);
	json_double(json, "mean_ns", times->count ? span_mean_ns(times) : NAN);
	json_double(json, "deviation_ns", times->count > 1 ? span_deviation_ns(times) : NAN);
	json_double(json, "min_ns", times->count ? (double)times->least_ns : NAN);
	json_double(json, "max_ns", times->count ? (double)times->most_ns : NAN);
	for (size_t i = 0; i < SHARE_COUNT; i++) {
		struct span_percentile percentile = span_percentile(times, shares[i]);

		json_open(json, share_keys[i], '{');
		json_double(json, "ns", times->count ? percentile.ns : NAN);
		json_double(json, "low_ns", times->count ? percentile.low_ns : NAN);
		json_double(json, "high_ns", percentile.is_known ? percentile.high_ns : NAN);
		json_close(json);
	}
	json_u64(json, "subtracted_ns", row->inside_ns);
	json_double(json, "nested_subtracted_ns", times->probes_ns);
	for (size_t i = 0; i < SPAN_MISSES; i++)
		json_u64(json, miss_keys[i], times->misses[i]);
	json_open(json, "histogram", '[');
	for (uint32_t i = 0; i < SPAN_BUCKETS; i++) {
		if (!times->buckets[i])
			continue;
		json_open(json, NULL, '{');
		json_u64(json, "from_ns", span_bucket_start_ns(i));
		json_u64(json, "below_ns", span_bucket_start_ns(i + 1));
		json_u64(json, "calls", times->buckets[i]);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void put_json(const struct spans_print *print, FILE *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_double(&json, "seconds", print->time_seconds);
	json_open(&json, "spans", '[');
	for (size_t i = 0; i < print->row_count; i++)
		put_json_row(&json, &print->rows[i]);
	json_close(&json);
	json_close(&json);
}

static void put_csv(const struct spans_print *print, FILE *out)
{
	(void)fprintf(out,
		      "image,function,calls,total_ns,mean_ns,deviation_ns,min_ns,p50_ns,p90_ns,"
		      "p99_ns,p999_ns,max_ns,open,no_entry,too_deep,no_memory\n");
	for (size_t i = 0; i < print->row_count; i++) {
		const struct span_row *row = &print->rows[i];
		const struct span_times *times = &row->times;

		escape_csv(out, row->image);
		(void)fputc(',', out);
		escape_csv(out, row->name);
		(void)fprintf(out, ",%" PRIu64 ",%.0f,%.1f,%.1f,%" PRIu64, times->count,
			      times->total_ns, span_mean_ns(times), span_deviation_ns(times),
			      times->least_ns);
		for (size_t k = 0; k < SHARE_COUNT; k++)
			(void)fprintf(out, ",%.0f", span_percentile(times, shares[k]).ns);
		(void)fprintf(out, ",%" PRIu64, times->most_ns);
		for (size_t k = 0; k < SPAN_MISSES; k++)
			(void)fprintf(out, ",%" PRIu64, times->misses[k]);
		(void)fputc('\n', out);
	}
}

int spans_print(const struct spans_print *print, FILE *out)
{
	if (print->format == SPANS_TEXT)
		return put_text(print, out);
	if (print->format == SPANS_JSON)
		put_json(print, out);
	else
		put_csv(print, out);
	return 0;
}
