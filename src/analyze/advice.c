/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/advice.h"

#include <stdlib.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"

/* Below this share of its samples, an interpreter is not what the program spends its time in. */
#define PYTHON_SHARE 0.1

static void add(struct advices *advices, const struct advice *advice)
{
	if (advices->count < ADVICE_MAX)
		advices->at[advices->count++] = *advice;
}

static void warn(struct advices *advices, enum advice_kind kind, double percent)
{
	const struct advice advice = { .kind = kind, .share = percent / 100 };

	add(advices, &advice);
}

/* ---- warnings ---- */

static enum advice_kind stacks_kind(const struct model *model, const struct health *health)
{
	const char *how = model_fact(model, FACT_CALLGRAPH);
	const uint64_t *ends = health->stack_ends;

	if (how && strcmp(how, "fp") == 0)
		return ADVICE_FRAME_POINTERS;
	if (how && strncmp(how, "dwarf", 5) == 0 && ends[STACK_TRUNCATED] > ends[STACK_BROKEN])
		return ADVICE_SMALL_COPIES;
	return ADVICE_STACKS_CUT;
}

static void add_warnings(const struct model *model, const struct health *health,
			 const struct trust *trust, struct advices *advices)
{
	if (shortfall_of(model).damaged)
		warn(advices, ADVICE_DAMAGED, 0);
	if (!trust->lost.missing && !trust->lost.ok)
		warn(advices, ADVICE_LOST, trust->lost.value);
	if (!trust->unaccounted.missing && !trust->unaccounted.ok)
		warn(advices, ADVICE_UNACCOUNTED, trust->unaccounted.value);
	if (!trust->own.missing && !trust->own.ok)
		warn(advices, ADVICE_OWN_COST, trust->own.value);
	if (trust->is_few)
		warn(advices, ADVICE_FEW_SAMPLES, 0);
	if (trust->has_stacks && !trust->whole.missing && !trust->whole.ok)
		warn(advices, stacks_kind(model, health), 100 - trust->whole.value);
}

/* ---- hints ---- */

/*
 * If a command ran on less than half a CPU, samples explain less than half of the time that it
 * took.
 */
static double waiting_share(const struct profile *profile, const struct health *health)
{
	const struct model *model = profile->model;
	const char *target = model_fact(model, FACT_TARGET);
	double run_ns = (double)profile_duration_ns(profile);
	double share = run_ns > 0 ? 1 - (double)health->busy.weight / run_ns : 0;
	bool is_time = health->event < model->events.count &&
		       model->events.at[health->event].is_time;

	if (!is_time || !target || strcmp(target, "command") != 0 || profile->filtered ||
	    model_fact(model, FACT_OFF_CPU_MIN_NS))
		return 0;
	return share < 0.5 ? 0 : share;
}

struct sums {
	const struct profile *profile;
	const struct health *health;
	bool by_weight;
	uint64_t *nameless;		/* by image: rank of the hits without a certain name */
	uint64_t *inside;		/* by image: rank of all hits */
	uint64_t kernel, total;
	VEC(struct advice) hints;
};

static void sums_fini(struct sums *sums)
{
	free(sums->nameless);
	free(sums->inside);
	vec_free(&sums->hints);
}

static enum quality quality_of(const struct model *model, const struct hit *hit)
{
	return hit->function ? function_of(model, hit->function)->quality : QUALITY_NONE;
}

static void add_hit(struct sums *sums, const struct hit *hit)
{
	const struct model *model = sums->profile->model;
	uint64_t rank = count_rank(&hit->count, sums->by_weight);
	enum quality quality = quality_of(model, hit);
	const struct image *image = image_of(model, hit->image);

	sums->total += rank;
	if (hit->image < model->images.count)
		sums->inside[hit->image] += rank;
	if (quality < QUALITY_BRACKET)
		return;
	if (image->kind == IMAGE_KERNEL || image->kind == IMAGE_MODULE)
		sums->kernel += quality == QUALITY_NONE ? rank : 0;
	else if (hit->image < model->images.count)
		sums->nameless[hit->image] += rank;
}

static int push_hint(struct sums *sums, const struct advice *advice)
{
	struct advice *slot;

	if (advice->share < ADVICE_MIN_SHARE)
		return 0;
	slot = vec_push(&sums->hints);
	if (!slot)
		return -ENOMEM;
	*slot = *advice;
	return 0;
}

static double share_of(const struct sums *sums, uint64_t rank)
{
	return sums->total ? (double)rank / (double)sums->total : 0;
}

/* Adds to a hint of the same kind, because each process has an image of generated code. */
static int push_runtime(struct sums *sums, const struct advice *advice)
{
	for (size_t i = 0; i < sums->hints.count; i++) {
		if (sums->hints.at[i].kind != advice->kind)
			continue;
		sums->hints.at[i].share += advice->share;
		return 0;
	}
	return push_hint(sums, advice);
}

static int add_generated(struct sums *sums, const struct image *image, uint64_t rank)
{
	const struct model *model = sums->profile->model;
	const char *program = file_name(string_of(model, process_of(model, image->process)->exe));
	struct advice advice = { .share = share_of(sums, rank), .process = image->process };

	if (strcmp(program, "java") == 0)
		advice.kind = ADVICE_JAVA;
	else if (strcmp(program, "node") == 0 || strcmp(program, "nodejs") == 0)
		advice.kind = ADVICE_NODE;
	else
		return 0;
	return push_runtime(sums, &advice);
}

static bool is_python(const char *name)
{
	return strncmp(name, "python3", 7) == 0 || strncmp(name, "libpython3", 10) == 0;
}

/*
 * Python names its functions in generated code, which then is on the stacks but is hardly ever
 * sampled itself. So such a name anywhere shows that Python was asked for names.
 */
static bool names_python(const struct model *model)
{
	for (size_t i = 1; i < model->functions.count; i++) {
		const struct function *function = &model->functions.at[i];
		const struct process *process;

		if (function->quality != QUALITY_JIT)
			continue;
		process = process_of(model, image_of(model, function->image)->process);
		if (is_python(file_name(string_of(model, process->exe))))
			return true;
	}
	return false;
}

static int add_python(struct sums *sums, uint32_t id)
{
	const struct advice advice = { .kind = ADVICE_PYTHON,
				       .share = share_of(sums, sums->inside[id]),
				       .image = id };

	if (advice.share < PYTHON_SHARE || names_python(sums->profile->model))
		return 0;
	return push_runtime(sums, &advice);
}

static int add_image(struct sums *sums, uint32_t id)
{
	const struct model *model = sums->profile->model;
	const struct image *image = image_of(model, id);
	const struct advice symbols = { .kind = ADVICE_NO_SYMBOLS,
					.share = share_of(sums, sums->nameless[id]),
					.image = id };

	if (image->kind == IMAGE_JIT)
		return add_generated(sums, image, sums->nameless[id]);
	if (image->kind != IMAGE_FILE)
		return 0;
	if (is_python(file_name(string_of(model, image->path))) && add_python(sums, id) < 0)
		return -ENOMEM;
	return push_hint(sums, &symbols);
}

static int compare_hints(const void *a, const void *b)
{
	const struct advice *left = a, *right = b;

	if (left->share != right->share)
		return left->share > right->share ? -1 : 1;
	return left->kind != right->kind
		       ? (int)left->kind - (int)right->kind
		       : (left->image > right->image) - (left->image < right->image);
}

static int add_hints(struct sums *sums, struct advices *advices)
{
	const struct model *model = sums->profile->model;
	const struct advice kernel = { .kind = ADVICE_KERNEL_HIDDEN,
				       .share = share_of(sums, sums->kernel) };
	const struct advice waits = { .kind = ADVICE_WAITS,
				      .share = waiting_share(sums->profile, sums->health) };

	if (push_hint(sums, &waits) < 0)
		return -ENOMEM;
	for (uint32_t id = 0; id < model->images.count; id++)
		if (sums->inside[id] && add_image(sums, id) < 0)
			return -ENOMEM;
	if (push_hint(sums, &kernel) < 0)
		return -ENOMEM;
	if (sums->hints.count)
		qsort(sums->hints.at, sums->hints.count, sizeof(struct advice), compare_hints);
	for (size_t i = 0; i < sums->hints.count; i++)
		add(advices, &sums->hints.at[i]);
	return 0;
}

int advise(const struct profile *profile, const struct health *health,
	   const struct account *account, struct advices *ret_advices)
{
	const struct model *model = profile->model;
	const struct trust trust = trust_of(profile, health, account);
	_cleanup_(sums_fini) struct sums sums = {
		.profile = profile,
		.health = health,
		.by_weight = group_goes_by_weight(profile, health->event),
		.nameless = calloc(model->images.count + 1, sizeof(uint64_t)),
		.inside = calloc(model->images.count + 1, sizeof(uint64_t)),
	};

	*ret_advices = (struct advices){ 0 };
	add_warnings(model, health, &trust, ret_advices);
	if (!sums.nameless || !sums.inside)
		return -ENOMEM;
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];

		if (hit->event == health->event && hit->context != CONTEXT_IDLE)
			add_hit(&sums, hit);
	}
	return add_hints(&sums, ret_advices);
}
