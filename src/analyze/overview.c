/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/overview.h"

#include "analyze/function_totals.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"

#define BIT(context) (1u << (context))

enum {
	IN_HARDIRQ = BIT(CONTEXT_HARDIRQ) | BIT(CONTEXT_NMI),
	IN_INTERRUPT = IN_HARDIRQ | BIT(CONTEXT_SOFTIRQ),
	IN_SYSTEM = BIT(CONTEXT_SYSCALL) | BIT(CONTEXT_EXCEPTION) | BIT(CONTEXT_KTHREAD) |
		    BIT(CONTEXT_KERNEL),
};

static int make_tables(struct overview *o)
{
	static const enum dimension by_function[] = { BY_FUNCTION };
	static const enum dimension by_process[] = { BY_PROCESS };
	const struct {
		uint32_t contexts;
		const enum dimension *by;
		struct group_table *table;
	} tables[] = {
		{ IN_SYSTEM | IN_INTERRUPT, by_function, &o->kernel },
		{ GROUP_CONTEXTS_BUSY, by_function, &o->functions },
		{ IN_HARDIRQ, by_function, &o->hardirq },
		{ IN_HARDIRQ, by_process, &o->hardirq_victims },
		{ BIT(CONTEXT_SOFTIRQ), by_function, &o->softirq },
		{ BIT(CONTEXT_SOFTIRQ), by_process, &o->softirq_victims },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct group_selection selection = { o->event, tables[i].contexts };
		int rc = group_hits(o->profile, tables[i].by, 1, group_is_selected, &selection,
				    tables[i].table);

		if (rc < 0)
			return rc;
		group_sort_by_rank(tables[i].table);
	}
	return 0;
}

static int make_totals(struct overview *o)
{
	const struct group_table *functions = &o->functions;
	uint64_t keys[FUNCTION_TOTALS_MAX];
	size_t count = 0;

	if (!o->profile->stacks.at)
		return 0;
	if (vec_reserve(&o->function_totals, FUNCTION_TOTALS_MAX) < 0)
		return -ENOMEM;
	for (; count < functions->rows.count && count < FUNCTION_TOTALS_MAX; count++)
		keys[count] = functions->rows.at[count].key[0];
	o->function_totals.count = count;
	return function_totals(o->profile, keys, count, o->function_totals.at);
}

/* ---- profiles of applications and processes ---- */

struct profiled {
	struct group_selection selection;
	enum dimension who;
	const bool *wanted;	/* by owner id: true if the owner gets a profile */
	size_t wanted_count;
};

static bool is_profiled(const void *context, const struct profile *profile, const struct hit *hit)
{
	const struct profiled *profiled = context;
	uint64_t id;

	if (!group_is_selected(&profiled->selection, profile, hit))
		return false;
	id = dimension_key(profile, profiled->who, hit);
	return id < profiled->wanted_count && profiled->wanted[id];
}

static int make_profile(const struct overview *o, struct profiled *profiled, uint32_t contexts,
			struct group_table *table)
{
	const enum dimension by[] = { profiled->who, BY_FUNCTION };
	int rc;

	profiled->selection = (struct group_selection){ o->event, contexts };
	rc = group_hits(o->profile, by, 2, is_profiled, profiled, table);
	group_sort_by_first_key(table);
	return rc;
}

bool overview_has_profile(const struct overview *o, const struct owner *owner)
{
	return 100 * count_share(&owner->all, &o->busy, o->by_weight) >= o->min_percent;
}

/*
 * @id_count is the number of applications or processes in the model. Owners with larger ids get no
 * profile.
 */
static int make_profiles(const struct overview *o, const struct owners *owners, size_t id_count,
			 struct profiled *profiled, struct group_table *user,
			 struct group_table *kernel)
{
	_cleanup_free_ bool *wanted = calloc(id_count + 1, sizeof(*wanted));
	int rc;

	if (!wanted)
		return -ENOMEM;
	for (size_t i = 0; i < owners->list.count; i++)
		if (owners->list.at[i].id < id_count)
			wanted[owners->list.at[i].id] = overview_has_profile(o,
									     &owners->list.at[i]);
	profiled->wanted = wanted;
	profiled->wanted_count = id_count;
	rc = make_profile(o, profiled, BIT(CONTEXT_USER), user);
	if (rc < 0)
		return rc;
	return make_profile(o, profiled, IN_SYSTEM, kernel);
}

/* ---- applications and processes ---- */

static int compare_owners(const void *a, const void *b)
{
	const struct owner *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank > right->rank ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

static void add_to_owner(struct owner *owner, const struct group_row *row)
{
	uint32_t bit = BIT(row->key[1]);

	if (bit & IN_INTERRUPT)
		count_add(&owner->interrupt, &row->count);
	else if (bit & IN_SYSTEM)
		count_add(&owner->sys, &row->count);
	else
		count_add(&owner->user, &row->count);
	count_add(&owner->all, &row->count);
}

/*
 * Adds up the rows of @table that belong to the same owner, and makes one owner from them. @table
 * has one row for each owner and context, and is sorted by owner.
 */
static int fold_owners(struct owners *owners, const struct group_table *table, bool by_weight)
{
	struct owner *owner = NULL;

	for (size_t i = 0; i < table->rows.count; i++) {
		const struct group_row *row = &table->rows.at[i];

		if (!owner || owner->id != row->key[0]) {
			owner = vec_push(&owners->list);
			if (!owner)
				return -ENOMEM;
			owner->id = (uint32_t)row->key[0];
		}
		add_to_owner(owner, row);
	}
	for (size_t i = 0; i < owners->list.count; i++)
		owners->list.at[i].rank = count_rank(&owners->list.at[i].all, by_weight);
	if (owners->list.count)
		qsort(owners->list.at, owners->list.count, sizeof(*owner), compare_owners);
	return 0;
}

static int make_owners(const struct overview *o, enum dimension who, struct owners *owners)
{
	const enum dimension by[] = { who, BY_CONTEXT };
	struct group_selection selection = { o->event, GROUP_CONTEXTS_BUSY };
	_cleanup_(group_table_fini) struct group_table table = { 0 };
	int rc = group_hits(o->profile, by, 2, group_is_selected, &selection, &table);

	if (rc < 0)
		return rc;
	group_sort_by_first_key(&table);
	return fold_owners(owners, &table, o->by_weight);
}

static int count_processes(struct overview *o)
{
	const struct model *model = o->profile->model;
	uint32_t *counts = calloc(model->applications.count + 1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i < o->processes.list.count; i++) {
		uint32_t id = process_of(model, o->processes.list.at[i].id)->application;

		counts[id < model->applications.count ? id : 0]++;
	}
	for (size_t i = 0; i < o->applications.list.count; i++) {
		struct owner *owner = &o->applications.list.at[i];

		owner->processes = counts[owner->id < model->applications.count ? owner->id : 0];
	}
	free(counts);
	return 0;
}

/* ---- totals ---- */

static int count_distinct(const struct overview *o, enum dimension by, uint64_t *ret_count)
{
	struct group_selection selection = { o->event, GROUP_CONTEXTS_ALL };
	struct group_table table;
	int rc = group_hits(o->profile, &by, 1, group_is_selected, &selection, &table);

	*ret_count = table.rows.count;
	group_table_fini(&table);
	return rc;
}

static int count_who(struct overview *o)
{
	const struct model *model = o->profile->model;

	for (size_t i = 1; i < model->applications.count; i++)
		o->processes_seen += model->applications.at[i].instance_count;
	o->applications_seen = model->applications.count - 1;
	if (count_distinct(o, BY_THREAD, &o->threads_sampled) < 0 ||
	    count_distinct(o, BY_PROCESS, &o->processes_sampled) < 0)
		return -ENOMEM;
	return count_distinct(o, BY_APPLICATION, &o->applications_sampled);
}

static void count_contexts(struct overview *o)
{
	for (size_t i = 0; i < o->profile->hits.count; i++) {
		const struct hit *hit = &o->profile->hits.at[i];

		if (hit->event == o->event)
			count_add(&o->contexts[hit->context], &hit->count);
	}
	for (int context = 0; context < CONTEXT_COUNT; context++) {
		const struct count *count = &o->contexts[context];

		count_add(&o->all, count);
		if (BIT(context) & GROUP_CONTEXTS_BUSY)
			count_add(&o->busy, count);
		if (context == CONTEXT_USER)
			count_add(&o->user, count);
		if (BIT(context) & IN_SYSTEM)
			count_add(&o->sys, count);
		if (BIT(context) & IN_INTERRUPT)
			count_add(&o->interrupt, count);
	}
}

/* Makes all lists and tables by application or process. */
static int make_all_owners(struct overview *o)
{
	const struct model *model = o->profile->model;
	struct profiled applications = { .who = BY_APPLICATION }, processes = { .who = BY_PROCESS };

	if (make_owners(o, BY_APPLICATION, &o->applications) < 0 ||
	    make_owners(o, BY_PROCESS, &o->processes) < 0 || count_processes(o) < 0 ||
	    make_profiles(o, &o->applications, model->applications.count, &applications,
			  &o->application_user, &o->application_kernel) < 0)
		return -ENOMEM;
	return make_profiles(o, &o->processes, model->processes.count, &processes, &o->process_user,
			     &o->process_kernel);
}

int overview_make(const struct profile *profile, uint8_t event, double min_percent,
		  struct overview *ret_overview)
{
	struct overview *o = ret_overview;
	const struct model *model = profile->model;

	*o = (struct overview){ .profile = profile, .event = event, .min_percent = min_percent };
	o->is_time = event < model->events.count && model->events.at[event].is_time;
	o->by_weight = group_goes_by_weight(profile, event);
	count_contexts(o);
	if (count_who(o) < 0 || make_tables(o) < 0 || make_totals(o) < 0 ||
	    make_all_owners(o) < 0 || account_make(profile, &o->account) < 0 ||
	    timed_make(profile, &o->account, event, &o->timed) < 0)
		return -ENOMEM;
	return health_make(profile, event, &o->health);
}

void overview_fini(struct overview *o)
{
	struct group_table *tables[] = {
		&o->application_user, &o->application_kernel, &o->process_user, &o->process_kernel,
		&o->kernel,	      &o->functions,	      &o->hardirq,	&o->softirq,
		&o->hardirq_victims,  &o->softirq_victims,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		group_table_fini(tables[i]);
	vec_free(&o->function_totals);
	vec_free(&o->applications.list);
	vec_free(&o->processes.list);
	account_fini(&o->account);
	health_fini(&o->health);
	timed_fini(&o->timed);
}
