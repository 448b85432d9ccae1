/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/branch_chain.h"

#include <linux/perf_event.h>
#include <string.h>

/*
 * Returns the number of words of the chain to keep: all words up to and including the first address
 * of the user part, which is the interrupted address. Returns 0 if the chain has no user part.
 */
static size_t count_kept(const struct record_sample *sample)
{
	uint64_t word;

	for (size_t i = 0; i + 1 < sample->chain_count; i++) {
		memcpy(&word, &sample->chain[i], sizeof(word));
		if (word == PERF_CONTEXT_USER)
			return i + 2;
	}
	return 0;
}

/*
 * Callchains contain return addresses, which follow the call instruction. A branch record contains
 * the address of the call instruction itself. So each address from a branch record is increased by
 * one.
 */
void branch_chain_join(struct record_sample *sample, uint64_t words[static BRANCH_CHAIN_MAX])
{
	size_t count = sample->call_count ? count_kept(sample) : 0;

	if (count == 0 || count > BRANCH_CHAIN_MAX)
		return;
	memcpy(words, sample->chain, count * sizeof(*words));
	for (size_t i = 0; i < sample->call_count && count < BRANCH_CHAIN_MAX; i++) {
		struct perf_branch_entry call;

		memcpy(&call, sample->calls + i * sizeof(call), sizeof(call));
		words[count++] = call.from + 1;
	}
	sample->chain = words;
	sample->chain_count = count;
}
