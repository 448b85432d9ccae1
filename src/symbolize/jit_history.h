/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_history.h - the functions in the generated code of a process over time
 *
 * A claim says that a range of addresses holds a function from some moment on. In a jitdump, that
 * moment is known. A perf map has no timestamps. Each of its lines was written between two looks at
 * the file. So the claim of a line came into force at an unknown moment after from_ns and not later
 * than by_ns. At each address, a claim stays in force until another claim covers the address.
 *
 * A spot is an address that was sampled. Each spot has a list of the claims that cover it, in the
 * order in which they came into force, and the timestamps of its first and last samples. The spot's
 * name is looked up for the interval between these two timestamps:
 * - If one claim was in force during the whole interval, the spot gets the claim's name.
 * - If another claim came into force during the interval, or may have, the spot gets no name,
 *   because it is unknown which samples belong to which claim.
 * - If no claim was certainly in force, but one claim may have been in force during the whole
 *   interval, the spot gets that claim's name. This case occurs because the lines of a perf map
 *   are written late.
 *
 * If a change of the code is known before the samples are assigned, the spot gets one place for
 * each claim that was in force, and each place has a location of its own. The generation of a place
 * is the number of the spot's claims that had come into force when the samples of the place were
 * taken. If a claim is read only after the samples were assigned, a name may be missing, but no
 * name is wrong.
 *
 * One struct jit_budget limits the memory of the claims of all processes together. One process gets
 * at most half of what the other processes have not used, so that the next process still gets a
 * share. When its share is used up, the claims that are over leave memory (jit_compact.c).
 * JIT_MARKS_MAX limits the number of pairs of a spot and a claim in each process. If a claim still
 * exceeds a limit, all code is treated as unknown from the claim's moment on (lost_ns), because a
 * missing name is better than an outdated one.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_HISTORY_H
#define ASSAY_SYMBOLIZE_JIT_HISTORY_H

#include "base/strpool.h"
#include "base/u64map.h"
#include "base/vec.h"

#define JIT_MARKS_MAX 1000000u
#define JIT_BYTES_MAX ((size_t)192 << 20)	/* a usual budget->bytes_max */

#define JIT_NO_CLAIM UINT32_MAX

struct jit_budget {
	size_t bytes_max;
	size_t bytes;		/* what the claims of all processes take, with their names */
	/*
	 * Claims do not leave memory, because samples may come that are much older than what was
	 * read of the files.
	 */
	bool keeps_all;
	/* jitdump bytes that may still be read in this call of jit_settle() or jit_name() */
	uint64_t dump_bytes;
};

struct jit_claim {
	uint64_t start_addr;
	uint64_t end_addr;	/* one past the last byte */
	uint64_t from_ns, by_ns;
	/* offset in jit_history.names; 0: the range holds no known function */
	uint32_t name;
	uint32_t lines_bytes;	/* size of the line entries in the jitdump; 0: none */
	uint64_t lines_at;
	uint64_t code_at;	/* file offset of the code in the jitdump; 0: none */
	/* address that the function had when its line entries were written */
	uint64_t lines_addr;
};

/*
 * Samples of one spot that were taken while the same claim was in force. Only the claims that were
 * known when the samples were assigned are considered.
 */
struct jit_place {
	uint32_t generation;
	uint32_t location;
	uint64_t first_ns, last_ns;
	uint64_t count;
	/* value of count when jit_name_now() last named the place; 0: never named */
	uint64_t told_count;
	size_t told_claims;
};

#define JIT_UNSURE UINT32_MAX	/* generation of samples that cannot be assigned to one claim */

struct jit_spot {
	uint64_t addr;
	uint64_t since_ns;	/* earlier claims may be missing */
	VEC(uint32_t) claims;	/* ids of claims, in the order in which they came into force */
	VEC(struct jit_place) places;
};

struct jit_history {
	struct jit_budget *budget;	/* borrowed */
	struct strpool names;		/* initialized when the first claim is added */
	size_t bytes;			/* its share of budget->bytes */
	bool is_full;			/* a claim did not fit into the budget */
	/* nearly all claims are still in force, so that it is no use to look for others */
	bool is_crowded;
	VEC(struct jit_claim) claims;
	VEC(struct jit_spot) spots;
	VEC(uint32_t) sorted;		/* scratch: indices of spots, ordered by address */
	/* address -> 1 + index of the last claim that begins there */
	struct u64map by_start;
	/* number of claims that are already in the lists of the settled spots */
	size_t settled_claims;
	/* number of spots whose lists are up to date; these spots come first in the array */
	size_t settled_spots;
	size_t mark_count;
	/* claims that were over before this time may have left memory */
	uint64_t compacted_ns;
	/* timestamp from which on claims are missing; UINT64_MAX: none are missing */
	uint64_t lost_ns;
};

void jit_history_init(struct jit_history *history, struct jit_budget *budget);
void jit_history_fini(struct jit_history *history);	/* also returns its share of the budget */

/*
 * Adds @claim, with @name as its name, as the latest claim. If @claim repeats the latest claim, as
 * a perf map may do, nothing changes. If a limit is exceeded or memory runs out, updates lost_ns
 * and returns false.
 */
bool jit_history_claim(struct jit_history *history, const struct jit_claim *claim, const char *name,
		       size_t length);

/*
 * Frees the memory of claims that cover no spot, and whose whole range later claims have taken
 * over. Only spots that are new after this could have needed them, for samples that were taken
 * before; these samples are unsure. Claims get other ids. If memory runs out, nothing changes.
 * Defined in jit_compact.c.
 */
void jit_history_compact(struct jit_history *history);

/* Counts what the claims and their names take. Call this after a change of either. */
void jit_history_count_bytes(struct jit_history *history);

/* Returns the name of @claim. The string is valid until the next claim is added. */
static inline const char *jit_history_name(const struct jit_history *history,
					   const struct jit_claim *claim)
{
	return claim->name ? strpool_get(&history->names, claim->name) : "";
}

/* Records that claims are missing from @from_ns on. */
void jit_history_lose(struct jit_history *history, uint64_t from_ns);

/* Drops all claims because a more reliable file will replace them. Keeps all spots. */
void jit_history_clear(struct jit_history *history);

/* Returns the latest claim whose range begins at @addr, or JIT_NO_CLAIM. */
uint32_t jit_history_claim_at(const struct jit_history *history, uint64_t addr);

/*
 * Adds a spot for @addr. The spot gets its first place, and @location is the location of that
 * place. Returns the spot's index, or UINT32_MAX if out of memory.
 */
uint32_t jit_history_spot(struct jit_history *history, uint64_t addr, uint32_t location);

/* Fills history->sorted with the indices of all spots, ordered by address. */
void jit_history_sort(struct jit_history *history);

/*
 * Brings the claim lists of all spots up to date with the claims and spots added since the last
 * call.
 */
void jit_history_settle(struct jit_history *history);

/*
 * Returns the generation of the place for a sample of @spot that was taken at @time_ns. Returns
 * JIT_UNSURE if the sample cannot be assigned to one claim.
 */
uint32_t jit_history_generation(const struct jit_history *history, const struct jit_spot *spot,
				uint64_t time_ns);

/*
 * Returns the claim that gives all samples of @place their name, or JIT_NO_CLAIM if there is no
 * such claim. In the latter case, *@ret_unsure is true if several claims are possible or claims are
 * missing, and false if no claim was in force.
 */
uint32_t jit_history_judge(const struct jit_history *history, const struct jit_spot *spot,
			   const struct jit_place *place, bool *ret_unsure);

#endif
