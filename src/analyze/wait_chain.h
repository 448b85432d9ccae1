/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_chain.h - who ended each wait, and what the waker itself waited for meanwhile
 *
 * With --off-cpu-wakers the recording has a waker for each wait: the thread that was current when
 * the sleeping thread was woken, and its stack at that moment. If an interrupt woke the thread, the
 * stack is that of the interrupt, and the thread that was current has nothing to do with it.
 *
 * A row is a pair of places: where a thread was blocked, and from where it was woken. Below a row
 * are the waits of the waker during the waits of the row. So the rows form a tree: A waits for B,
 * and B waits for the disk. The time of a child is the time in which both were blocked. All times
 * are measured.
 *
 * A place is the name of the thread and the innermost frames of the stack, without the functions
 * of the kernel that every wait or every wakeup goes through.
 *
 * Memory: one struct for each wait of the recording, up to WAIT_CHAIN_WAITS_MAX waits. The search
 * for waits of wakers takes a limited number of steps. `cut` is set if a limit was reached.
 */
#ifndef ASSAY_ANALYZE_WAIT_CHAIN_H
#define ASSAY_ANALYZE_WAIT_CHAIN_H

#include "analyze/call_frame.h"
#include "analyze/filter.h"
#include "model/model.h"
#include "store/recording.h"

#define WAIT_FRAMES_MAX 6
#define WAIT_CHAIN_WAITS_MAX (1u << 21)
#define WAIT_CHAIN_DEPTH_MAX 4

struct wait_place {
	uint32_t comm;			/* string: name of the thread */
	enum context context;		/* of a waker: an interrupt has no user frames here */
	uint32_t frame_count;
	uint64_t frames[WAIT_FRAMES_MAX];	/* innermost first; see call_frame.h */
};

struct wait_row {
	uint32_t parent;		/* 0: the waits that the filter selects */
	uint32_t depth;			/* 1 for these waits */
	uint32_t waiter, waker;		/* places; waker 0: not recorded */
	uint64_t waits;
	/* blocked time; of a child, only that during the waits of its parent */
	uint64_t ns;
	uint64_t longest_ns;
};

struct wait_chains {
	const struct model *model;	/* borrowed */
	VEC(struct wait_place) places;	/* [0]: none */
	VEC(struct wait_row) rows;	/* [0]: the sum of all rows of depth 1 */
	/* numbers of all other rows, by parent; those with the most time come first */
	VEC(uint32_t) order;
	uint64_t threads;		/* number of threads that waited */
	bool has_wakers;		/* false: the recording has no wakers */
	bool cut;
};

/*
 * Returns 0, -ENOMEM or the error of reading the recording. Returns -ENODATA if no waits were
 * recorded. Call wait_chains_fini() in all cases. wait_places_read() leaves out the wakers, so
 * there is one row for each place where threads waited.
 */
int wait_places_read(struct recording *recording, struct model *model, const struct filter *filter,
		     struct wait_chains *ret_chains, struct err *err);
int wait_chains_read(struct recording *recording, struct model *model, const struct filter *filter,
		     struct wait_chains *ret_chains, struct err *err);
void wait_chains_fini(struct wait_chains *chains);

/* Returns the numbers of the rows below @parent, most time first. They belong to @chains. */
const uint32_t *wait_chains_children(const struct wait_chains *chains, uint32_t parent,
				     size_t *ret_count);

/* Returns true if an interrupt ended the waits of the row, and not a thread. */
bool wait_place_is_interrupt(const struct wait_place *place);

#endif
