/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find_rule.h - finds the unwind rule for an address of an image
 *
 * A rule says how to undo one call, and the image's unwind table says which rule holds at which
 * address. The table is an array of lines, each the size of a cache line (wire_line.h). Reading a
 * line usually misses the CPU's caches, because tables are megabytes large. Each CPU therefore
 * keeps its own 16 KiB cache of the rules that it found. When a compiler is sampled, nearly nine of
 * ten frames have an address that was also in one of the preceding stacks of the compiler.
 *
 * The cache is the array known_rules. An entry contains the table's serial number, the upper bits
 * of the offset, and the number of the rule. The lower bits of the offset are not stored, because
 * they follow from the entry's index. A serial number always identifies the same table contents, so
 * no entry becomes outdated. After a table has been removed, its serial number is never looked up
 * again, even if another table is loaded into the same slot. Each entry is read and written as a
 * whole.
 */
#ifndef ASSAY_BPF_FIND_RULE_H
#define ASSAY_BPF_FIND_RULE_H

#include "bpf/maps.h"

#define NO_RULE 0xffffffffu

/*
 * Returns the number of the rule that the mapping's table has for @offset, or NO_RULE if the table
 * has none.
 */
static __always_inline uint32_t find_rule(const struct wire_mapping *mapping, uint32_t offset)
{
	uint32_t slot = mapping->table;
	uint32_t index = offset >> WIRE_PAGE_SHIFT;
	uint32_t wanted = offset & ((1u << WIRE_PAGE_SHIFT) - 1);
	const struct wire_line *line;
	void *table;

	if (index >= mapping->page_count)
		return NO_RULE;
	table = bpf_map_lookup_elem(&tables, &slot);
	if (!table)
		return NO_RULE;
	line = bpf_map_lookup_elem(table, &index);
	if (line && line->part_count) {
		index = wire_node_line(line, wanted);
		line = bpf_map_lookup_elem(table, &index);
	}
	if (!line)
		return NO_RULE;
	index = wire_line_row(line, wanted);
	return index < WIRE_LINE_ROWS ? line->rules[index] : NO_RULE;
}

/* Returns the same as find_rule(), but first looks in this CPU's cache of rules (known_rules). */
static __always_inline uint32_t recall_rule(struct scratch *scratch, uint32_t offset)
{
	const struct wire_mapping *mapping = &scratch->user.mapping;
	uint32_t high = offset >> KNOWN_RULES_SHIFT;
	uint32_t place = (offset ^ high ^ mapping->serial * 0x9e5u) & (KNOWN_RULES - 1);
	uint64_t entry = ((uint64_t)mapping->serial << (32 - KNOWN_RULES_SHIFT) | high) << 16;
	uint64_t known = scratch->known_rules[place];
	uint32_t number;

	if (!mapping->serial)
		return find_rule(mapping, offset);
	if (known >> 16 == entry >> 16)
		return (uint32_t)known & 0xffff;
	number = find_rule(mapping, offset);
	if (number != NO_RULE)
		scratch->known_rules[place] = entry | number;
	return number;
}

#endif
