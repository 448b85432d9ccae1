/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h - turns a callchain of addresses into a stack of the model
 *
 * The kernel delivers a sample's callchain innermost frame first, with marks between the kernel and
 * the user part. Kernel addresses become locations of the kernel's images; user addresses become
 * locations of the images that the process has mapped there. The locations are then walked inwards
 * from the outermost frame, which gives the id of the stack. The rules for user frames are:
 *
 * - If a caller's address is in no mapping, the walk ends (LOSS_STACK_BROKEN, STACK_ROOT_BROKEN).
 *   Such addresses are garbage: they come from a frame-pointer chain through code that has no
 *   frame pointers. Garbage must not be shown.
 * - The sampled address cannot be garbage. If it is in no mapping, it becomes a location of the
 *   image "[unknown]" (LOSS_MAPPING_UNKNOWN).
 * - A caller at an address where nothing can be mapped (such as the zero that start code leaves in
 *   the frame pointer) is a clean end of the stack.
 * - For a return address, the call itself is looked up (address - 1), so that a call at the very
 *   end of a function is attributed to that function.
 *
 * A program can point its frame-pointer chain anywhere into its own code, and each address would
 * create a new location. So each process has a budget of callers that were never seen before:
 * 20,000 at once, then 5,000 per second. When it is used up, walks of that process end at the first
 * new caller (LOSS_LOCATION_BUDGET). The sampled address is always kept. There is a similar budget
 * for callers in mappings that were never hit before (LOSS_MAPPING_BUDGET, tracker.h).
 *
 * A program can also arrange known callers in ever new orders, and each sample would create up to
 * 127 new stack nodes. So each process also has a budget of new nodes: 2,000,000 at once, then
 * 20,000 per second. Measured at 999 Hz, a compiler creates 2 new nodes per sample, and a branching
 * recursion (fib) creates 20, which matches the refill rate. The worst legitimate case is a
 * recursion that branches at random and is deeper than the kernel's limit. It creates 113 new nodes
 * per sample. The budget is enough for 20 seconds of CPU time at that rate, or for an unlimited
 * time at the 99 Hz of a system-wide recording. A forked process starts with the rest of its
 * parent's budget and then uses its own copy, so children that live for a few samples never come
 * near the limit.
 *
 * When the budget of new nodes is used up, a user stack that is not in the cache is reduced to its
 * leaf, and a stack with kernel frames to its kernel part (LOSS_STACK_BUDGET,
 * STACK_ROOT_TRUNCATED). The number of different stacks that remain is limited by the number of
 * addresses in the code.
 *
 * Programs repeat themselves, so a cache of whole chains, verified byte for byte, answers most
 * samples with one comparison. The cache key contains the stamp of the address space, a number that
 * changes with every change of the mappings. Outdated entries are therefore no longer found. User
 * and kernel parts are cached separately, because they vary independently.
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

/*
 * From now on, unwinds user frames from copied stacks (--call-graph dwarf). The kernel's callchains
 * must then contain no user frames. @walker is borrowed.
 */
void chains_walk_stacks(struct chains *chains, struct stack_walker *walker);

/*
 * Returns the store of the stacks that the in-kernel sampler sent. Samples of the in-kernel sampler
 * refer to these stacks by hash. For samples that contain a copied stack, call chains_walk_stacks()
 * as well. The caller must call sent_stacks_advance() with the time of each record.
 */
struct sent_stacks *chains_sent_stacks(struct chains *chains);

/*
 * Returns true if unwinding the user part of the last sample ended at an address that is in no
 * mapping or in an image without an unwind table.
 */
bool chains_led_nowhere(const struct chains *chains);

/*
 * Returns the stack of a sample, whose leaf is sample->addr. If @want_user is false, the stack has
 * no user frames (STACK_ROOT_NONE). *@ret_kernel_addrs and *@ret_kernel_count receive the kernel
 * part, innermost first, for context_of_chain(); the addresses are valid until the next call.
 */
uint32_t chain_stack(struct chains *chains, struct live_thread *thread,
		     const struct perf_record *record, bool want_user,
		     const uint64_t **ret_kernel_addrs, size_t *ret_kernel_count);

/* Returns how many chains were found in the cache, and how many had to be walked. */
void chains_counts(const struct chains *chains, uint64_t *ret_found, uint64_t *ret_walked);

#endif
