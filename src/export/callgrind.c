/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes version 1 of callgrind's profile format, for kcachegrind and callgrind_annotate. A cost is
 * the sum of the weights of samples, with one cost for each event. The "calls" lines hold numbers
 * of samples, because a recording does not contain numbers of calls.
 *
 * Readers of the format compute the total of a function in two ways: as the function's own cost
 * plus the cost of the calls that it makes, and as the sum of the costs of all calls to the
 * function. Both sums would be wrong for recursive functions. So each function appears only once in
 * a stack: if a function appears again, the frames between its two appearances are left out. Each
 * thread is written as a function that calls the outermost functions, so that the outermost
 * functions have callers too.
 *
 * Source: "Callgrind Format Specification", valgrind manual 3.19.
 */
#include <inttypes.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "export/export-private.h"

#define NO_CALLEE UINT32_MAX	/* in place of a callee: the arc holds the caller's own cost */

struct arc {
	uint32_t caller, callee;	/* frame numbers of paths.h */
	uint32_t line;			/* line number in the caller; 0: unknown */
	uint64_t samples;
	size_t costs;			/* index of the arc's first cost in callgrind.costs */
};

struct step {
	uint32_t frame;
	uint32_t line;			/* line number in the frame's file; 0: unknown */
};

struct callgrind {
	struct export *export;
	/* for each event, the number of its cost column; valid only for events that have samples */
	int column_of[256];
	size_t column_count;
	VEC(struct arc) arcs;		/* [0] is unused */
	VEC(uint64_t) costs;
	struct intern index;
	VEC(struct step) steps;		/* frames of the current stack, outermost first */
	/*
	 * for each frame number: index in @steps; valid only if the step at that index has this
	 * frame
	 */
	VEC(uint32_t) step_of;
	VEC(uint32_t) locations;
	VEC(bool) named;		/* for each frame, true after its name was written */
	struct strpool files, objects;	/* names of files and objects already written */
};

static void callgrind_fini(struct callgrind *callgrind)
{
	vec_free(&callgrind->arcs);
	vec_free(&callgrind->costs);
	vec_free(&callgrind->steps);
	vec_free(&callgrind->step_of);
	vec_free(&callgrind->locations);
	vec_free(&callgrind->named);
	intern_fini(&callgrind->index);
	strpool_fini(&callgrind->files);
	strpool_fini(&callgrind->objects);
}

/* ---- one stack ---- */

/*
 * Appends a frame to the current stack. If the stack already contains the frame, does not append
 * it, but removes all steps that follow it.
 */
static int add_step(struct callgrind *callgrind, uint32_t frame, uint32_t line)
{
	struct step *step;
	uint32_t place;

	while (callgrind->step_of.count <= frame)
		if (!vec_push(&callgrind->step_of))
			return -ENOMEM;
	place = callgrind->step_of.at[frame];
	if (place < callgrind->steps.count && callgrind->steps.at[place].frame == frame) {
		callgrind->steps.count = place + 1;
		callgrind->steps.at[place].line = line;
		return 0;
	}
	callgrind->step_of.at[frame] = (uint32_t)callgrind->steps.count;
	step = vec_push(&callgrind->steps);
	if (!step)
		return -ENOMEM;
	*step = (struct step){ frame, line };
	return 0;
}

struct frame_list {
	VEC(struct path_frame) at;
};

static void frame_list_fini(struct frame_list *list)
{
	vec_free(&list->at);
}

static int add_frame(void *context, uint64_t key, uint32_t line)
{
	struct frame_list *list = context;
	struct path_frame *frame = vec_push(&list->at);

	if (!frame)
		return -ENOMEM;
	*frame = (struct path_frame){ .key = key, .line = line };
	return 0;
}

/*
 * Returns the line number of @line. Returns 0 if @line is in a different file than the function,
 * because readers would look up the number in the function's file.
 */
static uint32_t line_number(const struct callgrind *callgrind, uint32_t frame, uint32_t line)
{
	const struct model *model = callgrind->export->model;
	const struct source_line *first = line_of(model,
						  callgrind->export->paths.frames.at[frame].line);

	return line_of(model, line)->file == first->file ? line_of(model, line)->line : 0;
}

static int add_location(struct callgrind *callgrind, uint32_t location, struct frame_list *list)
{
	struct export *export = callgrind->export;
	int rc;

	vec_clear(&list->at);
	rc = paths_each_frame(export->model, location, export->options->inlined, add_frame, list);
	if (rc < 0)
		return rc;
	for (size_t i = list->at.count; i-- > 0;) {
		const struct path_frame *frame = &list->at.at[i];
		uint32_t number;

		rc = paths_number_frame(&export->paths, frame->key, frame->line, &number);
		if (rc < 0)
			return rc;
		rc = add_step(callgrind, number, line_number(callgrind, number, frame->line));
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int add_root(struct callgrind *callgrind, const struct hit *hit, uint32_t root)
{
	struct export *export = callgrind->export;
	uint32_t frame;
	int rc = paths_comm_frame(&export->paths, export->model->threads.at[hit->thread].comm,
				  &frame);

	if (rc < 0)
		return rc;
	rc = add_step(callgrind, frame, 0);
	if (rc < 0)
		return rc;
	if (root == STACK_ROOT_END && callgrind->locations.count)
		return 0;
	rc = paths_number_frame(&export->paths, call_frame_of_root((enum stack_root)root), 0,
				&frame);
	if (rc < 0)
		return rc;
	return add_step(callgrind, frame, 0);
}

static int make_steps(struct callgrind *callgrind, const struct hit *hit, struct frame_list *list)
{
	const struct model *model = callgrind->export->model;
	uint32_t id = hit->stack_class;
	int rc;

	vec_clear(&callgrind->steps);
	vec_clear(&callgrind->locations);
	while (id >= STACK_ROOT_COUNT) {
		const struct stack_node *node = &model->stacks.at[id];
		uint32_t *location = vec_push(&callgrind->locations);

		if (!location)
			return -ENOMEM;
		*location = node->location;
		id = node->parent < id ? node->parent : (uint32_t)STACK_ROOT_BROKEN;
	}
	rc = add_root(callgrind, hit, id);
	if (rc < 0)
		return rc;
	for (size_t i = callgrind->locations.count; i-- > 0;) {
		rc = add_location(callgrind, callgrind->locations.at[i], list);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- costs ---- */

struct search {
	const struct arc *arcs, *want;
};

static bool same_arc(uint32_t id, const void *context)
{
	const struct search *search = context;
	const struct arc *have = &search->arcs[id];

	return have->caller == search->want->caller && have->callee == search->want->callee &&
	       have->line == search->want->line;
}

static int new_arc(struct callgrind *callgrind, const struct arc *want, uint64_t hash)
{
	struct arc *arc = vec_push(&callgrind->arcs);

	if (!arc)
		return -ENOMEM;
	*arc = *want;
	arc->costs = callgrind->costs.count;
	for (size_t i = 0; i < callgrind->column_count; i++)
		if (!vec_push(&callgrind->costs))
			return -ENOMEM;
	return intern_add(&callgrind->index, hash, (uint32_t)(callgrind->arcs.count - 1));
}

static int add_cost(struct callgrind *callgrind, const struct arc *want, const struct hit *hit)
{
	const struct search search = { callgrind->arcs.at, want };
	uint64_t hash = hash_pair((uint64_t)want->caller << 32 | want->callee, want->line);
	uint32_t id = intern_find(&callgrind->index, hash, same_arc, &search);
	struct arc *arc;

	if (!id) {
		if (new_arc(callgrind, want, hash) < 0)
			return -ENOMEM;
		id = (uint32_t)(callgrind->arcs.count - 1);
	}
	arc = &callgrind->arcs.at[id];
	arc->samples += hit->count.samples;
	callgrind->costs.at[arc->costs + (size_t)callgrind->column_of[hit->event]] +=
		hit->count.weight;
	return 0;
}

static int add_hit(struct callgrind *callgrind, const struct hit *hit, struct frame_list *list)
{
	int rc = make_steps(callgrind, hit, list);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < callgrind->steps.count; i++) {
		const struct step *step = &callgrind->steps.at[i];
		bool last = i + 1 == callgrind->steps.count;

		rc = add_cost(callgrind,
			      &(struct arc){ .caller = step->frame,
					     .callee = last ? NO_CALLEE : step[1].frame,
					     .line = step->line },
			      hit);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int add_hits(struct callgrind *callgrind, const struct profile *profile)
{
	_cleanup_(frame_list_fini) struct frame_list list = { 0 };

	if (!vec_push(&callgrind->arcs))
		return -ENOMEM;
	for (size_t i = 0; i < profile->hits.count; i++) {
		int rc = add_hit(callgrind, &profile->hits.at[i], &list);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- text ---- */

/*
 * Returns the escaped text. The format does not allow names that are empty or consist only of
 * spaces; for such a text, returns "???". Returns NULL if out of memory. The caller frees the
 * result.
 */
static char *name_of(const char *text)
{
	return export_escaped(text[strspn(text, " ")] ? text : "???", NULL);
}

/*
 * Writes the name of a file or image. Each name has a number: the first time, "(7) name" is
 * written; after that, only "(7)".
 */
static int put_file(FILE *out, const char *key, const char *name, struct strpool *written)
{
	size_t known = written->offset.count;
	_cleanup_free_ char *escaped = name_of(name);
	uint32_t id;

	if (!escaped || strpool_intern(written, escaped, strlen(escaped), &id) < 0)
		return -ENOMEM;
	(void)fprintf(out, id < known ? "%s=(%" PRIu32 ")\n" : "%s=(%" PRIu32 ") %s\n", key, id,
		      escaped);
	return 0;
}

static int put_frame(struct callgrind *callgrind, uint32_t frame, bool called)
{
	struct export *export = callgrind->export;
	char scratch[GROUP_IMAGE_NAME_MAX];
	const char *name = paths_name(&export->paths, &export->profile, frame, scratch);
	const char *image = paths_image(&export->paths, &export->profile, frame);
	const char *file = paths_file(&export->paths, frame);
	_cleanup_free_ char *escaped = name_of(name);

	if (put_file(export->out, called ? "cob" : "ob", image, &callgrind->objects) < 0 ||
	    put_file(export->out, called ? "cfi" : "fl", file, &callgrind->files) < 0 || !escaped)
		return -ENOMEM;
	(void)fprintf(export->out, "%s=(%" PRIu32 ")", called ? "cfn" : "fn", frame + 1);
	if (!callgrind->named.at[frame])
		(void)fprintf(export->out, " %s", escaped);
	(void)fputc('\n', export->out);
	callgrind->named.at[frame] = true;
	return 0;
}

static int compare_arcs(const void *a, const void *b)
{
	const struct arc *left = a, *right = b;

	if (left->caller != right->caller)
		return left->caller < right->caller ? -1 : 1;
	/* Of the arcs of one caller, the arc with the caller's own cost comes first. */
	if (left->callee != right->callee)
		return left->callee + 1 < right->callee + 1 ? -1 : 1;
	return (left->line > right->line) - (left->line < right->line);
}

static int write_arc(struct callgrind *callgrind, const struct arc *arc)
{
	FILE *out = callgrind->export->out;

	if (arc->callee != NO_CALLEE) {
		if (put_frame(callgrind, arc->callee, true) < 0)
			return -ENOMEM;
		(void)fprintf(out, "calls=%" PRIu64 " 0\n", arc->samples);
	}
	put_u64(out, arc->line);
	for (size_t i = 0; i < callgrind->column_count; i++) {
		(void)fputc(' ', out);
		put_u64(out, callgrind->costs.at[arc->costs + i]);
	}
	(void)fputc('\n', out);
	return 0;
}

static int write_arcs(struct callgrind *callgrind)
{
	int rc;

	while (callgrind->named.count < callgrind->export->paths.frames.count)
		if (!vec_push(&callgrind->named))
			return -ENOMEM;
	qsort(callgrind->arcs.at + 1, callgrind->arcs.count - 1, sizeof(struct arc), compare_arcs);
	for (size_t i = 1; i < callgrind->arcs.count; i++) {
		const struct arc *arc = &callgrind->arcs.at[i];

		if (i == 1 || arc->caller != arc[-1].caller) {
			(void)fputc('\n', callgrind->export->out);
			rc = put_frame(callgrind, arc->caller, false);
			if (rc < 0)
				return rc;
		}
		rc = write_arc(callgrind, arc);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool event_needs(const char *name, const char *at)
{
	return *at == ' ';
}

/*
 * Writes the name of an event. Escapes the spaces in the name, because spaces separate the names of
 * events in the file.
 */
static int put_event(FILE *out, const char *name)
{
	_cleanup_free_ char *escaped = export_escaped(*name ? name : "?", event_needs);

	if (!escaped)
		return -ENOMEM;
	(void)fprintf(out, " %s", escaped);
	return 0;
}

static int write_header(const struct callgrind *callgrind, const struct profile *profile)
{
	const struct export *export = callgrind->export;
	char text[EXPORT_LOSS_MAX];
	_cleanup_free_ char *title = export_escaped(export_title(export), NULL);

	if (!title)
		return -ENOMEM;
	(void)fprintf(export->out, "# callgrind format\nversion: 1\ncreator: assay %s\ncmd: %s\n",
		      ASSAY_VERSION, title);
	for (int i = 0; i < LOSS_COUNT; i++)
		if (export_loss_text(export->model, (enum loss)i, text, sizeof(text)))
			(void)fprintf(export->out, "desc: %s\n", text);
	(void)fputs("positions: line\nevents:", export->out);
	for (unsigned int event = 0; event < 256; event++)
		if (profile->total_samples[event] &&
		    put_event(export->out, export_event_name(export, (uint8_t)event)) < 0)
			return -ENOMEM;
	(void)fputs(callgrind->column_count ? "\n" : " samples\n", export->out);
	return 0;
}

static void write_totals(const struct callgrind *callgrind, const struct profile *profile)
{
	FILE *out = callgrind->export->out;

	(void)fputs("\ntotals:", out);
	for (unsigned int event = 0; event < 256; event++)
		if (profile->total_samples[event])
			(void)fprintf(out, " %" PRIu64, profile->total_weight[event]);
	(void)fputs(callgrind->column_count ? "\n" : " 0\n", out);
}

static int callgrind_write(struct export *export)
{
	_cleanup_(callgrind_fini) struct callgrind callgrind = { .export = export };
	_cleanup_(profile_fini) struct profile profile;
	int rc = export_read_stacks(export, &profile);

	if (rc < 0)
		return rc;
	for (unsigned int event = 0; event < 256; event++)
		if (profile.total_samples[event])
			callgrind.column_of[event] = (int)callgrind.column_count++;
	if (strpool_init(&callgrind.files) < 0 || strpool_init(&callgrind.objects) < 0)
		return -ENOMEM;
	rc = add_hits(&callgrind, &profile);
	if (rc < 0)
		return rc;
	rc = write_header(&callgrind, &profile);
	if (rc < 0)
		return rc;
	rc = write_arcs(&callgrind);
	if (rc < 0)
		return rc;
	write_totals(&callgrind, &profile);
	return 0;
}

const struct export_format export_callgrind = {
	.name = "callgrind",
	.description = "a call graph, for kcachegrind and callgrind_annotate",
	.has_losses = true,
	.write = callgrind_write,
};
