/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/path_change.h"

#include <math.h>

#include "analyze/diff-private.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/u64map.h"

#define CONFIDENCE 0.95
#define NO_SERIES UINT32_MAX
#define ALL_BLOCKS SIZE_MAX

/* One recording, with its samples by path. */
struct side {
	struct diff_reading reading;
	uint32_t *hit_paths;		/* path of each hit */
	/* by path: count of the samples whose stack begins with the path */
	struct count *counts;
	uint64_t *kernel_weights;	/* by path: the part of its weight that is kernel code */
	struct count total;
	double wholes[DIFF_BLOCKS];
	double *parts;			/* DIFF_BLOCKS numbers for each series */
};

struct making {
	const struct call_tree *tree;
	struct diff diff;		/* only the fields names and options are used */
	struct side sides[DIFF_SIDES];
	uint32_t *path_of;		/* path of each node of the tree */
	uint32_t frameless;		/* path given to stacks that have no frames */
	uint32_t *series_of;		/* series of each path; NO_SERIES: not tested */
	size_t path_count, series_count;
	enum diff_unit unit;
};

/* ---- reading ---- */

static const char *event_name(const struct call_tree *tree)
{
	const struct model *model = tree->profile->model;

	return tree->event < model->events.count
		       ? string_of(model, model->events.at[tree->event].name)
		       : "";
}

static int read_side(struct making *making, enum diff_which which, const struct diff_side *given,
		     struct err *err)
{
	struct diff_reading *reading = &making->sides[which].reading;
	int rc = diff_reading_init(reading, given, &making->diff, err);

	if (rc < 0)
		return rc;
	reading->all_contexts = making->tree->profile->stacks.wants_idle;
	reading->event = diff_event_called(given->model, event_name(making->tree));
	if (reading->event != GROUP_EVENT_ANY)
		reading->by_weight = group_goes_by_weight(&reading->profile,
							  (uint8_t)reading->event);
	return 0;
}

static bool is_counted(const struct diff_reading *reading, const struct hit *hit)
{
	return hit->event == reading->event &&
	       (hit->context != CONTEXT_IDLE || reading->all_contexts);
}

/* ---- paths ---- */

static int enter_path(struct making *making, const struct profile *profile, uint32_t caller,
		      uint64_t frame, uint32_t *ret_path)
{
	char scratch[GROUP_IMAGE_NAME_MAX];
	uint32_t name;
	int rc = diff_names_enter(&making->diff.names, file_name(call_frame_image(profile, frame)),
				  call_frame_name(profile, frame, scratch), &name);

	return rc < 0 ? rc : diff_names_enter_path(&making->diff.names, caller, name, ret_path);
}

static int name_nodes(struct making *making)
{
	const struct call_tree *tree = making->tree;
	int rc = enter_path(making, tree->profile, 0, call_frame_of_root(STACK_ROOT_END),
			    &making->frameless);

	if (rc < 0)
		return rc;
	making->path_of = calloc(tree->nodes.count, sizeof(*making->path_of));
	if (!making->path_of)
		return -ENOMEM;
	for (uint32_t node = 1; node < tree->nodes.count; node++) {
		const struct call_node *at = &tree->nodes.at[node];

		rc = enter_path(making, tree->profile, making->path_of[at->parent], at->frame,
				&making->path_of[node]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * diff_reading gives path 0 to a stack without any frames. Here path 0 is the tree's root, so such
 * a stack gets the path `frameless`.
 */
static uint32_t path_of_stack(const struct making *making, const struct diff_reading *reading,
			      const struct hit *hit)
{
	uint32_t path = reading->classes.at[hit->stack_class].path;

	return path ? path : making->frameless;
}

/* Enters the path that has the frames of @path below the frame @group. */
static int enter_below_group(struct making *making, const struct profile *profile, uint64_t group,
			     uint32_t path, uint32_t *ret_path)
{
	struct diff_names *names = &making->diff.names;
	size_t depth = 0;
	_cleanup_free_ uint32_t *chain = NULL;	/* names, innermost first */
	int rc;

	for (uint32_t at = path; at; at = names->paths.at[at].caller)
		depth++;
	chain = calloc(depth + 1, sizeof(*chain));
	if (!chain)
		return -ENOMEM;
	for (size_t i = 0; i < depth; i++, path = names->paths.at[path].caller)
		chain[i] = names->paths.at[path].name;
	rc = enter_path(making, profile, 0, group, ret_path);
	while (rc == 0 && depth-- > 0)
		rc = diff_names_enter_path(names, *ret_path, chain[depth], ret_path);
	return rc;
}

/* @known: paths that have been entered, by group and path of the stack */
static int path_of_hit(struct making *making, const struct diff_reading *reading,
		       const struct hit *hit, struct u64map *known, uint32_t *ret_path)
{
	const struct call_tree *tree = making->tree;
	uint64_t group, key;
	int rc;

	*ret_path = path_of_stack(making, reading, hit);
	if (!tree->grouped)
		return 0;
	group = dimension_key(&reading->profile, tree->group, hit);
	key = group << 32 | *ret_path;
	if (u64map_get(known, key, ret_path))
		return 0;
	rc = enter_below_group(making, &reading->profile, call_frame_of_group(tree->group, group),
			       *ret_path, ret_path);
	return rc < 0 ? rc : u64map_put(known, key, *ret_path);
}

static int find_paths(struct making *making, struct side *side)
{
	const struct diff_reading *reading = &side->reading;
	_cleanup_(u64map_fini) struct u64map known = { 0 };
	int rc = 0;

	side->hit_paths = calloc(reading->profile.hits.count + 1, sizeof(*side->hit_paths));
	if (!side->hit_paths)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < reading->profile.hits.count; i++)
		rc = path_of_hit(making, reading, &reading->profile.hits.at[i], &known,
				 &side->hit_paths[i]);
	return rc;
}

/*
 * Sets @counts[path] to the count of the samples of @block (ALL_BLOCKS: of all blocks) whose stack
 * begins with the path. Path 0 is the tree's root. A calling path has a smaller id than the path
 * that it called, so a loop from the highest id down adds each path's samples to the calling path.
 */
static void sum_paths(const struct making *making, const struct side *side, size_t block,
		      struct count *counts)
{
	const struct diff_path *paths = making->diff.names.paths.at;
	const struct diff_reading *reading = &side->reading;

	memset(counts, 0, making->path_count * sizeof(*counts));
	for (size_t i = 0; i < reading->profile.hits.count; i++) {
		const struct hit *hit = &reading->profile.hits.at[i];

		if (is_counted(reading, hit) &&
		    (block == ALL_BLOCKS || block == diff_reading_block(reading, hit)))
			count_add(&counts[side->hit_paths[i]], &hit->count);
	}
	for (size_t path = making->path_count; path-- > 1;)
		count_add(&counts[paths[path].caller], &counts[path]);
}

static void sum_kernel(const struct making *making, struct side *side)
{
	const struct diff_reading *reading = &side->reading;

	for (size_t i = 0; i < reading->profile.hits.count; i++) {
		const struct hit *hit = &reading->profile.hits.at[i];

		if (is_counted(reading, hit) && diff_hit_is_kernel(hit))
			side->kernel_weights[side->hit_paths[i]] += hit->count.weight;
	}
	for (size_t path = making->path_count; path-- > 1;)
		side->kernel_weights[making->diff.names.paths.at[path].caller] +=
			side->kernel_weights[path];
}

static int count_paths(const struct making *making, struct side *side)
{
	side->counts = calloc(making->path_count, sizeof(*side->counts));
	side->kernel_weights = calloc(making->path_count, sizeof(*side->kernel_weights));
	if (!side->counts || !side->kernel_weights)
		return -ENOMEM;
	sum_paths(making, side, ALL_BLOCKS, side->counts);
	sum_kernel(making, side);
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
	_cleanup_free_ bool *largest = call_tree_select(making->tree, 0, 0,
							PATH_CHANGES_TESTED_MAX + 1);

	making->series_of = malloc(making->path_count * sizeof(*making->series_of));
	if (!making->series_of || !largest)
		return -ENOMEM;
	memset(making->series_of, 0xff, making->path_count * sizeof(*making->series_of));
	for (uint32_t node = 1; node < making->tree->nodes.count; node++) {
		uint32_t path = making->path_of[node];
		uint64_t samples = before->counts[path].samples + after->counts[path].samples;

		if (largest[node] && making->series_of[path] == NO_SERIES &&
		    samples >= INTERVAL_FEW && share_of(after, path) >= min_share)
			making->series_of[path] = (uint32_t)making->series_count++;
	}
	return 0;
}

/* ---- series of blocks ---- */

static int fill_series(const struct making *making, struct side *side)
{
	bool by_weight = side->reading.by_weight;
	_cleanup_free_ struct count *counts = calloc(making->path_count, sizeof(*counts));

	side->parts = calloc(making->series_count + 1, DIFF_BLOCKS * sizeof(double));
	if (!side->parts || !counts)
		return -ENOMEM;
	for (size_t block = 0; block < DIFF_BLOCKS; block++) {
		sum_paths(making, side, block, counts);
		side->wholes[block] = (double)count_rank(&counts[0], by_weight);
		for (size_t path = 1; path < making->path_count; path++)
			if (making->series_of[path] != NO_SERIES)
				side->parts[making->series_of[path] * DIFF_BLOCKS + block] =
					(double)count_rank(&counts[path], by_weight);
	}
	return 0;
}

/* ---- verdicts ---- */

struct verdict {
	double low, high, p;
};

static struct verdict judge_share(const struct making *making, size_t series)
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

static double scale_of(const struct making *making)
{
	return making->unit == DIFF_SECONDS ? 1e-9 : 1;
}

/* Path 0 is the whole run. */
static struct run_amount amount_of(const struct making *making, const struct side *side,
				   uint32_t path, const double *parts)
{
	const struct diff_amount_source source = {
		.count = &side->counts[path],
		.total = &side->total,
		.kernel_weight = side->kernel_weights[path],
		.parts = parts,
		.wholes = side->wholes,
		.by_weight = side->reading.by_weight,
		.scale = scale_of(making),
	};

	return diff_amount_of(&source);
}

static struct verdict judge_amount(const struct making *making, uint32_t path)
{
	struct run_amount rows[DIFF_SIDES], rests[DIFF_SIDES];
	const struct run_comparison comparison = { rows, rests, 1, 0 };
	size_t series = making->series_of[path];
	double half, change;

	for (int i = 0; i < DIFF_SIDES; i++) {
		const struct side *side = &making->sides[i];
		struct run_amount whole = amount_of(making, side, 0, side->wholes);

		rows[i] = amount_of(making, side, path, side->parts + series * DIFF_BLOCKS);
		rests[i] = run_rest(&whole, &rows[i]);
	}
	half = run_half_width(rows);
	change = rows[DIFF_AFTER].amount - rows[DIFF_BEFORE].amount;
	return (struct verdict){ change - half, change + half, run_p(&comparison) };
}

static struct verdict judge(const struct making *making, uint32_t path)
{
	return making->unit == DIFF_SHARE ? judge_share(making, making->series_of[path])
					  : judge_amount(making, path);
}

static double value_of(const struct making *making, enum diff_which which, uint32_t path)
{
	const struct side *side = &making->sides[which];

	return making->unit == DIFF_SHARE ? share_of(side, path)
					  : scale_of(making) * (double)side->counts[path].weight;
}

static struct path_change change_of_node(const struct making *making, uint32_t node,
					 const struct verdict *verdicts, const double *adjusted)
{
	uint32_t path = making->path_of[node], series = making->series_of[path];
	struct path_change change = {
		.before = value_of(making, DIFF_BEFORE, path),
		.after = value_of(making, DIFF_AFTER, path),
		.unit = making->unit,
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
	for (uint32_t path = 0; path < making->path_count; path++) {
		uint32_t series = making->series_of[path];

		if (series == NO_SERIES)
			continue;
		verdicts[series] = judge(making, path);
		ps[series] = verdicts[series].p;
	}
	holm_adjust(ps, order, count, adjusted);
	for (uint32_t node = 0; node < making->tree->nodes.count; node++)
		changes[node] = change_of_node(making, node, verdicts, adjusted);
	return 0;
}

/* ---- the whole comparison ---- */

static int compare(struct making *making, double min_share, struct path_change *changes)
{
	int rc = name_nodes(making);

	for (int i = 0; rc == 0 && i < DIFF_SIDES; i++)
		rc = find_paths(making, &making->sides[i]);
	if (rc < 0)
		return rc;
	making->path_count = making->diff.names.paths.count;
	for (int i = 0; i < DIFF_SIDES; i++) {
		rc = count_paths(making, &making->sides[i]);
		if (rc < 0)
			return rc;
	}
	if (!making->sides[DIFF_BEFORE].total.samples)
		return -ENODATA;
	rc = choose_tested(making, min_share);
	if (rc < 0)
		return rc;
	for (int i = 0; i < DIFF_SIDES; i++) {
		rc = fill_series(making, &making->sides[i]);
		if (rc < 0)
			return rc;
	}
	return judge_all(making, changes);
}

static enum diff_unit unit_of(const struct making *making,
			      const struct diff_side sides[static DIFF_SIDES])
{
	const struct call_tree *tree = making->tree;
	const struct model *model = tree->profile->model;

	if (diff_default_per(sides, DIFF_SIDES) != DIFF_PER_RUN ||
	    tree->event >= model->events.count)
		return DIFF_SHARE;
	return model->events.at[tree->event].is_time ? DIFF_SECONDS : DIFF_EVENTS;
}

static void making_fini(struct making *making)
{
	for (int i = 0; i < DIFF_SIDES; i++) {
		diff_reading_fini(&making->sides[i].reading);
		free(making->sides[i].hit_paths);
		free(making->sides[i].counts);
		free(making->sides[i].kernel_weights);
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
		.diff.options = {
			.by_stack = true,
			.inlined = tree->profile->inlined,
			.by = { tree->group },
			.by_count = tree->grouped,
		},
	};
	_cleanup_free_ struct path_change *changes = calloc(tree->nodes.count, sizeof(*changes));
	int rc;

	if (!changes || diff_names_init(&making.diff.names) < 0)
		return err_set(err, -ENOMEM, "no memory to compare the recordings");
	for (int i = 0; i < DIFF_SIDES; i++) {
		rc = read_side(&making, (enum diff_which)i, &sides[i], err);
		if (rc < 0)
			return rc;
	}
	making.unit = unit_of(&making, sides);
	rc = compare(&making, min_share, changes);
	if (rc == -ENODATA)
		return err_set(err, rc,
			       sides[DIFF_BEFORE].filter ? "no sample of %s matches the filter"
							 : "no samples of %s",
			       event_name(tree));
	if (rc < 0)
		return err_set(err, rc, "no memory to compare the recordings");
	*ret_changes = TAKE_PTR(changes);
	return 0;
}
