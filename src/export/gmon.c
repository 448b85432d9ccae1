/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes gmon.out, for gprof: a histogram of addresses, and the arcs between functions (pairs of
 * caller and callee). The file describes only one image (a program or library): the image selected
 * by --image or, by default, the image with the most samples. The format contains addresses but no
 * names. Addresses are the virtual addresses in the image's ELF file. Samples in other images are
 * left out, and so are calls from other images. The recording does not contain numbers of calls, so
 * numbers of samples are written instead. If shares of the event go by weight (count.h), the weight
 * is written in units of about a millionth of its sum.
 *
 * Source: gmon_out.h of glibc 2.36; gprof's manual, "Profiling Data File Format". Numbers have the
 * byte order and size of this machine. A bin of a histogram can count at most 65535 samples.
 * Further samples are written to additional histograms with the same bounds, which gprof adds up.
 */
#include <inttypes.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "export/export-private.h"

#define BIN_BYTES 4		/* number of bytes of code per bin */
#define BIN_MAX UINT16_MAX
#define HISTOGRAMS_BYTES_MAX (UINT64_C(1) << 30)	/* a larger size is damage */

enum tag { TAG_HISTOGRAM, TAG_ARC };

struct gmon_header {
	char cookie[4];
	uint32_t version;
	char spare[12];
};

/* Packed: a one-byte tag precedes the struct, so it is not aligned. */
struct gmon_histogram {
	uint64_t low_pc, high_pc;
	uint32_t bin_count, rate;
	char dimension[15], abbreviation;
} __attribute__((packed));

struct gmon_arc {
	uint64_t from_pc, self_pc;
	uint32_t count;
} __attribute__((packed));

_Static_assert(sizeof(struct gmon_header) == 20, "as glibc has it");
_Static_assert(sizeof(struct gmon_histogram) == 40, "as glibc has it");
_Static_assert(sizeof(struct gmon_arc) == 20, "as glibc has it");

struct place {
	uint64_t vaddr, samples;	/* in units, see gmon.unit */
};

struct gmon {
	struct export *export;
	uint32_t image;
	uint8_t event;
	/*
	 * If shares of the event go by weight (count.h), the weight that counts as one sample in
	 * the file, which has only small numbers; otherwise 0: samples are counted.
	 */
	uint64_t unit;
	uint64_t low, high;		/* bounds of the histogram */
	VEC(struct place) places;	/* sampled addresses, sorted */
	VEC(struct gmon_arc) arcs;
	/* finds an arc in arcs; its values are 1 + the index in arcs */
	struct intern index;
	/*
	 * arcs already counted for the current hit, so that each arc is counted only once per stack
	 */
	VEC(struct gmon_arc) on_stack;
};

static void gmon_fini(struct gmon *gmon)
{
	vec_free(&gmon->places);
	vec_free(&gmon->arcs);
	vec_free(&gmon->on_stack);
	intern_fini(&gmon->index);
}

/* ---- amounts ---- */

#define UNITS_MAX 1000000u	/* about how many samples the file has if weights are written */

static void choose_unit(struct gmon *gmon, const struct profile *profile)
{
	uint64_t weight = profile->total_weight[gmon->event];

	if (group_goes_by_weight(profile, gmon->event))
		gmon->unit = weight / UNITS_MAX + 1;
}

static uint64_t amount_of(const struct gmon *gmon, const struct hit *hit)
{
	if (!gmon->unit)
		return hit->count.samples;
	return (hit->count.weight + gmon->unit / 2) / gmon->unit;
}

/* ---- which image ---- */

static bool is_file(const struct model *model, uint32_t image)
{
	return image_of(model, image)->kind == IMAGE_FILE;
}

static int choose_image(struct gmon *gmon, const struct profile *profile)
{
	const struct model *model = gmon->export->model;
	_cleanup_free_ uint64_t *amounts = calloc(model->images.count, sizeof(uint64_t));

	if (!amounts)
		return -ENOMEM;
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];

		if (hit->event == gmon->event && hit->image < model->images.count &&
		    is_file(model, hit->image))
			amounts[hit->image] += amount_of(gmon, hit);
	}
	for (uint32_t id = 0; id < model->images.count; id++)
		if (amounts[id] > amounts[gmon->image])
			gmon->image = id;
	gmon->export->samples = 0;
	for (size_t i = 0; i < profile->hits.count; i++)
		if (profile->hits.at[i].event == gmon->event &&
		    profile->hits.at[i].image == gmon->image)
			gmon->export->samples += profile->hits.at[i].count.samples;
	return 0;
}

/* ---- samples and arcs of the image ---- */

static const struct location *location_in(const struct gmon *gmon, uint32_t stack)
{
	const struct model *model = gmon->export->model;
	const struct location *location = location_of(model, leaf_of(model, stack));

	return stack >= STACK_ROOT_COUNT && location->image == gmon->image ? location : NULL;
}

struct search {
	const struct gmon_arc *arcs, *want;
};

static bool same_arc(uint32_t id, const void *context)
{
	const struct search *search = context;
	const struct gmon_arc *have = &search->arcs[id - 1];

	return have->from_pc == search->want->from_pc && have->self_pc == search->want->self_pc;
}

static bool is_on_stack(const struct gmon *gmon, const struct gmon_arc *want)
{
	for (size_t i = 0; i < gmon->on_stack.count; i++)
		if (gmon->on_stack.at[i].from_pc == want->from_pc &&
		    gmon->on_stack.at[i].self_pc == want->self_pc)
			return true;
	return false;
}

static int count_arc(struct gmon *gmon, const struct gmon_arc *want, uint64_t samples)
{
	const struct search search = { gmon->arcs.at, want };
	uint64_t hash = hash_pair(want->from_pc, want->self_pc);
	uint32_t id = intern_find(&gmon->index, hash, same_arc, &search);
	struct gmon_arc *seen = vec_push(&gmon->on_stack), *arc;
	uint64_t sum;

	if (!seen)
		return -ENOMEM;
	*seen = *want;
	if (!id) {
		arc = vec_push(&gmon->arcs);
		if (!arc || intern_add(&gmon->index, hash, (uint32_t)gmon->arcs.count) < 0)
			return -ENOMEM;
		*arc = *want;
		id = (uint32_t)gmon->arcs.count;
	}
	arc = &gmon->arcs.at[id - 1];
	sum = arc->count + samples;
	arc->count = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
	return 0;
}

/*
 * Adds the arcs of a hit's stack. An arc goes from the recorded address in the caller to the start
 * of the called function.
 */
static int add_arcs(struct gmon *gmon, const struct hit *hit)
{
	const struct model *model = gmon->export->model;
	uint32_t id = hit->stack_class;

	vec_clear(&gmon->on_stack);
	while (id >= STACK_ROOT_COUNT) {
		uint32_t parent = model->stacks.at[id].parent;
		const struct location *callee = location_in(gmon, id);
		const struct location *caller = parent < id ? location_in(gmon, parent) : NULL;

		if (callee && caller && callee->function) {
			struct gmon_arc arc = {
				.from_pc = caller->vaddr,
				.self_pc = function_of(model, callee->function)->vaddr,
			};

			if (!is_on_stack(gmon, &arc) &&
			    count_arc(gmon, &arc, amount_of(gmon, hit)) < 0)
				return -ENOMEM;
		}
		id = parent < id ? parent : (uint32_t)STACK_ROOT_BROKEN;
	}
	return 0;
}

static int add_hit(struct gmon *gmon, const struct hit *hit)
{
	const struct location *location = location_in(gmon, hit->stack_class);
	struct place *place;

	if (hit->event != gmon->event)
		return 0;
	if (location) {
		place = vec_push(&gmon->places);
		if (!place)
			return -ENOMEM;
		*place = (struct place){ location->vaddr, amount_of(gmon, hit) };
	}
	return add_arcs(gmon, hit);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	return (left->vaddr > right->vaddr) - (left->vaddr < right->vaddr);
}

/*
 * Returns the number of histograms that are needed to store all samples of the fullest bin. The
 * sampled addresses must already be sorted.
 */
static uint64_t count_histograms(const struct gmon *gmon)
{
	uint64_t sum = 0, most = 0, bin = UINT64_MAX;

	for (size_t i = 0; i < gmon->places.count; i++) {
		const struct place *place = &gmon->places.at[i];

		sum = place->vaddr / BIN_BYTES == bin ? sum + place->samples : place->samples;
		bin = place->vaddr / BIN_BYTES;
		most = sum > most ? sum : most;
	}
	return (most + BIN_MAX - 1) / BIN_MAX;
}

/*
 * Returns an error if the histograms would be too large. If the sampled addresses are far apart and
 * one bin has many samples, the file would be huge and consist almost entirely of zeros.
 */
static int check_size(const struct gmon *gmon)
{
	const struct model *model = gmon->export->model;
	uint64_t bins = (gmon->high - gmon->low) / BIN_BYTES;
	uint64_t count = count_histograms(gmon);

	if (bins && count <= HISTOGRAMS_BYTES_MAX / sizeof(uint16_t) / bins)
		return 0;
	return err_set(gmon->export->err, -EFBIG,
		       "%s: the code of this file is too large for gmon.out, or has "
		       "too many samples",
		       string_of(model, image_of(model, gmon->image)->path));
}

static int add_hits(struct gmon *gmon, const struct profile *profile)
{
	for (size_t i = 0; i < profile->hits.count; i++) {
		int rc = add_hit(gmon, &profile->hits.at[i]);

		if (rc < 0)
			return rc;
	}
	if (!gmon->places.count)
		return 0;
	qsort(gmon->places.at, gmon->places.count, sizeof(*gmon->places.at), compare_places);
	gmon->low = gmon->places.at[0].vaddr / BIN_BYTES * BIN_BYTES;
	gmon->high = (gmon->places.at[gmon->places.count - 1].vaddr / BIN_BYTES + 1) * BIN_BYTES;
	return check_size(gmon);
}

/* ---- the file ---- */

static void put_tag(FILE *out, enum tag tag)
{
	(void)fputc((int)tag, out);
}

static uint32_t rate_of(const struct gmon *gmon, const struct event *event)
{
	uint64_t period = gmon->unit ? gmon->unit : event->period;

	if (!period)
		return (uint32_t)event->frequency_hz;
	return period < NS_PER_SEC ? (uint32_t)((NS_PER_SEC + period / 2) / period) : 1;
}

/*
 * Writes the header of a histogram. The header contains a rate: for events that count time, the
 * number of samples per second; for other events, 1, with the unit "samples".
 */
static void write_head(const struct gmon *gmon)
{
	const struct export *export = gmon->export;
	const struct event *event = gmon->event < export->model->events.count
					    ? &export->model->events.at[gmon->event]
					    : NULL;
	bool is_time = event && event->is_time && (event->period || event->frequency_hz);
	struct gmon_histogram histogram = {
		.low_pc = gmon->low,
		.high_pc = gmon->high,
		.bin_count = (uint32_t)((gmon->high - gmon->low) / BIN_BYTES),
		.rate = 1,
		.dimension = "samples",
		.abbreviation = '#',
	};

	if (is_time) {
		histogram.rate = rate_of(gmon, event);
		memcpy(histogram.dimension, "seconds", sizeof("seconds"));
		histogram.abbreviation = 's';
	}
	put_tag(export->out, TAG_HISTOGRAM);
	(void)fwrite(&histogram, sizeof(histogram), 1, export->out);
}

static void put_zeros(FILE *out, uint64_t count)
{
	while (count--) {
		(void)fputc(0, out);
		(void)fputc(0, out);
	}
}

/*
 * Writes one histogram. From each bin, takes as many of the samples not yet written as fit, at most
 * 65535. Returns false if no samples are left after that.
 */
static bool write_histogram(struct gmon *gmon)
{
	FILE *out = gmon->export->out;
	uint64_t next = gmon->low;
	bool more = false;

	write_head(gmon);
	for (size_t i = 0; i < gmon->places.count;) {
		uint64_t bin = gmon->places.at[i].vaddr / BIN_BYTES * BIN_BYTES;
		uint32_t room = BIN_MAX;
		uint16_t sum;

		for (; i < gmon->places.count &&
		       gmon->places.at[i].vaddr / BIN_BYTES * BIN_BYTES == bin;
		     i++) {
			struct place *place = &gmon->places.at[i];
			uint32_t taken = place->samples < room ? (uint32_t)place->samples : room;

			room -= taken;
			place->samples -= taken;
			more |= place->samples > 0;
		}
		put_zeros(out, (bin - next) / BIN_BYTES);
		sum = (uint16_t)(BIN_MAX - room);
		(void)fwrite(&sum, sizeof(sum), 1, out);
		next = bin + BIN_BYTES;
	}
	return more;
}

static void write_arcs(const struct gmon *gmon)
{
	for (size_t i = 0; i < gmon->arcs.count; i++) {
		put_tag(gmon->export->out, TAG_ARC);
		(void)fwrite(&gmon->arcs.at[i], sizeof(gmon->arcs.at[i]), 1, gmon->export->out);
	}
}

static int gmon_write(struct export *export)
{
	static const struct gmon_header header = { .cookie = "gmon", .version = 1 };
	_cleanup_(gmon_fini) struct gmon gmon = { .export = export };
	_cleanup_(profile_fini) struct profile profile;
	int rc = export_read_stacks(export, &profile);

	if (rc < 0)
		return rc;
	gmon.event = export_only_event(export, &profile);
	choose_unit(&gmon, &profile);
	rc = choose_image(&gmon, &profile);
	if (rc < 0)
		return rc;
	rc = add_hits(&gmon, &profile);
	if (rc < 0)
		return rc;
	(void)fwrite(&header, sizeof(header), 1, export->out);
	while (gmon.places.count && write_histogram(&gmon))
		;	/* each call writes one histogram, until no samples are left */
	write_arcs(&gmon);
	return 0;
}

const struct export_format export_gmon = {
	.name = "gmon",
	.description = "gmon.out for gprof: samples of one file, the program or "
		       "library with the most samples",
	.is_binary = true,
	.has_one_event = true,
	.write = gmon_write,
};
