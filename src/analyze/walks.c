/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/walks.h"

#include "analyze/lookup.h"

static enum walk_stop most_often(const struct image_health *health)
{
	int most = WALK_STOP_END + 1;

	for (int stop = most + 1; stop < WALK_STOP_COUNT; stop++)
		if (health->stopped[stop] > health->stopped[most])
			most = stop;
	return (enum walk_stop)most;
}

static int compare_rows(const void *a, const void *b)
{
	const struct walk_row *left = a, *right = b;

	if (left->cut != right->cut)
		return left->cut > right->cut ? -1 : 1;
	return (left->image > right->image) - (left->image < right->image);
}

int walks_make(const struct model *model, struct walks *ret_walks)
{
	*ret_walks = (struct walks){ 0 };
	for (uint32_t image = 0; image < model->walk_health.images.count; image++) {
		struct image_health health = model_health_of(model, image);
		uint64_t cut = image_health_cut(&health);
		struct walk_row *row;

		ret_walks->ended += health.stopped[WALK_STOP_END];
		ret_walks->walked += health.stopped[WALK_STOP_END] + cut;
		if (!cut)
			continue;
		row = vec_push(&ret_walks->rows);
		if (!row)
			return -ENOMEM;
		*row = (struct walk_row){ image, cut, most_often(&health), health };
	}
	if (ret_walks->rows.count)
		qsort(ret_walks->rows.at, ret_walks->rows.count, sizeof(*ret_walks->rows.at),
		      compare_rows);
	return 0;
}

void walks_fini(struct walks *walks)
{
	vec_free(&walks->rows);
}

const char *walks_advice(const struct model *model, uint32_t image, enum walk_stop stop)
{
	enum image_kind kind = image_of(model, image)->kind;

	if (stop == WALK_STOP_NO_TABLE && kind == IMAGE_JIT)
		return "make the JIT compiler keep frame pointers (java -XX:+PreserveFramePointer)";
	return walk_stop_cure(stop);
}
