/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/sent_stacks.h"

#include <errno.h>

/* Stored in front of each stack. Its size is a whole number of 64-bit words. */
struct header {
	uint16_t kernel_count, user_count;
	uint32_t stop;
	uint64_t life;
};

#define HEADER_WORDS (sizeof(struct header) / sizeof(uint64_t))

_Static_assert(sizeof(struct header) % sizeof(uint64_t) == 0, "a header is whole words");

void sent_stacks_fini(struct sent_stacks *stacks)
{
	u64map_fini(&stacks->index);
	vec_free(&stacks->words);
	*stacks = (struct sent_stacks){ 0 };
}

void sent_stacks_limit(struct sent_stacks *stacks, size_t bytes)
{
	stacks->many_words = bytes / sizeof(uint64_t);
}

static size_t many_words(const struct sent_stacks *stacks)
{
	return stacks->many_words ? stacks->many_words : SENT_STACKS_BYTES / sizeof(uint64_t);
}

void sent_stacks_advance(struct sent_stacks *stacks, uint64_t time_ns)
{
	if (!stacks->epoch_ns || time_ns < stacks->epoch_ns)
		return;
	u64map_fini(&stacks->index);
	vec_clear(&stacks->words);
	stacks->epoch_ns = 0;
}

int sent_stacks_keep(struct sent_stacks *stacks, const struct record_stack *stack)
{
	const struct header header = {
		.kernel_count = (uint16_t)stack->kernel_count,
		.user_count = (uint16_t)stack->user_count,
		.stop = stack->stop,
		.life = stack->life,
	};
	size_t at = stacks->words.count;
	size_t end = at + HEADER_WORDS + stack->kernel_count + stack->user_count;
	uint32_t known;
	uint64_t *word;

	if (u64map_get(&stacks->index, stack->hash, &known))
		return 0;
	if (end > SENT_STACKS_FACTOR * many_words(stacks))
		return -ENOSPC;
	if (vec_reserve(&stacks->words, end) < 0 ||
	    u64map_put(&stacks->index, stack->hash, (uint32_t)at) < 0)
		return -ENOMEM;
	word = stacks->words.at + at;
	memcpy(word, &header, sizeof(header));
	word += HEADER_WORDS;
	for (size_t i = 0; i < stack->kernel_count; i++)
		*word++ = stack->kernel[i];
	for (size_t i = 0; i < stack->user_count; i++)
		*word++ = stack->user[i];
	stacks->words.count = end;
	return 0;
}

bool sent_stacks_find(const struct sent_stacks *stacks, uint64_t hash,
		      struct record_stack *ret_stack)
{
	const uint64_t *words;
	struct header header;
	uint32_t at;

	if (!u64map_get(&stacks->index, hash, &at))
		return false;
	words = stacks->words.at + at;
	memcpy(&header, words, sizeof(header));
	*ret_stack = (struct record_stack){
		.hash = hash,
		.stop = header.stop,
		.life = header.life,
		.kernel = words + HEADER_WORDS,
		.user = words + HEADER_WORDS + header.kernel_count,
		.kernel_count = header.kernel_count,
		.user_count = header.user_count,
	};
	return true;
}

uint64_t sent_stacks_life(const struct sent_stacks *stacks, uint64_t hash)
{
	struct record_stack stack;

	return sent_stacks_find(stacks, hash, &stack) ? stack.life : 0;
}

bool sent_stacks_are_many(const struct sent_stacks *stacks)
{
	return !stacks->epoch_ns && stacks->words.count > many_words(stacks);
}
