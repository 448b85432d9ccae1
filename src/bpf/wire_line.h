/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_line.h - the form of an image's unwind table that the sampler searches
 *
 * An unwind table has rows. A row is the offset at which a rule begins, and the number of that
 * rule. The rule holds up to the offset of the next row.
 *
 * For the sampler a table is an array of lines, each the size of a cache line, so that a frame
 * costs one memory access. The array begins with one line for each 256 bytes of code (here called a
 * page). If a page has more rows than fit in a line, its line refers to further lines, which come
 * after the lines of all pages. The CPU's caches rarely still contain a line that an earlier sample
 * used, and a cache miss takes longer than all other work for a frame.
 *
 * The offsets in a line count from the start of its page. The first row begins where the line
 * begins, so its offset is not stored. The last row is repeated to fill the line. If a page has
 * more rows than fit in a line, its line is a node instead: the node's offsets divide the page into
 * parts, each part has a line, and these lines are consecutive. Lines are searched without
 * branches, all bytes at once.
 *
 * A rule number is either an index in `rules`, counted from the mapping's rules_at, or it encodes
 * the rule itself. Compilers for x86_64 nearly always produce the same form of rule (nine of ten
 * rows in the files of one machine): the CFA is some words above sp or fp, the return address is in
 * the word below the CFA, and fp is saved a few words below the CFA or not saved. (The CFA is the
 * value of sp before the call.) Such a short rule is encoded in its number, so that the sampler
 * need not read `rules`:
 *
 *	bit 15		1: the number encodes a rule
 *	bit 14		1: the CFA is counted from fp; 0: from sp
 *	bits 9 to 13	fp is saved this many words below the CFA; 0: not saved
 *	bits 0 to 8	distance of the CFA from sp or fp in words
 *
 * This file is compiled on both sides. The including file must provide the fixed-width types.
 */
#ifndef ASSAY_BPF_WIRE_LINE_H
#define ASSAY_BPF_WIRE_LINE_H

#include "unwind/rule.h"

/* ---- lines ---- */

#define WIRE_PAGE_SHIFT 8
#define WIRE_LINE_ROWS 21

struct wire_line {
	/* offsets in the page of all rows except the first */
	uint8_t offsets[WIRE_LINE_ROWS - 1];
	uint16_t part_count;		/* number of the node's parts; 0: the line is not a node */
	/*
	 * rule numbers; in a node, [0] and [1] are the halves (low, high) of the index of its first
	 * line
	 */
	uint16_t rules[WIRE_LINE_ROWS];
} __attribute__((aligned(8)));

_Static_assert(sizeof(struct wire_line) == 64, "struct wire_line is a cache line");

#define LINE_LANES 0x0001000100010001ull

/*
 * Counts the bytes in @bytes that are not greater than @wanted. Returns four counts, each for a
 * pair of bytes, in the upper halves of the four 16-bit lanes.
 */
static inline __attribute__((always_inline)) uint64_t wire_line_sums(uint64_t bytes,
								     uint64_t wanted)
{
	const uint64_t low = LINE_LANES * 0xff, carry = LINE_LANES << 8;
	/* the carry bit of a lane stays set if a byte <= wanted is subtracted from the lane */
	uint64_t most = wanted * LINE_LANES | carry;

	return ((most - (bytes & low)) & carry) + ((most - (bytes >> 8 & low)) & carry);
}

/* Returns the row of the line, or the part of the node, that contains byte @wanted of the page. */
static inline __attribute__((always_inline)) uint32_t wire_line_row(const struct wire_line *line,
								    uint64_t wanted)
{
	uint64_t bytes[2], sums;
	uint32_t rest;

	__builtin_memcpy(bytes, line->offsets, sizeof(bytes));
	__builtin_memcpy(&rest, line->offsets + sizeof(bytes), sizeof(rest));
	sums = wire_line_sums(bytes[0], wanted) + wire_line_sums(bytes[1], wanted) +
	       (wire_line_sums(rest, wanted) & 0xffffffff);
	return (uint32_t)((sums >> 8) * LINE_LANES >> 48);
}

/* Returns the index of the line for the node's part that contains byte @wanted. */
static inline __attribute__((always_inline)) uint32_t wire_node_line(const struct wire_line *node,
								     uint64_t wanted)
{
	uint32_t part = wire_line_row(node, wanted);

	if (part >= node->part_count)	/* unused offsets are 255, so byte 255 counts them, too */
		part = node->part_count - 1u;
	return (node->rules[0] | (uint32_t)node->rules[1] << 16) + part;
}

/* ---- short rules ---- */

#define SHORT_RULE 0x8000u
#define SHORT_RULE_FROM_FP 0x4000u
#define SHORT_RULE_FP_SHIFT 9
#define SHORT_RULE_FP_MAX 31u
#define SHORT_RULE_CFA_MAX 511u

/* Returns the number that encodes @rule if it is a short rule, otherwise 0. */
static inline uint16_t short_rule_number(const struct unwind_rule *rule)
{
	uint32_t fp_words = (0 - (uint32_t)rule->fp_offset) / 8;
	uint32_t cfa_words = (uint32_t)rule->cfa_offset / 8;
	int saves_fp = rule->fp_base == UNWIND_BASE_CFA;

	if (rule->kind != UNWIND_CFA || rule->flags || rule->kept_words != UNWIND_KEPT_LOST ||
	    rule->ra_base != UNWIND_BASE_CFA || rule->ra_offset != -8)
		return 0;
	if ((rule->cfa_base != UNWIND_BASE_SP && rule->cfa_base != UNWIND_BASE_FP) ||
	    rule->cfa_offset % 8 || cfa_words > SHORT_RULE_CFA_MAX)
		return 0;
	if (!saves_fp && rule->fp_base != UNWIND_BASE_NONE)
		return 0;
	if (saves_fp && (rule->fp_offset % 8 || !fp_words || fp_words > SHORT_RULE_FP_MAX))
		return 0;
	return (uint16_t)(SHORT_RULE | (rule->cfa_base == UNWIND_BASE_FP) * SHORT_RULE_FROM_FP |
			  (saves_fp ? fp_words : 0) << SHORT_RULE_FP_SHIFT | cfa_words);
}

/* Returns the rule that @number encodes. @number has SHORT_RULE set. */
static inline __attribute__((always_inline)) struct unwind_rule short_rule(uint32_t number)
{
	uint32_t fp_words = number >> SHORT_RULE_FP_SHIFT & SHORT_RULE_FP_MAX;

	return (struct unwind_rule){
		.kind = UNWIND_CFA,
		.cfa_base = number & SHORT_RULE_FROM_FP ? UNWIND_BASE_FP : UNWIND_BASE_SP,
		.fp_base = fp_words ? UNWIND_BASE_CFA : UNWIND_BASE_NONE,
		.ra_base = UNWIND_BASE_CFA,
		.kept_words = UNWIND_KEPT_LOST,
		.cfa_offset = (int32_t)(number & SHORT_RULE_CFA_MAX) * 8,
		.fp_offset = -(int32_t)fp_words * 8,
		.ra_offset = -8,
	};
}

#endif
