/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - walks the user stack of the current task, frame by frame
 *
 * For each frame, the sampler finds the mapping that contains the address, then the row of that
 * mapping's unwind table, then the row's rule. With this rule it takes one step to the caller
 * (unwind/step.h). All searches are binary searches with a limited number of steps. The verifier
 * accepts them only as callbacks of bpf_loop() that are nested in each other (Linux 5.17). If the
 * loops were unrolled, there would be more than a million instructions. The walk is a global
 * (non-static) function, because the verifier checks such a function only once instead of at each
 * call. This reduces the loading time to a tenth.
 *
 * The sampler uses the contents of a table only as data. A wrong table leads to a wrong stack, but
 * never to a fault.
 */
#ifndef ASSAY_BPF_WALK_H
#define ASSAY_BPF_WALK_H

#include "bpf/find_rule.h"
#include "bpf/maps.h"
#include "bpf/stacks_sent.h"
#include "bpf/user_regs.h"
#include "unwind/frame_pointer.h"

#define RECENT_SHIFT 21		/* all addresses in the same 2 MiB share an entry of `recent` */

struct search {
	uint64_t wanted;
	/* the first mapping that starts after `wanted` has an index from `low` to `high` */
	uint32_t low, high;
};

static long search_mapping(uint32_t step, struct search *search)
{
	uint32_t middle = search->low + (search->high - search->low) / 2;
	const struct wire_mapping *mapping;

	if (search->low >= search->high)
		return 1;
	mapping = bpf_map_lookup_elem(&spaces, &middle);
	if (!mapping)
		return 1;
	if (mapping->start_addr <= search->wanted)
		search->low = middle + 1;
	else
		search->high = middle;
	return 0;
}

static __always_inline int mapping_has(const struct wire_mapping *mapping, uint64_t space,
				       uint64_t addr)
{
	return mapping->space == space && addr >= mapping->start_addr && addr < mapping->end_addr;
}

/*
 * Searches all mappings of the process. Returns the index of the last mapping that starts at or
 * below @addr. The caller must check that there is such a mapping and that it contains @addr.
 */
static __always_inline uint32_t search_mappings(const struct wire_process *process, uint64_t addr)
{
	struct search search = {
		.wanted = addr,
		.low = process->first,
		.high = process->first + process->count,
	};

	bpf_loop(WIRE_MAPPINGS_SHIFT, search_mapping, &search, 0);
	return search.low - 1;
}

static __always_inline const struct wire_mapping *mapping_at(const struct user_part *user,
							     uint32_t index, uint64_t addr)
{
	const struct wire_mapping *mapping = bpf_map_lookup_elem(&spaces, &index);

	return mapping && mapping_has(mapping, user->process.space, addr) ? mapping : NULL;
}

/*
 * Sets user.mapping to the mapping that contains @addr. Returns false if there is none. Most
 * callers are in the same image as the function that they called, so the current mapping is checked
 * first. Most others are in an image that was found recently, for this sample or an earlier one, so
 * a cache is checked next. The cache stores only the index of a mapping. The mapping is checked on
 * each use, so an outdated entry of the cache has no effect.
 */
static __always_inline int find_mapping(struct user_part *user, uint64_t addr)
{
	uint32_t *recent = &user->recent[addr >> RECENT_SHIFT & (RECENT_MAPPINGS - 1)];
	const struct wire_mapping *found;

	if (mapping_has(&user->mapping, user->process.space, addr))
		return 1;
	found = mapping_at(user, *recent, addr);
	if (!found) {
		*recent = search_mappings(&user->process, addr);
		found = mapping_at(user, *recent, addr);
	}
	if (!found)
		return 0;
	user->mapping = *found;
	return 1;
}

/*
 * Steps to the caller with the rule that the mapping's table has for @offset. If there is no rule,
 * steps by the frame pointer.
 */
static __always_inline int step_by_table(struct scratch *scratch, uint64_t offset)
{
	struct user_part *user = &scratch->user;
	uint32_t number = offset > UINT32_MAX ? NO_RULE : recall_rule(scratch, (uint32_t)offset);
	uint32_t index = user->mapping.rules_at + number;
	const struct unwind_rule *rule = NULL;

	if (number == NO_RULE || !(number & SHORT_RULE)) {
		if (number != NO_RULE)
			rule = bpf_map_lookup_elem(&rules, &index);
		return unwind_step_code(rule, &user->frame, scratch);
	}
	struct unwind_rule given = short_rule(number);
	return unwind_step(&given, &user->frame, scratch);
}

/* Steps from user.frame to its caller. Returns an enum unwind_stop. */
static __always_inline int step_frame(struct scratch *scratch)
{
	struct user_part *user = &scratch->user;
	uint64_t addr = unwind_lookup_addr(&user->frame);

	if (!find_mapping(user, addr))
		return UNWIND_STOP_NO_IMAGE;
	if (user->mapping.table == WIRE_TABLE_LATER)
		return UNWIND_STOP_NO_ROW;
	if (user->mapping.table == WIRE_NO_TABLE || user->frame.is_32bit)
		return unwind_step_code(NULL, &user->frame, scratch);
	return step_by_table(scratch, addr - user->mapping.bias);
}

static long walk_frame(uint32_t index, struct scratch **walked)
{
	struct scratch *scratch = *walked;
	struct user_part *user = &scratch->user;
	uint64_t addr = unwind_frame_addr(&user->frame, index > 0);

	scratch->words[(user->kernel_count + index) & (FRAME_SLOTS - 1)] = addr;
	user->hash = hash_add(user->hash, addr);
	user->user_count = index + 1;
	user->stop = (uint32_t)step_frame(scratch);
	return user->stop != UNWIND_STOP_NOT;
}

/* ---- a whole stack ---- */

static __always_inline void begin_stack(struct scratch *scratch, uint32_t tgid, uint64_t life)
{
	scratch->user.hash = hash_add(hash_add(0, tgid), life);
	scratch->user.kernel_count = 0;
	scratch->user.user_count = 0;
	scratch->user.stop = UNWIND_STOP_NOT;
}

static long hash_kernel_frame(uint32_t index, struct scratch **scratch)
{
	struct user_part *user = &(*scratch)->user;

	user->hash = hash_add(user->hash, (*scratch)->words[index & (FRAME_SLOTS - 1)]);
	return 0;
}

/* Returns the hash by which samples refer to the stack. */
static __always_inline uint64_t hash_of_stack(const struct user_part *user)
{
	return hash_end(hash_add(user->hash, user->kernel_count << 16 | user->stop));
}

/* Fills in the record's header except time, tid, life and owner, which the caller must set. */
static __always_inline void describe_stack(struct scratch *scratch, uint64_t hash, uint32_t tgid)
{
	scratch->stack = (struct wire_stack){
		.kind = WIRE_STACK,
		.stop = (uint8_t)scratch->user.stop,
		.kernel_count = (uint16_t)scratch->user.kernel_count,
		.user_count = (uint16_t)scratch->user.user_count,
		.stack = hash,
		.tgid = tgid,
	};
}

/* Returns the size in bytes of the record of the stack, including all addresses. */
static __always_inline uint32_t stack_bytes(const struct user_part *user)
{
	uint32_t word_count = (user->kernel_count + user->user_count) & (FRAME_SLOTS - 1);

	return (uint32_t)(sizeof(struct wire_stack) + word_count * sizeof(uint64_t));
}

/*
 * Walks the user part, from the frame in user.regs outwards. Stores the addresses in `words`, after
 * those of the kernel part.
 */
__noinline int walk_user(struct scratch *scratch)
{
	if (!scratch)
		return 0;
	scratch->block_addr = NO_BLOCK;
	scratch->user.kernel_hash = scratch->user.hash;
	scratch->user.frame = scratch->user.regs;
	scratch->user.mapping.space = 0;
	scratch->user.mapping.table = WIRE_NO_TABLE;
	bpf_loop(WIRE_USER_FRAMES_MAX, walk_frame, &scratch, 0);
	if (scratch->user.stop == UNWIND_STOP_NOT)
		scratch->user.stop = UNWIND_STOP_DEEP;
	return 0;
}

#endif
