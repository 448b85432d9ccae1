/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For each of the processes and applications that used the most time, prints a user profile and a
 * kernel profile. Also prints the profile of the kernel itself.
 *
 * Only processes and applications above the minimum share have profiles. A process has its own
 * profile if it used a large part of its application's time. An application has one profile for all
 * its processes if none of them has its own. An example is a build, which consists of many small
 * processes.
 */
#include "present/text.h"

#include <inttypes.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"

#define PROFILE_ROWS 15		/* maximum number of rows in a brief report */
/* a process needs at least 1/n of its application's time for its own profile */
#define PART_OF_APPLICATION 4

struct profiled {
	const struct owner *owner;
	enum dimension who;	/* BY_PROCESS or BY_APPLICATION */
};

struct candidates {
	VEC(struct profiled) list;
};

static bool is_above(const struct text *text, const struct owner *owner)
{
	return overview_has_profile(text->overview, owner);
}

static bool add_candidate(struct candidates *candidates, const struct owner *owner,
			  enum dimension who)
{
	struct profiled *profiled = vec_push(&candidates->list);

	if (profiled)
		*profiled = (struct profiled){ owner, who };
	return profiled != NULL;
}

/* State of an application; the array is indexed by application id. */
struct program {
	uint64_t rank;
	/* true if at least one process of the application is to have its own profile */
	bool has_process;
};

static struct program *program_of(const struct model *model, struct program *programs, uint32_t id)
{
	return &programs[id < model->applications.count ? id : 0];
}

static bool add_processes(const struct text *text, struct candidates *candidates,
			  struct program *programs)
{
	const struct overview *o = text->overview;
	const struct model *model = o->profile->model;

	for (size_t i = 0; i < o->processes.list.count; i++) {
		const struct owner *owner = &o->processes.list.at[i];
		struct program *program = program_of(model, programs,
						     process_of(model, owner->id)->application);

		if (!is_above(text, owner))
			break;
		if (owner->rank < program->rank / PART_OF_APPLICATION)
			continue;
		if (!add_candidate(candidates, owner, BY_PROCESS))
			return false;
		program->has_process = true;
	}
	return true;
}

static bool add_candidates(const struct text *text, struct candidates *candidates)
{
	const struct overview *o = text->overview;
	const struct model *model = o->profile->model;
	const struct owners *owners = &o->applications;
	_cleanup_free_ struct program *programs = calloc(model->applications.count + 1,
							 sizeof(*programs));

	if (!programs)
		return false;
	for (size_t i = 0; i < owners->list.count; i++)
		program_of(model, programs, owners->list.at[i].id)->rank = owners->list.at[i].rank;
	if (!add_processes(text, candidates, programs))
		return false;
	for (size_t i = 0; i < owners->list.count && is_above(text, &owners->list.at[i]); i++)
		if (!program_of(model, programs, owners->list.at[i].id)->has_process &&
		    !add_candidate(candidates, &owners->list.at[i], BY_APPLICATION))
			return false;
	return true;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct profiled *left = a, *right = b;

	if (left->owner->rank != right->owner->rank)
		return left->owner->rank > right->owner->rank ? -1 : 1;
	return (left->owner > right->owner) - (left->owner < right->owner);
}

static void print_profile(struct text *text, const struct profiled *profiled, const char *mode,
			  const struct group_table *table, const struct count *count)
{
	const struct overview *o = text->overview;
	const struct owner *owner = profiled->owner;
	struct function_rows functions = { .key = 1, .total = count, .most = PROFILE_ROWS };
	char label[REPORT_LABEL_MAX], processes[64] = "";

	functions.rows = group_slice(table, owner->id, &functions.count);
	if (!functions.count || (text->style->brief && count->samples < INTERVAL_FEW))
		return;
	if (profiled->who == BY_APPLICATION)
		(void)snprintf(processes, sizeof(processes), " (%" PRIu32 " process%s)",
			       owner->processes, owner->processes == 1 ? "" : "es");
	group_label(o->profile, profiled->who, owner->id, label, sizeof(label));
	text_title(text, "%s profile of %s%s", mode, label, processes);
	text_line(text, "%" PRIu64 " hits, %.2f%% of everything except idle", count->samples,
		  100 * count_share(count, &o->busy, o->by_weight));
	text_functions(text, &functions);
}

static void print_profiles(struct text *text, const struct profiled *profiled)
{
	const struct overview *o = text->overview;
	bool whole = profiled->who == BY_APPLICATION;

	print_profile(text, profiled, "USER", whole ? &o->application_user : &o->process_user,
		      &profiled->owner->user);
	print_profile(text, profiled, "KERNEL", whole ? &o->application_kernel : &o->process_kernel,
		      &profiled->owner->sys);
}

static void print_rest(struct text *text, size_t count)
{
	if (!count)
		return;
	(void)fputc('\n', text->out);
	text_line(text,
		  "... %zu more processes or applications have at least %g %% (%s %g shows their "
		  "profiles)",
		  count, text->overview->min_percent, text->style->settings->min_percent,
		  text->overview->min_percent);
}

void text_profiles(struct text *text)
{
	struct candidates candidates = { 0 };
	size_t shown;

	if (!add_candidates(text, &candidates))
		text->rc = -ENOMEM;
	if (candidates.list.count)
		qsort(candidates.list.at, candidates.list.count, sizeof(struct profiled),
		      compare_candidates);
	shown = candidates.list.count;
	if (text->style->profiles && text->style->profiles < shown)
		shown = text->style->profiles;
	for (size_t i = 0; i < shown; i++)
		print_profiles(text, &candidates.list.at[i]);
	print_rest(text, candidates.list.count - shown);
	vec_free(&candidates.list);
}

void text_kernel(struct text *text)
{
	const struct overview *o = text->overview;

	if (!o->kernel.rows.count)
		return;
	text_title(text, "Global KERNEL profile");
	text_line(text, "All processes and interrupts, without idle: %" PRIu64 " hits",
		  o->kernel.total.samples);
	text_functions(text, &(struct function_rows){ .rows = o->kernel.rows.at,
						      .count = o->kernel.rows.count,
						      .total = &o->kernel.total,
						      .most = PROFILE_ROWS });
}
