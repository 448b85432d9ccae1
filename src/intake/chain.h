/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h - from a callchain of addresses to a stack of the model
 *
 * The kernel gives a sample's callchain innermost first, with marks where it passes from
 * kernel to user addresses.  Kernel addresses become locations of the kernel's images, user
 * addresses locations of what the process has mapped there; the walk inwards from the
 * outermost frame gives the stack's id.  A user frame that lies in no mapping ends the walk
 * (LOSS_STACK_BROKEN, STACK_ROOT_BROKEN): a frame-pointer chain through code without frame
 * pointers yields garbage, and garbage is not shown.  The frame that was executing cannot be
 * garbage: without a mapping it is a location of the image "[unknown]" (LOSS_MAPPING_UNKNOWN).
 * A caller at an address that nothing can be mapped at (the zero that start code leaves in the
 * frame pointer) is a clean end.  For return addresses the call itself is looked up
 * (address - 1), so that a call at the very end of a function stays its own.
 *
 * A program can point its frame-pointer chain anywhere into code of its own, and each address
 * would be a row.  So a process gets a budget of callers that were never seen before (20,000 at
 * once, then 5,000 a second), past which its walks are broken off (LOSS_LOCATION_BUDGET); the
 * sampled address always counts.  So it is with callers in mappings that were never hit before
 * (LOSS_MAPPING_BUDGET, tracker.h).
 *
 * It can also chain known callers in ever new orders, and each sample would be up to 127 new
 * nodes of stacks.  A process has a budget of those, too: 2,000,000 at once, then 20,000 a
 * second.  Measured at 999 Hz, a compiler shows 2 new nodes a sample, a recursion that branches
 * (fib) 20, which is what comes back each second; the worst that is no forgery, a recursion
 * deeper than the kernel walks that branches at random, shows 113 and may do so for 20 seconds
 * of CPU time, at the 99 Hz of a whole machine for ever.  Forked processes begin with what their
 * parent has left, and use their own from then on: children that live a few samples never come
 * near it.  Past it a stack that is not in the cache is its leaf alone, and one of the kernel
 * its kernel part alone (LOSS_STACK_BUDGET, STACK_ROOT_TRUNCATED); both are as many as there are
 * places in the code.
 *
 * Programs repeat themselves: a cache of whole chains, verified byte for byte, answers most
 * samples with one comparison.  It is keyed by the address space's stamp, so that a changed
 * mapping makes its entries unfindable.  User and kernel parts are cached apart, because they
 * vary independently.
 */
#ifndef ASSAY_INTAKE_CHAIN_H
#define ASSAY_INTAKE_CHAIN_H

#include "intake/sent_stacks.h"
#include "intake/stack_walk.h"
#include "process/tracker.h"

struct chains;

/* @kernel_images: where kernel addresses belong (process/kernel_images.h). */
struct kernel_images;
int chains_new(struct model *model, struct tracker *tracker, struct kernel_images *kernel_images,
	       struct chains **ret_chains);
void chains_free(struct chains *chains);	/* NULL is fine */

/*
 * User frames come from copied stacks from now on (--call-graph dwarf), not from the kernel's
 * chain, which then has none. @walker is borrowed.
 */
void chains_walk_stacks(struct chains *chains, struct stack_walker *walker);

/*
 * The stacks that samples of the in-kernel sampler name; those that come with a copied stack need
 * chains_walk_stacks(), too.  The store is to be told the time by the caller.
 */
struct sent_stacks *chains_sent_stacks(struct chains *chains);

/* Did the walk of the last sample's user part come to where nothing is mapped? */
bool chains_led_nowhere(const struct chains *chains);

/*
 * The stack of a sample; its leaf is sample->addr. @want_user: false leaves user frames out
 * (STACK_ROOT_NONE).  *ret_kernel_addrs, *ret_kernel_count: the kernel part, innermost first,
 * for context_of_chain(); valid until the next call.
 */
uint32_t chain_stack(struct chains *chains, struct live_thread *thread,
		     const struct perf_record *record, bool want_user,
		     const uint64_t **ret_kernel_addrs, size_t *ret_kernel_count);

/* How many walks the cache has saved, and how many were done. */
void chains_counts(const struct chains *chains, uint64_t *ret_found, uint64_t *ret_walked);

#endif
