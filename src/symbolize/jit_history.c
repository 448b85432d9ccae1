/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/jit_history.h"

/* what the indices of claims and names take for each, beside the claim and the text */
#define CLAIM_BYTES (sizeof(struct jit_claim) + 24)
#define NAME_BYTES 20

void jit_history_init(struct jit_history *history, struct jit_budget *budget)
{
	*history = (struct jit_history){ .budget = budget, .lost_ns = UINT64_MAX };
}

void jit_history_clear(struct jit_history *history)
{
	for (size_t i = 0; i < history->spots.count; i++) {
		vec_clear(&history->spots.at[i].claims);
		history->spots.at[i].since_ns = 0;
		for (size_t k = 0; k < history->spots.at[i].places.count; k++)
			history->spots.at[i].places.at[k].told_claims = SIZE_MAX;
	}
	strpool_fini(&history->names);
	history->names = (struct strpool){ 0 };
	vec_free(&history->claims);
	u64map_fini(&history->by_start);
	history->by_start = (struct u64map){ 0 };
	history->settled_claims = 0;
	history->compacted_ns = 0;
	history->mark_count = 0;
	history->lost_ns = UINT64_MAX;
	history->is_full = history->is_crowded = false;
	jit_history_count_bytes(history);
}

void jit_history_fini(struct jit_history *history)
{
	jit_history_clear(history);
	for (size_t i = 0; i < history->spots.count; i++) {
		vec_free(&history->spots.at[i].claims);
		vec_free(&history->spots.at[i].places);
	}
	vec_free(&history->spots);
	vec_free(&history->sorted);
}

void jit_history_lose(struct jit_history *history, uint64_t from_ns)
{
	if (from_ns < history->lost_ns)
		history->lost_ns = from_ns;
}

/* ---- claims ---- */

static bool is_same(const struct jit_claim *a, const struct jit_claim *b)
{
	return a->start_addr == b->start_addr && a->end_addr == b->end_addr && a->name == b->name;
}

uint32_t jit_history_claim_at(const struct jit_history *history, uint64_t addr)
{
	uint32_t next = 0;

	return u64map_get(&history->by_start, addr, &next) && next ? next - 1 : JIT_NO_CLAIM;
}

void jit_history_count_bytes(struct jit_history *history)
{
	size_t bytes = history->claims.count * CLAIM_BYTES + history->names.bytes.count +
		       history->names.offset.count * NAME_BYTES;

	history->budget->bytes += bytes - history->bytes;
	history->bytes = bytes;
}

static size_t share_of(const struct jit_history *history)
{
	size_t others = history->budget->bytes - history->bytes;

	return others < history->budget->bytes_max ? (history->budget->bytes_max - others) / 2 : 0;
}

static bool fits(const struct jit_history *history, size_t name_bytes)
{
	return history->bytes + CLAIM_BYTES + NAME_BYTES + name_bytes <= share_of(history);
}

/* Returns true if there is room for one claim more. */
static bool make_room(struct jit_history *history, size_t name_bytes)
{
	if (fits(history, name_bytes))
		return true;
	if (history->is_crowded || history->budget->keeps_all)
		return false;
	jit_history_compact(history);
	history->is_crowded = history->bytes > share_of(history) / 4 * 3;
	return fits(history, name_bytes);
}

static int intern_name(struct jit_history *history, const char *name, size_t length,
		       uint32_t *ret_id)
{
	int rc = history->names.bytes.count ? 0 : strpool_init(&history->names);

	if (rc < 0)
		strpool_fini(&history->names);
	return rc < 0 ? rc : strpool_intern(&history->names, name, length, ret_id);
}

/* Returns true if the latest claim has the range of @claim and the name @name. */
static bool says_again(const struct jit_history *history, const struct jit_claim *claim,
		       const char *name, size_t length)
{
	const struct jit_claim *last = &history->claims.at[history->claims.count - 1];
	const char *have = jit_history_name(history, last);

	return last->start_addr == claim->start_addr && last->end_addr == claim->end_addr &&
	       strlen(have) == length && memcmp(have, name, length) == 0;
}

bool jit_history_claim(struct jit_history *history, const struct jit_claim *claim, const char *name,
		       size_t length)
{
	struct jit_claim *entry = NULL;
	uint32_t id = 0;
	bool has_room;

	if (history->claims.count && claim->from_ns < claim->by_ns &&
	    says_again(history, claim, name, length))
		return true;
	has_room = make_room(history, length);
	history->is_full |= !has_room;
	if (has_room && intern_name(history, name, length, &id) == 0)
		entry = vec_push(&history->claims);
	if (entry && u64map_put(&history->by_start, claim->start_addr,
				(uint32_t)history->claims.count) < 0) {
		history->claims.count--;
		entry = NULL;
	}
	if (entry) {
		*entry = *claim;
		entry->name = id;
	} else {
		jit_history_lose(history, claim->from_ns);
	}
	jit_history_count_bytes(history);
	return entry != NULL;
}

/* ---- spots ---- */

static size_t first_at(const struct jit_history *history, uint64_t addr)
{
	size_t low = 0, high = history->sorted.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (history->spots.at[history->sorted.at[middle]].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t jit_history_spot(struct jit_history *history, uint64_t addr, uint32_t location)
{
	struct jit_spot *spot = vec_push(&history->spots);
	struct jit_place *place = spot ? vec_push(&spot->places) : NULL;

	if (!spot)
		return UINT32_MAX;
	if (!place || vec_reserve(&history->sorted, history->spots.count) < 0) {
		vec_free(&spot->places);
		history->spots.count--;
		return UINT32_MAX;
	}
	spot->addr = addr;
	spot->since_ns = history->compacted_ns;
	place->first_ns = UINT64_MAX;
	place->location = location;
	return (uint32_t)(history->spots.count - 1);
}

static int compare_spots(const void *a, const void *b, void *context)
{
	const struct jit_history *history = context;
	uint64_t left = history->spots.at[*(const uint32_t *)a].addr;
	uint64_t right = history->spots.at[*(const uint32_t *)b].addr;

	return (left > right) - (left < right);
}

/*
 * Inserts the claim into the spot's list, which is ordered by time. Claims arrive nearly in this
 * order. In a program with several threads, a claim may arrive slightly late. Each list entry that
 * must be moved for the insertion counts toward JIT_MARKS_MAX. Without this limit, a file with
 * decreasing timestamps could make the work quadratic in the number of its records.
 */
static bool mark(struct jit_history *history, struct jit_spot *spot, uint32_t id)
{
	const struct jit_claim *claim = &history->claims.at[id];
	size_t at = spot->claims.count;
	bool is_new = at == 0 || claim->from_ns == claim->by_ns ||
		      !is_same(claim, &history->claims.at[spot->claims.at[at - 1]]);

	if (++history->mark_count > JIT_MARKS_MAX || (is_new && !vec_push(&spot->claims))) {
		jit_history_lose(history, claim->from_ns);
		return false;
	}
	if (!is_new)	/* a perf map has repeated the claim */
		return true;
	while (at > 0 && history->claims.at[spot->claims.at[at - 1]].by_ns > claim->by_ns) {
		spot->claims.at[at] = spot->claims.at[at - 1];
		history->mark_count++;
		at--;
	}
	spot->claims.at[at] = id;
	return true;
}

/*
 * Adds claim @id to the spots that it covers. @from is the index in history->sorted of the first
 * spot at or after the start of the claim.
 */
static void mark_range(struct jit_history *history, uint32_t id, size_t from)
{
	for (size_t i = from; i < history->sorted.count; i++) {
		struct jit_spot *spot = &history->spots.at[history->sorted.at[i]];

		if (spot->addr >= history->claims.at[id].end_addr || !mark(history, spot, id))
			return;
	}
}

static void settle_claims(struct jit_history *history, size_t first)
{
	for (size_t id = first; id < history->claims.count; id++)
		mark_range(history, (uint32_t)id,
			   first_at(history, history->claims.at[id].start_addr));
}

/*
 * Fills history->sorted with the indices of the spots from @first up to but not including @end,
 * ordered by address.
 */
static void sort(struct jit_history *history, size_t first, size_t end)
{
	vec_clear(&history->sorted);
	for (size_t i = first; i < end; i++)
		history->sorted.at[history->sorted.count++] = (uint32_t)i;
	if (first < end)
		qsort_r(history->sorted.at, history->sorted.count, sizeof(*history->sorted.at),
			compare_spots, history);
}

void jit_history_sort(struct jit_history *history)
{
	sort(history, 0, history->spots.count);
}

/* Compares new spots with all claims, but old spots only with new claims. */
void jit_history_settle(struct jit_history *history)
{
	size_t known = history->settled_claims, first = history->settled_spots;

	if (first < history->spots.count) {
		sort(history, first, history->spots.count);
		settle_claims(history, 0);
	}
	if (known < history->claims.count && first) {
		sort(history, 0, first);
		settle_claims(history, known);
	}
	history->settled_claims = history->claims.count;
	history->settled_spots = history->spots.count;
}

/* ---- which code was there at which time ---- */

static const struct jit_claim *claim_of(const struct jit_history *history,
					const struct jit_spot *spot, size_t i)
{
	return &history->claims.at[spot->claims.at[i]];
}

/* Returns the number of the spot's claims that certainly came into force at or before @time_ns. */
static size_t count_by(const struct jit_history *history, const struct jit_spot *spot,
		       uint64_t time_ns)
{
	size_t low = 0, high = spot->claims.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (claim_of(history, spot, middle)->by_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns the claim that was in force during the whole time from place->first_ns to place->last_ns,
 * or JIT_NO_CLAIM if there was none. If several claims may have been in force in that time, they
 * must all have the same name and range. If they do not, sets *@ret_unsure and returns
 * JIT_NO_CLAIM.
 */
static uint32_t only_claim(const struct jit_history *history, const struct jit_spot *spot,
			   const struct jit_place *place, bool *ret_unsure)
{
	size_t count = count_by(history, spot, place->first_ns);
	uint32_t one = count ? spot->claims.at[count - 1] : JIT_NO_CLAIM;
	bool is_late = false;

	if (place->first_ns < spot->since_ns) {
		*ret_unsure = true;
		return JIT_NO_CLAIM;
	}
	for (size_t i = count; i < spot->claims.count; i++) {
		const struct jit_claim *claim = claim_of(history, spot, i);

		if (claim->from_ns > place->last_ns)
			break;
		if (one == JIT_NO_CLAIM && place->first_ns >= claim->from_ns) {
			one = spot->claims.at[i];
			is_late = true;
		} else if (one == JIT_NO_CLAIM || !is_same(claim, &history->claims.at[one])) {
			*ret_unsure = true;
			return JIT_NO_CLAIM;
		}
	}
	if (is_late || one == JIT_NO_CLAIM || history->claims.at[one].name)
		return one;
	return JIT_NO_CLAIM;
}

uint32_t jit_history_judge(const struct jit_history *history, const struct jit_spot *spot,
			   const struct jit_place *place, bool *ret_unsure)
{
	*ret_unsure = place->last_ns >= history->lost_ns;
	return *ret_unsure ? JIT_NO_CLAIM : only_claim(history, spot, place, ret_unsure);
}

uint32_t jit_history_generation(const struct jit_history *history, const struct jit_spot *spot,
				uint64_t time_ns)
{
	const struct jit_place moment = { .first_ns = time_ns, .last_ns = time_ns };
	bool is_unsure = false;

	(void)only_claim(history, spot, &moment, &is_unsure);
	return is_unsure ? JIT_UNSURE : (uint32_t)count_by(history, spot, time_ns);
}
