/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_history.h - which generated code of a process was where, and when
 *
 * A claim says that a range of addresses holds a function from some moment on. A jitdump knows that
 * moment. A perf map has no times: its line was written between two looks at the file, so the claim
 * came into force after from_ns and not later than by_ns. A claim is in force until another claim
 * covers the address.
 *
 * A spot is an address that was sampled. Each spot has a list of the claims that cover it, in the
 * order in which they came into force, and the times of its first and last samples. Its name is
 * looked up for the interval between these times:
 * - If one claim was in force all the time, the spot gets the claim's name.
 * - If another claim came into force in that time, or may have, the spot gets no name, because it
 *   is unknown which samples belong to which claim.
 * - If no claim was certainly in force, but one claim may have been in force all the time, the spot
 *   gets the claim's name. This happens because the lines of a perf map are written late.
 *
 * If a change of the code is known early enough, the samples are separated beforehand: a spot has
 * one place for each time in which one claim was in force (the generation of the place), and each
 * place has a location of its own. A claim that is learned late can therefore cost a name, but it
 * never causes a wrong one.
 *
 * Limits: JIT_CLAIMS_MAX and JIT_NAME_BYTES_MAX apply to all processes together, in one struct
 * jit_budget. One process gets at most half of what the others leave, so that there is room for
 * another process. JIT_MARKS_MAX pairs of spot and claim apply to each process. If a claim does not
 * fit, all code is unknown from its moment on (lost_ns), because a missing name is better than a
 * name that may be out of date.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_HISTORY_H
#define ASSAY_SYMBOLIZE_JIT_HISTORY_H

#include "base/strpool.h"
#include "base/u64map.h"
#include "base/vec.h"

#define JIT_CLAIMS_MAX 1000000u
#define JIT_NAME_BYTES_MAX (64u << 20)
#define JIT_MARKS_MAX 4000000u

#define JIT_NO_CLAIM UINT32_MAX

struct jit_budget {
	size_t claim_count, name_bytes;	/* used by all processes together */
	uint64_t dump_bytes;	/* jitdump bytes that may still be read in this round */
};

struct jit_claim {
	uint64_t start_addr;
	uint64_t end_addr;	/* one past the last byte */
	uint64_t from_ns, by_ns;
	uint32_t name;		/* in jit_history.names; 0: the range holds no known function */
	uint32_t lines_bytes;	/* size of the line entries in the jitdump; 0: none */
	uint64_t lines_at;
	uint64_t code_at;	/* file offset of the code in the jitdump; 0: none */
	uint64_t lines_addr;	/* address of the function when its line entries were written */
};

/*
 * The samples of a spot that were taken under the same claim, as far as was known when they were
 * settled.
 */
struct jit_place {
	uint32_t generation;
	uint32_t location;
	uint64_t first_ns, last_ns;
	uint64_t count;
	uint64_t told_count;	/* count when last named by jit_name_now(); 0: never */
	size_t told_claims;
};

#define JIT_UNSURE UINT32_MAX	/* generation of samples whose claim is uncertain */

struct jit_spot {
	uint64_t addr;
	VEC(uint32_t) claims;	/* ids of claims, in the order in which they came into force */
	VEC(struct jit_place) places;
};

struct jit_history {
	struct jit_budget *budget;	/* borrowed */
	struct strpool names;		/* initialized by the first claim */
	bool is_full;			/* a claim did not fit into the budget */
	VEC(struct jit_claim) claims;
	VEC(struct jit_spot) spots;
	VEC(uint32_t) sorted;		/* indices of some of the spots, ordered by address */
	struct u64map by_start;		/* address -> the last claim that begins there, plus 1 */
	size_t settled_claims;		/* claims included in the lists of the settled spots */
	size_t settled_spots;		/* number of settled spots, the first in spots */
	size_t mark_count;
	uint64_t lost_ns;		/* claims are missing from then on; UINT64_MAX: never */
};

void jit_history_init(struct jit_history *history, struct jit_budget *budget);
void jit_history_fini(struct jit_history *history);	/* returns what it used of the budget */

/*
 * Adds @claim as the latest one, with @name as its name. A perf map may repeat the latest claim,
 * which changes nothing. If there is no room, updates lost_ns and returns false.
 */
bool jit_history_claim(struct jit_history *history, const struct jit_claim *claim, const char *name,
		       size_t length);

/* Returns the name of @claim. The string is valid until the next claim is added. */
static inline const char *jit_history_name(const struct jit_history *history,
					   const struct jit_claim *claim)
{
	return claim->name ? strpool_get(&history->names, claim->name) : "";
}

/* Records that claims from @from_ns on are missing. */
void jit_history_lose(struct jit_history *history, uint64_t from_ns);

/* Drops all claims so that a better source can replace them. Keeps all spots. */
void jit_history_clear(struct jit_history *history);

/* Returns the last claim that begins at @addr, or JIT_NO_CLAIM. */
uint32_t jit_history_claim_at(const struct jit_history *history, uint64_t addr);

/*
 * Adds a spot whose first place has the location @location. Returns its index, or UINT32_MAX if out
 * of memory.
 */
uint32_t jit_history_spot(struct jit_history *history, uint64_t addr, uint32_t location);

/* Fills history->sorted with all spots. */
void jit_history_sort(struct jit_history *history);

/* Updates the claim lists of all spots for the claims and spots added since the last call. */
void jit_history_settle(struct jit_history *history);

/* Returns the generation under which a sample of @spot at @time_ns is counted, or JIT_UNSURE. */
uint32_t jit_history_generation(const struct jit_history *history, const struct jit_spot *spot,
				uint64_t time_ns);

/*
 * Returns the claim that names all samples of @place. Returns JIT_NO_CLAIM if there is no such
 * claim; *@ret_unsure then says whether that is because several claims are possible or claims are
 * missing.
 */
uint32_t jit_history_judge(const struct jit_history *history, const struct jit_spot *spot,
			   const struct jit_place *place, bool *ret_unsure);

#endif
