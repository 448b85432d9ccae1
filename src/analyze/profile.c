/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/profile.h"

#include "analyze/account.h"
#include "analyze/lookup.h"
#include "analyze/tally.h"

#define LATE_SAMPLES_WANTED 20000

struct lateness {
	const struct model *model;
	VEC(int32_t) late_ns;
	int rc;
};

/* Returns 1 when enough samples have been collected, which makes recording_each_block() stop. */
static int collect_lateness(void *context, const struct sample_batch *batch)
{
	struct lateness *lateness = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];
		int32_t *entry;

		if (sample->context != CONTEXT_USER ||
		    sample_late_ns(lateness->model, sample) == LATE_UNKNOWN)
			continue;
		entry = vec_push(&lateness->late_ns);
		if (!entry)
			return -ENOMEM;
		*entry = sample->late_ns;
		if (lateness->late_ns.count == LATE_SAMPLES_WANTED)
			return 1;
	}
	return 0;
}

static int find_threshold(struct recording *recording, struct model *model, int64_t *ret_ns,
			  struct err *err)
{
	const char *fact = model_fact(model, FACT_LATE_THRESHOLD_NS);
	struct losses losses = model->losses;
	struct lateness lateness = { .model = model };
	int rc;

	if (fact) {
		*ret_ns = strtoll(fact, NULL, 10);
		return 0;
	}
	rc = recording_each_block(recording, model, NULL, collect_lateness, &lateness, err);
	/* the next pass over the recording counts the same damaged blocks again */
	model->losses = losses;
	if (rc >= 0)
		*ret_ns = late_threshold(lateness.late_ns.at, lateness.late_ns.count);
	vec_free(&lateness.late_ns);
	return rc < 0 ? rc : 0;
}

void profile_count_kept(struct model *model, const struct sample_batch *batch)
{
	for (size_t i = 0; i < batch->samples.count; i++) {
		struct sample sample = batch->samples.at[i];
		uint64_t room = UINT64_MAX - model->kept_samples, count;

		sample_make_safe(model, &sample);
		count = model_samples(model, &sample);
		model->kept_samples += count < room ? count : room;
	}
}

struct reading {
	struct tally *tally;
	struct model *model;
	bool counts_kept;
};

static int visit(void *context, const struct sample_batch *batch)
{
	const struct reading *reading = context;

	if (reading->counts_kept)
		profile_count_kept(reading->model, batch);
	return tally_batch(reading->tally, batch);
}

static int read_range(struct recording *recording, struct model *model,
		      const struct sample_range *range, struct tally *tally, struct err *err)
{
	bool is_all = range->from_ns == 0 && range->to_ns == UINT64_MAX;
	struct reading reading = {
		.tally = tally,
		.model = model,
		.counts_kept = is_all && !model->kept_known && account_lost_samples(&model->losses),
	};
	int rc;

	if (reading.counts_kept)
		model->kept_samples = 0;
	rc = recording_each_block(recording, model, range, visit, &reading, err);
	if (rc == 0 && reading.counts_kept)
		model->kept_known = true;
	return rc;
}

int profile_read(struct recording *recording, struct model *model,
		 const struct profile_options *options, struct profile *ret_profile,
		 struct err *err)
{
	struct sample_range range = { .to_ns = UINT64_MAX };
	int64_t threshold_ns = LATE_THRESHOLD_DEFAULT_NS;
	struct tally tally;
	int rc;

	*ret_profile = (struct profile){ .model = model };
	rc = find_threshold(recording, model, &threshold_ns, err);
	if (rc < 0)
		return rc;
	rc = tally_init(&tally, model, options, threshold_ns, ret_profile);
	if (ret_profile->start_ns) {
		range.from_ns = tally.match.from_ns;
		range.to_ns = tally.match.to_ns;
	}
	if (rc == 0)
		rc = match_read_spans(&tally.match, options->filter, recording, model, err);
	if (rc == 0)
		rc = read_range(recording, model, &range, &tally, err);
	if (rc == 0)
		rc = tally_rest(&tally);
	tally_fini(&tally);
	if (rc == -ENOMEM)
		return err_set(err, rc, "no memory for the totals of the recording");
	return rc;
}

void profile_fini(struct profile *profile)
{
	vec_free(&profile->hits);
	vec_free(&profile->cpus);
	stack_counts_fini(&profile->stacks);
}

uint8_t profile_first_event(const struct profile *profile)
{
	for (unsigned int event = 0; event < 256; event++)
		if (profile->total_samples[event])
			return (uint8_t)event;
	return 0;
}

uint64_t profile_duration_ns(const struct profile *profile)
{
	uint64_t start_ns = model_fact_u64(profile->model, FACT_START_NS);
	uint64_t end_ns = model_fact_u64(profile->model, FACT_END_NS);

	if (start_ns && end_ns > start_ns)
		return end_ns - start_ns;
	return profile->last_ns - profile->first_ns;
}
