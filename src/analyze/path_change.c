/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/path_change.h"

#include <math.h>

#include "analyze/diff-private.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"

#define CONFIDENCE 0.95
#define NO_SERIES UINT32_MAX

/* One recording, by path. */
struct side {
	struct diff_reading reading;
	struct count *counts;		/* by path: samples whose stack begins with it */
	struct count total;
	double wholes[DIFF_BLOCKS];
	double *parts;			/* DIFF_BLOCKS for each series */
};

struct making {
	const struct call_tree *tree;
	struct diff diff;		/* its names and its options */
	struct side sides[DIFF_SIDES];
	uint32_t *path_of;		/* by node */
	uint32_t *series_of;		/* by path, or NO_SERIES */
	size_t path_count, series_count;
};

/* ---- reading ---- */

static int read_side(struct making *making, enum diff_which which, const struct diff_side *given,
		     struct err *err)
{
	struct diff_reading *reading = &making->sides[which].reading;
	const struct model *after = making->tree->profile->model;
	const char *event = making->tree->event < after->events.count
				    ? string_of(after, after->events.at[making->tree->event].name)
				    : "";
	int rc = diff_reading_init(reading, given, &making->diff, err);

	if (rc < 0)
		return rc;
	reading->event = diff_event_called(given->model, event);
	if (reading->event == GROUP_EVENT_ANY || !reading->profile.total_samples[reading->event])
		return err_set(err, -EINVAL, "the recording to compare with has no samples of %s",
			       event);
	reading->by_weight = group_goes_by_weight(&reading->profile, (uint8_t)reading->event);
	return 0;
}

static bool is_counted(const struct diff_reading *reading, const struct hit *hit)
{
	return hit->event == reading->event &&
	       (hit->context != CONTEXT_IDLE || reading->all_contexts);
}

static struct count count_of(const struct hit *hit)
{
	return (struct count){ hit->samples, hit->weight, hit->squares };
}

static uint32_t path_of_hit(const struct diff_reading *reading, const struct hit *hit)
{
	return reading->classes.at[hit->stack_class].path;
}

/* ---- paths ---- */

static int name_nodes(struct making *making)
{
	const struct call_tree *tree = making->tree;
	char scratch[GROUP_IMAGE_NAME_MAX];
	int rc = 0;

	making->path_of = calloc(tree->nodes.count, sizeof(*making->path_of));
	if (!making->path_of)
		return -ENOMEM;
	for (uint32_t node = 1; node < tree->nodes.count && rc == 0; node++) {
		const struct call_node *at = &tree->nodes.at[node];
		const char *image = call_frame_image(tree->profile, at->frame);
		uint32_t name;

		rc = diff_names_enter(&making->diff.names, file_name(image),
				      call_frame_name(tree->profile, at->frame, scratch), &name);
		if (rc == 0)
			rc = diff_names_enter_path(&making->diff.names, making->path_of[at->parent],
						   name, &making->path_of[node]);
	}
	return rc;
}

/* Path 0 is the root's; callers have the smaller ids. */
static int count_paths(struct making *making, struct side *side)
{
	const struct diff_path *paths = making->diff.names.paths.at;

	side->counts = calloc(making->path_count, sizeof(*side->counts));
	if (!side->counts)
		return -ENOMEM;
	for (size_t i = 0; i < side->reading.profile.hits.count; i++) {
		const struct hit *hit = &side->reading.profile.hits.at[i];
		struct count count = count_of(hit);

		if (is_counted(&side->reading, hit))
			count_add(&side->counts[path_of_hit(&side->reading, hit)], &count);
	}
	for (size_t path = making->path_count; path-- > 1;)
		count_add(&side->counts[paths[path].caller], &side->counts[path]);
	side->total = side->counts[0];
	return 0;
}

static double share_of(const struct side *side, uint32_t path)
{
	return count_share(&side->counts[path], &side->total, side->reading.by_weight);
}

static int choose_tested(struct making *making, double min_share)
{
	const struct side *before = &making->sides[DIFF_BEFORE];
	const struct side *after = &making->sides[DIFF_AFTER];

	making->series_of = malloc(making->path_count * sizeof(*making->series_of));
	if (!making->series_of)
		return -ENOMEM;
	memset(making->series_of, 0xff, making->path_count * sizeof(*making->series_of));
	for (uint32_t node = 1; node < making->tree->nodes.count; node++) {
		uint32_t path = making->path_of[node];
		uint64_t samples = before->counts[path].samples + after->counts[path].samples;

		if (making->series_of[path] == NO_SERIES && samples >= INTERVAL_FEW &&
		    share_of(after, path) >= min_share)
			making->series_of[path] = (uint32_t)making->series_count++;
	}
	return 0;
}

/* ---- series of blocks ---- */

static int fill_series(struct making *making, struct side *side)
{
	const struct diff_path *paths = making->diff.names.paths.at;
	const struct diff_reading *reading = &side->reading;

	side->parts = calloc(making->series_count + 1, DIFF_BLOCKS * sizeof(double));
	if (!side->parts)
		return -ENOMEM;
	for (size_t i = 0; i < reading->profile.hits.count; i++) {
		const struct hit *hit = &reading->profile.hits.at[i];
		const struct count count = count_of(hit);
		double amount = (double)count_rank(&count, reading->by_weight);
		size_t block = diff_reading_block(reading, hit);

		if (!is_counted(reading, hit))
			continue;
		side->wholes[block] += amount;
		for (uint32_t path = path_of_hit(reading, hit); path; path = paths[path].caller)
			if (making->series_of[path] != NO_SERIES)
				side->parts[making->series_of[path] * DIFF_BLOCKS + block] +=
					amount;
	}
	return 0;
}

/* ---- verdicts ---- */

struct verdict {
	double low, high, p;
};

static struct verdict judge(const struct making *making, size_t series)
{
	struct ratio ratios[DIFF_SIDES];
	struct change change;
	double half;

	for (int i = 0; i < DIFF_SIDES; i++) {
		const struct side *side = &making->sides[i];

		ratios[i] = ratio_of(&(struct ratio_series){
			side->parts + series * DIFF_BLOCKS, side->wholes, DIFF_BLOCKS,
			count_equal_samples(&side->total, side->reading.by_weight) });
	}
	change = change_of(&ratios[DIFF_BEFORE], &ratios[DIFF_AFTER], 1);
	half = change_half_width(&change, CONFIDENCE);
	return (struct verdict){ change.value - half, change.value + half, change_p(&change, 0) };
}

static struct path_change change_of_node(const struct making *making, uint32_t node,
					 const struct verdict *verdicts, const double *adjusted)
{
	uint32_t path = making->path_of[node], series = making->series_of[path];
	struct path_change change = {
		.before = share_of(&making->sides[DIFF_BEFORE], path),
		.after = share_of(&making->sides[DIFF_AFTER], path),
	};

	if (series == NO_SERIES)
		return change;
	change.low = verdicts[series].low;
	change.high = verdicts[series].high;
	change.tested = isfinite(change.low) && isfinite(change.high);
	change.significant = adjusted[series] < DIFF_ALPHA;
	return change;
}

static int judge_all(const struct making *making, struct path_change *changes)
{
	size_t count = making->series_count;
	_cleanup_free_ struct verdict *verdicts = calloc(count + 1, sizeof(*verdicts));
	_cleanup_free_ double *ps = calloc(count + 1, sizeof(*ps));
	_cleanup_free_ double *adjusted = calloc(count + 1, sizeof(*adjusted));
	_cleanup_free_ size_t *order = calloc(count + 1, sizeof(*order));

	if (!verdicts || !ps || !adjusted || !order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		verdicts[i] = judge(making, i);
		ps[i] = verdicts[i].p;
	}
	holm_adjust(ps, order, count, adjusted);
	for (uint32_t node = 0; node < making->tree->nodes.count; node++)
		changes[node] = change_of_node(making, node, verdicts, adjusted);
	return 0;
}

/* ---- all of it ---- */

static int compare(struct making *making, double min_share, struct path_change *changes)
{
	int rc = name_nodes(making);

	making->path_count = making->diff.names.paths.count;
	for (int i = 0; i < DIFF_SIDES && rc == 0; i++)
		rc = count_paths(making, &making->sides[i]);
	if (rc == 0)
		rc = choose_tested(making, min_share);
	for (int i = 0; i < DIFF_SIDES && rc == 0; i++)
		rc = fill_series(making, &making->sides[i]);
	return rc == 0 ? judge_all(making, changes) : rc;
}

static void making_fini(struct making *making)
{
	for (int i = 0; i < DIFF_SIDES; i++) {
		diff_reading_fini(&making->sides[i].reading);
		free(making->sides[i].counts);
		free(making->sides[i].parts);
	}
	free(making->path_of);
	free(making->series_of);
	diff_fini(&making->diff);
}

int path_changes_make(const struct diff_side sides[static DIFF_SIDES], const struct call_tree *tree,
		      double min_share, struct path_change **ret_changes, struct err *err)
{
	_cleanup_(making_fini) struct making making = {
		.tree = tree,
		.diff.options = { .by_stack = true },
	};
	_cleanup_free_ struct path_change *changes = calloc(tree->nodes.count, sizeof(*changes));
	int rc = 0;

	if (!changes || diff_names_init(&making.diff.names) < 0)
		return err_set(err, -ENOMEM, "no memory to compare the recordings");
	for (int i = 0; i < DIFF_SIDES && rc == 0; i++)
		rc = read_side(&making, (enum diff_which)i, &sides[i], err);
	if (rc < 0)
		return rc;
	if (compare(&making, min_share, changes) < 0)
		return err_set(err, -ENOMEM, "no memory to compare the recordings");
	*ret_changes = TAKE_PTR(changes);
	return 0;
}
