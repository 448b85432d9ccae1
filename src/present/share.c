/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/share.h"

#include <math.h>

static bool is_exact(const struct share *share)
{
	return count_is_exact(share->whole, share->by_weight);
}

static double value_of(const struct share *share)
{
	return count_share(share->part, share->whole, share->by_weight);
}

static struct interval interval_of_share(const struct share *share)
{
	return count_interval(share->part, share->whole, share->by_weight);
}

void share_text(const struct share *share, FILE *out)
{
	struct interval interval = interval_of_share(share);

	(void)fprintf(out, "%.2f%%", 100 * value_of(share));
	if (!is_exact(share))
		(void)fprintf(out, " [%.2f-%.2f]", 100 * interval.low, 100 * interval.high);
}

void share_json(const struct share *share, struct json *json)
{
	struct interval interval = interval_of_share(share);

	json_double(json, "share", value_of(share));
	json_double(json, "low", is_exact(share) ? NAN : interval.low);
	json_double(json, "high", is_exact(share) ? NAN : interval.high);
}

void share_csv(const struct share *share, FILE *out)
{
	struct interval interval = interval_of_share(share);

	(void)fprintf(out, ",%.9g", value_of(share));
	if (is_exact(share))
		(void)fputs(",,", out);
	else
		(void)fprintf(out, ",%.9g,%.9g", interval.low, interval.high);
}

void amount_text(const struct count *count, const struct event *event,
		 char text[static AMOUNT_TEXT_MAX])
{
	*text = 0;
	if (event->is_time && count_goes_by_weight(event))
		(void)snprintf(text, AMOUNT_TEXT_MAX, ", %.4f s", (double)count->weight / 1e9);
}
