/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/kernel_text.h"

#include <errno.h>

#include "base/cleanup.h"

/*
 * A list of ranges that may overlap. Where they do, the kind of the range that was added last
 * applies.
 */
struct coats {
	VEC(struct text_range) ranges;
};

static void coats_fini(struct coats *coats)
{
	vec_free(&coats->ranges);
}

static int coat(struct coats *coats, uint64_t start_addr, uint64_t end_addr, enum text_kind kind)
{
	struct text_range *range;

	if (start_addr == 0 || start_addr >= end_addr)
		return 0;
	range = vec_push(&coats->ranges);
	if (!range)
		return -ENOMEM;
	*range = (struct text_range){ start_addr, end_addr, kind };
	return 0;
}

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/*
 * Derives the kind of an entry stub from its name. TEXT_OTHER means that the stub is not special:
 * it has the kind of the section that contains it.
 */
static enum text_kind stub_kind(const char *name)
{
	if (begins_with(name, "asm_exc_nmi"))
		return TEXT_NMI;
	if (begins_with(name, "asm_exc_"))
		return TEXT_EXCEPTION;
	if (begins_with(name, "asm_int80_"))
		return TEXT_ENTRY;
	return TEXT_OTHER;
}

/* Adds the stubs made by DECLARE_IDTENTRY(). Each stub extends to the next symbol. */
static int coat_stubs(struct coats *coats, const struct kallsyms *kallsyms, uint64_t start_addr,
		      uint64_t end_addr)
{
	for (size_t i = 0; i < kallsyms->symbols.count; i++) {
		const struct kernel_symbol *symbol = &kallsyms->symbols.at[i];
		enum text_kind kind;
		uint64_t stub_end = 0;
		int rc;

		if (symbol->addr < start_addr || symbol->addr >= end_addr)
			continue;
		kind = stub_kind(kallsyms_string(kallsyms, symbol->name));
		if (kind == TEXT_OTHER || !kallsyms_lookup(kallsyms, symbol->addr, &stub_end))
			continue;
		rc = coat(coats, symbol->addr, stub_end < end_addr ? stub_end : end_addr, kind);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int coat_sections(struct coats *coats, const struct kallsyms *kallsyms)
{
	static const struct {
		const char *start, *end;
		enum text_kind kind;
	} sections[] = {
		{ "__entry_text_start", "__entry_text_end", TEXT_ENTRY },
		{ "__irqentry_text_start", "__irqentry_text_end", TEXT_HARDIRQ },
		{ "__softirqentry_text_start", "__softirqentry_text_end", TEXT_SOFTIRQ },
		{ "__cpuidle_text_start", "__cpuidle_text_end", TEXT_CPUIDLE },
		{ "__sched_text_start", "__sched_text_end", TEXT_SCHED },
	};

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		int rc = coat(coats, kallsyms_addr(kallsyms, sections[i].start),
			      kallsyms_addr(kallsyms, sections[i].end), sections[i].kind);

		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < 2; i++) {	/* only the first two sections contain stubs */
		int rc = coat_stubs(coats, kallsyms, kallsyms_addr(kallsyms, sections[i].start),
				    kallsyms_addr(kallsyms, sections[i].end));

		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Adds the softirq loop, handle_softirqs(). Before Linux 6.10 the loop itself was in the section
 * __softirqentry_text. Since then, that section contains only a stub.
 */
static int coat_softirq_loop(struct coats *coats, const struct kallsyms *kallsyms)
{
	uint64_t start_addr = kallsyms_addr(kallsyms, "handle_softirqs"), end_addr;

	if (start_addr == 0 || !kallsyms_lookup(kallsyms, start_addr, &end_addr))
		return 0;
	return coat(coats, start_addr, end_addr, TEXT_SOFTIRQ);
}

static int compare_addrs(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static enum text_kind visible_kind(const struct coats *coats, uint64_t addr)
{
	for (size_t i = coats->ranges.count; i-- > 0;)
		if (addr >= coats->ranges.at[i].start_addr && addr < coats->ranges.at[i].end_addr)
			return coats->ranges.at[i].kind;
	return TEXT_OTHER;
}

static int add_range(struct kernel_text *text, uint64_t start_addr, uint64_t end_addr,
		     enum text_kind kind)
{
	struct text_range *last = text->ranges.count ? &text->ranges.at[text->ranges.count - 1]
						     : NULL;
	struct text_range *range;

	if (kind == TEXT_OTHER || start_addr == end_addr)
		return 0;
	if (last && last->end_addr == start_addr && last->kind == kind) {
		last->end_addr = end_addr;
		return 0;
	}
	range = vec_push(&text->ranges);
	if (!range)
		return -ENOMEM;
	*range = (struct text_range){ start_addr, end_addr, kind };
	return 0;
}

/*
 * Turns the overlapping ranges into disjoint ones. Sorts the start and end addresses of all ranges.
 * No range begins or ends between two neighboring addresses, so the kind is the same everywhere
 * between them.
 */
static int flatten(const struct coats *coats, struct kernel_text *text)
{
	size_t edge_count = coats->ranges.count * 2;
	_cleanup_free_ uint64_t *edges = calloc(edge_count + 1, sizeof(*edges));

	if (!edges)
		return -ENOMEM;
	for (size_t i = 0; i < coats->ranges.count; i++) {
		edges[2 * i] = coats->ranges.at[i].start_addr;
		edges[2 * i + 1] = coats->ranges.at[i].end_addr;
	}
	qsort(edges, edge_count, sizeof(*edges), compare_addrs);
	for (size_t i = 1; i < edge_count; i++) {
		int rc = add_range(text, edges[i - 1], edges[i], visible_kind(coats, edges[i - 1]));

		if (rc < 0)
			return rc;
	}
	return 0;
}

int kernel_text_from_kallsyms(const struct kallsyms *kallsyms, struct kernel_text *ret_text)
{
	_cleanup_(coats_fini) struct coats coats = { 0 };
	struct kernel_text text = { 0 };
	int rc = coat_sections(&coats, kallsyms);

	if (rc < 0)
		return rc;
	rc = coat_softirq_loop(&coats, kallsyms);
	if (rc < 0)
		return rc;
	rc = flatten(&coats, &text);
	if (rc < 0) {
		kernel_text_fini(&text);
		return rc;
	}
	*ret_text = text;
	return 0;
}
