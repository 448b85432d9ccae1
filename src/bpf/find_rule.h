/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find_rule.h - which rule holds at an address of an image
 *
 * Found in the lines of the image's table (wire_line.h), which takes a read of memory that is in no
 * cache: tables are megabytes.  So what was found is remembered, by each CPU for itself, in 16 KiB:
 * nearly nine of ten frames of a compiler are at an address that was on one of its last stacks.
 *
 * An entry of known_rules is the serial of the table, the upper bits of the offset, and the rule's
 * number; the lower bits follow from its place.  A serial stands for what is in a table and never
 * for anything else, so nothing that is remembered gets old: nobody asks again for a table that is
 * gone, whatever is in its slot.  An entry is read and written whole.
 */
#ifndef ASSAY_BPF_FIND_RULE_H
#define ASSAY_BPF_FIND_RULE_H

#include "bpf/maps.h"

#define NO_RULE 0xffffffffu

/* The number of the rule at @offset of the mapping's table; NO_RULE: there is none. */
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

/* As find_rule(), from what this CPU found before, if it can. */
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
