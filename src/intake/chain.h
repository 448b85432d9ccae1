/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h - turns a callchain of addresses into a stack of the model
 *
 * The kernel delivers the addresses of a callchain from the innermost frame to the outermost, with
 * marks between the kernel part and the user part. Kernel addresses become locations in the
 * kernel's images. User addresses become locations in the images that the process has mapped at
 * these addresses. A stack of the model is a path in a tree, from the outermost frame to the
 * innermost. The locations are added to the path in this order, and the last node is the stack. The
 * rules for user frames are:
 *
 * - If a caller's address is in no mapping, the walk ends (LOSS_STACK_BROKEN, STACK_ROOT_BROKEN).
 *   Such an address is garbage: the kernel followed frame pointers through code that has none.
 *   Garbage must not be shown.
 * - The sampled address cannot be garbage. If it is in no mapping, it becomes a location of the
 *   image "[unknown]" (LOSS_MAPPING_UNKNOWN).
 * - If a caller's address is so low that nothing can be mapped there, the stack ends cleanly before
 *   it. Start code, for example, leaves a zero in the frame pointer.
 * - For a return address, the call itself is looked up (address - 1), so that a call at the very
 *   end of a function is attributed to that function.
 *
 * A program can point its frame-pointer chain anywhere into its own code, and each address would
 * create a new location. So each process has a budget for callers that were never seen before:
 * 20,000 at once, then 5,000 per second. When the budget is used up, the walks of that process end
 * at the first new caller (LOSS_LOCATION_BUDGET). The sampled address is always kept. There is a
 * similar budget for callers in mappings that were never hit before (LOSS_MAPPING_BUDGET,
 * tracker.h).
 *
 * A program can also arrange known callers in ever new orders, and each sample would create up to
 * 127 new stack nodes. So each process also has a budget of new nodes: 2,000,000 at once, then
 * 20,000 per second. Measured at 999 Hz, a compiler creates 2 new nodes per sample. A branching
 * recursion (fib) creates 20, which matches the 20,000 nodes per second of the budget. The worst
 * legitimate case is a recursion that branches at random and is deeper than the kernel's limit. It
 * creates 113 new nodes per sample. The budget is enough for 20 seconds of CPU time of this case at
 * 999 Hz, or for an unlimited time at the 99 Hz of a system-wide recording. A forked process starts
 * with what is left of its parent's budget and then uses its own copy, so children that live for a
 * few samples never come near the limit.
 *
 * When the budget of new nodes is used up, stacks that are not in the cache are shortened
 * (LOSS_STACK_BUDGET, STACK_ROOT_TRUNCATED): a user stack to its leaf, and a stack with kernel
 * frames to its kernel part. The number of different shortened stacks is limited by the number of
 * addresses in the code.
 *
 * Programs repeat themselves. A cache of whole chains therefore answers most samples with one
 * comparison, which covers every byte of the chain. The cache key contains the stamp of the address
 * space, a number that changes with every change of the mappings, so outdated entries are no longer
 * found. User and kernel parts are cached separately, because they vary independently.
 */
#ifndef ASSAY_INTAKE_CHAIN_H
#define ASSAY_INTAKE_CHAIN_H

#include "intake/sent_stacks.h"
#include "intake/stack_walk.h"
#include "process/tracker.h"

struct chains;

/*
 * Creates the converter from callchains to stacks. @kernel_images maps kernel addresses to images
 * (process/kernel_images.h).
 */
struct kernel_images;
int chains_new(struct model *model, struct tracker *tracker, struct kernel_images *kernel_images,
	       struct chains **ret_chains);
void chains_free(struct chains *chains);	/* NULL is allowed */

/* Drops every remembered stack of the model, because the model forgets its stacks. */
void chains_forget_stacks(struct chains *chains);

/*
 * From now on, unwinds user frames from copied stacks (--call-graph dwarf). The caller must have
 * configured perf so that the kernel's callchains contain no user frames. @walker is borrowed.
 */
void chains_walk_stacks(struct chains *chains, struct stack_walker *walker);

/*
 * Returns the store for stacks that the in-kernel sampler sends. Samples of the in-kernel sampler
 * refer to these stacks by hash. The caller must call sent_stacks_advance() with the time of each
 * record. If samples can contain a copied stack, the caller must also call chains_walk_stacks().
 */
struct sent_stacks *chains_sent_stacks(struct chains *chains);

/*
 * Returns true if unwinding the user part of the last sample ended for lack of data: at an address
 * in no mapping, or in an image without an unwind table.
 */
bool chains_led_nowhere(const struct chains *chains);

/*
 * Returns the stack of a sample. The leaf of the stack is the sampled address, sample->addr. For a
 * wait, which has no sampled address (0), the leaf is the innermost recorded frame. If @want_user
 * is false, the root of the stack is STACK_ROOT_NONE, and the stack has no user frames except the
 * sampled address. *@ret_kernel_addrs and *@ret_kernel_count receive the addresses of the kernel
 * part, innermost first, for context_of_chain(). They are valid until the next call.
 */
uint32_t chain_stack(struct chains *chains, struct live_thread *thread,
		     const struct perf_record *record, bool want_user,
		     const uint64_t **ret_kernel_addrs, size_t *ret_kernel_count);

/*
 * Sets *ret_found to the number of chains that were found in the cache, and *ret_walked to the
 * number of chains that were not.
 */
void chains_counts(const struct chains *chains, uint64_t *ret_found, uint64_t *ret_walked);

#endif
