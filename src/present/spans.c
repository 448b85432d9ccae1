/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/spans-private.h"

#include <inttypes.h>
#include <math.h>

#include "present/escape.h"

const double spans_shares[SPANS_SHARES] = { 0.5, 0.9, 0.99, 0.999 };

static const char *const share_keys[SPANS_SHARES] = { "p50", "p90", "p99", "p999" };

static const char *const miss_keys[SPAN_MISSES] = {
	[SPAN_OPEN] = "open",
	[SPAN_NO_ENTRY] = "no_entry",
	[SPAN_TOO_DEEP] = "too_deep",
	[SPAN_NO_MEMORY] = "no_memory",
};

/* ---- on and off a CPU ---- */

/* The probes are subtracted from the whole; the waits had none. */
double spans_on_cpu_ns(const struct span_times *times)
{
	return fmax(times->total_ns - times->off_ns, 0);
}

double spans_blocked_ns(const struct span_times *times)
{
	return fmax(times->off_ns - times->run_queue_ns, 0);
}

/* ---- counters ---- */

bool spans_ratio(const struct spans_print *print, size_t counter, struct counter_ratio *ret_ratio)
{
	return counter_ratio_find(print->counter_kinds, print->counter_count, counter,
				  print->counter_count, ret_ratio);
}

double spans_ratio_value(const struct counter_ratio *ratio, const struct span_times *times)
{
	return counter_ratio_value(ratio, times->counts[ratio->of], times->counts[ratio->by]);
}

double spans_mean_value(const struct span_times *times)
{
	uint64_t count = times->count > times->no_amount ? times->count - times->no_amount : 0;

	return count ? times->values / (double)count : NAN;
}

/* ---- groups ---- */

/* Small numbers are signed, as results are; others are likely to be addresses. */
static void group_value(uint64_t value, char ret_text[static SPANS_GROUP_MAX])
{
	int64_t number = span_signed(value);

	if (number == (int32_t)number || value <= UINT32_MAX)
		(void)snprintf(ret_text, SPANS_GROUP_MAX, "%" PRId64, number);
	else
		(void)snprintf(ret_text, SPANS_GROUP_MAX, "0x%" PRIx64, value);
}

const char *spans_group_text(enum span_by by, const struct span_row *row,
			     char text[static SPANS_GROUP_MAX])
{
	const struct span_group *group = row->group;
	static const char *const signs[] = { "negative", "0", "positive" };
	int comm_bytes = (int)SPAN_COMM_BYTES;

	if (!group)
		return row->times.count ? "(others)" : "";
	switch (by) {
	case SPAN_BY_CALLER:
	case SPAN_BY_CGROUP:
		return row->group_name;
	case SPAN_BY_SIGN:
		return signs[(int64_t)group->id + 1];
	case SPAN_BY_APPLICATION:
		(void)snprintf(text, SPANS_GROUP_MAX, "%.*s", comm_bytes, group->comm);
		break;
	case SPAN_BY_PROCESS:
	case SPAN_BY_THREAD:
		(void)snprintf(text, SPANS_GROUP_MAX, "%.*s %" PRIu64, comm_bytes, group->comm,
			       group->id);
		break;
	default:
		group_value(group->id, text);
	}
	return text;
}

const char *spans_second_text(const struct span_row *row, char text[static SPANS_GROUP_MAX])
{
	if (!row->group)
		return "";
	group_value(row->group->second, text);
	return text;
}

/* ---- JSON ---- */

static void put_json_group(struct json *json, const struct spans_print *print,
			   const struct span_row *row)
{
	char text[SPANS_GROUP_MAX];

	json_open(json, "group", '{');
	if (row->group && print->by != SPAN_BY_APPLICATION) {
		const char *value = text;

		if (print->by == SPAN_BY_SIGN || row->group_name)
			value = spans_group_text(print->by, row, text);
		else
			group_value(row->group->id, text);
		json_string(json, print->by_name, value);
		if (print->by_second)
			json_string(json, print->by_second, spans_second_text(row, text));
	}
	if (row->group && print->by <= SPAN_BY_THREAD) {
		(void)snprintf(text, sizeof(text), "%.*s", (int)SPAN_COMM_BYTES, row->group->comm);
		json_string(json, "name", text);
	}
	json_close(json);
}

static bool counts_anything(const struct spans_print *print)
{
	return print->interrupts || print->counter_count;
}

static void put_json_counter(struct json *json, const struct spans_print *print,
			     const struct span_times *times, size_t i)
{
	struct counter_ratio ratio;

	json_open(json, print->counter_names[i], '{');
	json_double(json, "total", times->counts[i]);
	json_double(json, "per_call", span_mean_count(times, i));
	if (spans_ratio(print, i, &ratio))
		json_double(json, ratio.name, spans_ratio_value(&ratio, times));
	json_close(json);
}

static void put_json_value(struct json *json, const struct spans_print *print,
			   const struct span_times *times)
{
	json_open(json, print->also_value, '{');
	json_double(json, "total", times->values);
	json_double(json, "per_call", spans_mean_value(times));
	json_u64(json, "no_amount", times->no_amount);
	json_close(json);
}

/* Values that are not known are null. */
static void put_json_counters(struct json *json, const struct spans_print *print,
			      const struct span_times *times)
{
	if (print->interrupts)
		json_double(json, "interrupts_ns", times->counts[SPAN_INTERRUPTS]);
	if (counts_anything(print))
		json_u64(json, "incomplete_calls", times->incomplete);
	if (!print->counter_count && !print->also_value)
		return;
	json_open(json, "counters", '{');
	for (size_t i = 0; i < print->counter_count; i++)
		put_json_counter(json, print, times, i);
	if (print->also_value)
		put_json_value(json, print, times);
	json_close(json);
}

static void put_json_amounts(struct json *json, const struct spans_print *print,
			     const struct span_times *times)
{
	if (print->waits) {
		json_double(json, "on_cpu_ns", spans_on_cpu_ns(times));
		json_double(json, "runnable_ns", times->run_queue_ns);
		json_double(json, "blocked_ns", spans_blocked_ns(times));
	}
	put_json_counters(json, print, times);
}

static void put_json_slow(struct json *json, const struct spans_print *print,
			  const struct span_row *row)
{
	json_u64(json, "slow_ns", row->slow_ns);
	json_double(json, "slow_calls", row->slow_count);
	if (!row->slow)
		return;
	json_open(json, "slow", '{');
	json_u64(json, "recorded", row->slow->count);
	json_double(json, "total_ns", row->slow->total_ns);
	if (row->kind != SPAN_JOINED)
		put_json_amounts(json, print, row->slow);
	json_close(json);
}

/* The names of durations, or of values. */
static const char *key_of(const struct spans_print *print, const char *duration, const char *value)
{
	return print->value ? value : duration;
}

static void put_json_percentiles(struct json *json, const struct spans_print *print,
				 const struct span_times *times)
{
	for (size_t i = 0; i < SPANS_SHARES; i++) {
		struct span_percentile percentile = span_percentile(times, spans_shares[i]);

		json_open(json, share_keys[i], '{');
		json_double(json, key_of(print, "ns", "value"), times->count ? percentile.ns : NAN);
		json_double(json, key_of(print, "low_ns", "low"),
			    times->count ? percentile.low_ns : NAN);
		json_double(json, key_of(print, "high_ns", "high"),
			    percentile.is_known ? percentile.high_ns : NAN);
		json_close(json);
	}
}

static void put_json_histogram(struct json *json, const struct spans_print *print,
			       const struct span_times *times)
{
	json_open(json, "histogram", '[');
	for (uint32_t i = 0; i < SPAN_BUCKETS; i++) {
		if (!times->buckets[i])
			continue;
		json_open(json, NULL, '{');
		json_u64(json, key_of(print, "from_ns", "from"), span_bucket_start_ns(i));
		json_u64(json, key_of(print, "below_ns", "below"), span_bucket_start_ns(i + 1));
		json_u64(json, "calls", times->buckets[i]);
		json_close(json);
	}
	json_close(json);
}

static void put_json_row(struct json *json, const struct spans_print *print,
			 const struct span_row *row)
{
	const struct span_times *times = &row->times;

	json_open(json, NULL, '{');
	json_string(json, "image", row->image);
	json_string(json, "function", row->name);
	if (print->by)
		put_json_group(json, print, row);
	json_u64(json, "calls", times->count);
	json_double(json, key_of(print, "total_ns", "total"), times->total_ns);
	if (row->kind != SPAN_JOINED)
		put_json_amounts(json, print, times);
	json_double(json, key_of(print, "mean_ns", "mean"),
		    times->count ? span_mean_ns(times) : NAN);
	json_double(json, key_of(print, "deviation_ns", "deviation"),
		    times->count > 1 ? span_deviation_ns(times) : NAN);
	json_double(json, key_of(print, "min_ns", "min"),
		    times->count ? (double)times->least_ns : NAN);
	json_double(json, key_of(print, "max_ns", "max"),
		    times->count ? (double)times->most_ns : NAN);
	put_json_percentiles(json, print, times);
	if (print->value) {
		json_string(json, "value", print->value);
		json_u64(json, "no_amount", times->no_amount);
	} else {
		json_u64(json, "subtracted_ns", row->inside_ns);
		json_double(json, "nested_subtracted_ns", times->probes_ns);
	}
	for (size_t i = 0; i < SPAN_MISSES; i++)
		json_u64(json, miss_keys[i], times->misses[i]);
	if (row->slow_ns)
		put_json_slow(json, print, row);
	put_json_histogram(json, print, times);
	json_close(json);
}

void spans_json_members(struct json *json, const struct spans_print *print,
			const struct span_row *rows, size_t count)
{
	json_open(json, "spans", '[');
	for (size_t i = 0; i < count; i++)
		put_json_row(json, print, &rows[i]);
	json_close(json);
}

static void put_json(struct spans_print *print, const struct spans_show *show)
{
	struct json *json = &print->json;

	json_open(json, NULL, '{');
	json_double(json, "seconds", show->time_seconds);
	spans_json_members(json, print, show->rows, show->row_count);
	json_close(json);
}

/* ---- CSV ---- */

static void put_csv_group(const struct spans_print *print, const struct span_row *row)
{
	char group[SPANS_GROUP_MAX];

	if (!print->by)
		return;
	(void)fputc(',', print->out);
	escape_csv(print->out, spans_group_text(print->by, row, group));
	if (!print->by_second)
		return;
	(void)fputc(',', print->out);
	escape_csv(print->out, spans_second_text(row, group));
}

static void put_csv_titles(const struct spans_print *print)
{
	static const char *const amounts[] = { "total", "mean", "deviation", "min", "p50",
					       "p90",	"p99",	"p999",	     "max" };

	(void)fprintf(print->out, "%simage,function,calls", print->intervals ? "seconds," : "");
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
		(void)fprintf(print->out, ",%s%s", amounts[i], key_of(print, "_ns", ""));
	(void)fprintf(print->out, ",open,no_entry,too_deep,no_memory%s%s%s",
		      print->value || print->also_value ? ",no_amount" : "",
		      print->waits ? ",on_cpu_ns,runnable_ns,blocked_ns" : "",
		      print->interrupts ? ",interrupts_ns" : "");
	for (size_t i = 0; i < print->counter_count; i++) {
		(void)fputc(',', print->out);
		escape_csv(print->out, print->counter_names[i]);
	}
	if (print->also_value) {
		(void)fputc(',', print->out);
		escape_csv(print->out, print->also_value);
	}
	(void)fprintf(print->out, "%s%s%s%s%s\n", counts_anything(print) ? ",incomplete" : "",
		      print->by ? "," : "", print->by ? print->by_name : "",
		      print->by_second ? "," : "", print->by_second ? print->by_second : "");
}

static void put_csv_count(const struct spans_print *print, const struct span_row *row, size_t i)
{
	(void)fputc(',', print->out);
	if (row->kind != SPAN_JOINED)
		(void)fprintf(print->out, "%.0f", row->times.counts[i]);
}

static void put_csv_counters(const struct spans_print *print, const struct span_row *row)
{
	if (print->interrupts)
		put_csv_count(print, row, SPAN_INTERRUPTS);
	for (size_t i = 0; i < print->counter_count; i++)
		put_csv_count(print, row, i);
	if (print->also_value && row->kind == SPAN_JOINED)
		(void)fputc(',', print->out);
	else if (print->also_value)
		(void)fprintf(print->out, ",%.0f", row->times.values);
	if (counts_anything(print))
		(void)fprintf(print->out, ",%" PRIu64, row->times.incomplete);
}

static void put_csv_row(const struct spans_print *print, const struct span_row *row)
{
	const struct span_times *times = &row->times;
	FILE *out = print->out;

	escape_csv(out, row->image);
	(void)fputc(',', out);
	escape_csv(out, row->name);
	(void)fprintf(out, ",%" PRIu64 ",%.0f,%.1f,%.1f,%" PRIu64, times->count, times->total_ns,
		      span_mean_ns(times), span_deviation_ns(times), times->least_ns);
	for (size_t k = 0; k < SPANS_SHARES; k++)
		(void)fprintf(out, ",%.0f", span_percentile(times, spans_shares[k]).ns);
	(void)fprintf(out, ",%" PRIu64, times->most_ns);
	for (size_t k = 0; k < SPAN_MISSES; k++)
		(void)fprintf(out, ",%" PRIu64, times->misses[k]);
	if (print->value || print->also_value)
		(void)fprintf(out, ",%" PRIu64, times->no_amount);
	if (print->waits && row->kind == SPAN_JOINED)
		(void)fputs(",,,", out);
	else if (print->waits)
		(void)fprintf(out, ",%.0f,%.0f,%.0f", spans_on_cpu_ns(times), times->run_queue_ns,
			      spans_blocked_ns(times));
	put_csv_counters(print, row);
	put_csv_group(print, row);
	(void)fputc('\n', out);
}

static void put_csv(const struct spans_print *print, const struct spans_show *show)
{
	for (size_t i = 0; i < show->row_count; i++) {
		if (print->intervals)
			(void)fprintf(print->out, "%.3f,", show->time_seconds);
		put_csv_row(print, &show->rows[i]);
	}
}

/* ---- all formats ---- */

int spans_compare_rows(const void *a, const void *b)
{
	double left = ((const struct span_row *)a)->times.total_ns;
	double right = ((const struct span_row *)b)->times.total_ns;

	return (left < right) - (left > right);
}

void spans_begin(struct spans_print *print, FILE *out)
{
	print->out = out;
	print->json = (struct json){ .out = out };
	if (print->format == SPANS_CSV)
		put_csv_titles(print);
	if (print->format == SPANS_JSON && print->intervals) {
		json_open(&print->json, NULL, '{');
		json_open(&print->json, "intervals", '[');
	}
}

int spans_print(struct spans_print *print, const struct spans_show *show)
{
	int rc = 0;

	if (print->format == SPANS_JSON)
		put_json(print, show);
	else if (print->format == SPANS_CSV)
		put_csv(print, show);
	else
		rc = print->intervals ? spans_interval_as_text(print, show)
				      : spans_as_text(print, show);
	if (print->intervals)
		(void)fflush(print->out);
	return rc;
}

void spans_end(struct spans_print *print)
{
	if (print->format != SPANS_JSON || !print->intervals)
		return;
	json_close(&print->json);
	json_close(&print->json);
}
