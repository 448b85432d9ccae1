/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_history.h - what code stood where in a process's generated code, and when
 *
 * A claim says that from some moment on a range of addresses holds a function.  A jitdump knows
 * the moment, a perf map has no times: its line was written between two looks at the file, and so
 * a claim came into force after from_ns and not later than by_ns.  It is in force until another
 * one covers the address.
 *
 * A spot is an address that was hit.  For each spot the claims that cover it are kept in the order
 * in which they came into force, and of its samples when the first and the last of them was; so
 * that what it is called is asked of an interval of time:
 *	one claim was in force all the time		its name
 *	another came into force meanwhile, or may have	none: whose samples they are is not known
 *	none was, but one may have been all the time	its name; a perf map's line comes late
 * Samples are put apart before that where it is known in time that the code changed: each of a
 * spot's places is the time in which one claim was in force (generation), with a location of its
 * own.  What is learned late can therefore cost names, but never show a wrong one.
 *
 * Bounds: JIT_CLAIMS_MAX and JIT_NAME_BYTES_MAX in one struct jit_budget for all processes, of
 * which none gets more than half of what the others leave, so that there is room for another;
 * JIT_MARKS_MAX pairs of spot and claim in each.  What finds no room makes everything from its
 * moment on unknown (lost_ns): no name is better than one that may be stale.
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
	size_t claim_count, name_bytes;	/* of all */
	uint64_t dump_bytes;	/* of jitdumps that may still be read now */
};

struct jit_claim {
	uint64_t start_addr;
	uint64_t end_addr;	/* one past */
	uint64_t from_ns, by_ns;
	uint32_t name;		/* of jit_history.names; 0: nothing that is known stands there */
	uint32_t lines_bytes;	/* where in the dump its lines are; 0 bytes: it has none */
	uint64_t lines_at;
	uint64_t code_at;	/* and its code; 0: not there */
	uint64_t lines_addr;	/* where it was when its lines were written */
};

/* Samples of a spot in which the same claim was in force, as far as was known then. */
struct jit_place {
	uint32_t generation;
	uint32_t location;
	uint64_t first_ns, last_ns;
	uint64_t count;
	uint64_t told_count;	/* when it was named last, while more may come; 0: not yet */
	size_t told_claims;
};

#define JIT_UNSURE UINT32_MAX	/* the generation of what changed meanwhile */

struct jit_spot {
	uint64_t addr;
	VEC(uint32_t) claims;	/* in force one after the other */
	VEC(struct jit_place) places;
};

struct jit_history {
	struct jit_budget *budget;	/* borrowed */
	struct strpool names;		/* nothing in it before the first claim */
	bool is_full;			/* a claim found no room in the budget */
	VEC(struct jit_claim) claims;
	VEC(struct jit_spot) spots;
	VEC(uint32_t) sorted;		/* some of the spots, by address */
	struct u64map by_start;		/* address -> the last claim that begins there, plus 1 */
	size_t settled_claims;		/* that stand in the lists of the settled spots, */
	size_t settled_spots;		/* which come first */
	size_t mark_count;
	uint64_t lost_ns;		/* from then on claims are missing; UINT64_MAX: none is */
};

void jit_history_init(struct jit_history *history, struct jit_budget *budget);
void jit_history_fini(struct jit_history *history);	/* gives the budget back what it took */

/*
 * Entered as the latest; its name is given beside it.  A perf map may say the same again, which
 * changes nothing.  Without room: lost_ns, and false.
 */
bool jit_history_claim(struct jit_history *history, const struct jit_claim *claim, const char *name,
		       size_t length);

/* Valid until the next claim. */
static inline const char *jit_history_name(const struct jit_history *history,
					   const struct jit_claim *claim)
{
	return claim->name ? strpool_get(&history->names, claim->name) : "";
}

/* Claims from @from_ns on are not known. */
void jit_history_lose(struct jit_history *history, uint64_t from_ns);

/* All claims are given up for others (of a better source), all spots stay. */
void jit_history_clear(struct jit_history *history);

/* The last claim that begins at @addr, or JIT_NO_CLAIM. */
uint32_t jit_history_claim_at(const struct jit_history *history, uint64_t addr);

/* The index of a new spot, UINT32_MAX when out of memory.  @location: of its first place. */
uint32_t jit_history_spot(struct jit_history *history, uint64_t addr, uint32_t location);

/* Fills `sorted` with all spots. */
void jit_history_sort(struct jit_history *history);

/* Claims and spots that are new since the last time are brought together. */
void jit_history_settle(struct jit_history *history);

/* As whose a sample of the spot at @time_ns is to be counted: a generation. */
uint32_t jit_history_generation(const struct jit_history *history, const struct jit_spot *spot,
				uint64_t time_ns);

/*
 * The claim that gives a name to all of the place's samples; JIT_NO_CLAIM when nothing is known of
 * the address, with *ret_unsure when too much is.
 */
uint32_t jit_history_judge(const struct jit_history *history, const struct jit_spot *spot,
			   const struct jit_place *place, bool *ret_unsure);

#endif
