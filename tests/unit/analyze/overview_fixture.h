/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overview_fixture.h - an overview of a synthetic model */
#ifndef ASSAY_TESTS_OVERVIEW_FIXTURE_H
#define ASSAY_TESTS_OVERVIEW_FIXTURE_H

#include "tests/support/test.h"

#include "analyze/overview.h"
#include "analyze/tally.h"
#include "tests/support/model_maker.h"

struct fixture {
	struct model_maker maker;
	struct profile profile;
	struct overview overview;
};

static inline void finish(struct fixture *f)
{
	overview_fini(&f->overview);
	profile_fini(&f->profile);
	model_maker_fini(&f->maker);
}

/* @filter is NULL to include all samples. */
static inline void make_overview(struct fixture *f, const struct filter *filter)
{
	const struct profile_options options = { .filter = filter };
	struct tally tally;

	assert_int_equal(tally_init(&tally, &f->maker.model, &options, 25000, &f->profile), 0);
	assert_int_equal(tally_batch(&tally, &f->maker.batch), 0);
	tally_fini(&tally);
	assert_int_equal(overview_make(&f->profile, 0, 0, &f->overview), 0);
}

#endif
