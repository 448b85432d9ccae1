/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_line.h - the form in which the sampler searches an image's unwind table
 *
 * An unwind table has rows. A row consists of an offset and the number of a rule. The rule holds
 * from this offset up to the offset of the next row.
 *
 * For the sampler, a table is an array of lines, each the size of a cache line, so that a frame
 * costs one memory access. This matters because a cache miss takes longer than all other work for a
 * frame, and the CPU's caches rarely still contain a line that an earlier sample used.
 *
 * The array begins with one line for each 256 bytes of code (here called a page). A line has the
 * rows of its page. The offsets in a line count from the start of the page. The first row begins
 * where the line begins, so its offset is not stored. Unused rows at the end of a line repeat the
 * last row's rule.
 *
 * If a page has more rows than fit in one line, the page's line is a node instead. The offsets in a
 * node divide the page into parts. Each part has a line of its own. The lines of the parts are
 * consecutive, and come after the lines of all pages. Lines are searched without branches, several
 * bytes at a time.
 *
 * A rule number can be an index in `rules`, counted from the mapping's rules_at. Or the number
 * itself encodes the rule (a short rule), so that the sampler need not read `rules`. Short rules
 * have the form that compilers for x86_64 nearly always produce (nine of ten rows in the files of
 * one machine): the CFA is some words above sp or fp, the return address is in the word below the
 * CFA, and fp is saved a few words below the CFA or not saved. (The CFA is the value of sp before
 * the call.) The bits of a short rule are:
 *
 *	bit 15		1: the number encodes a rule
 *	bit 14		1: the CFA is counted from fp; 0: from sp
 *	bits 9 to 13	fp is saved this many words below the CFA; 0: not saved
 *	bits 0 to 8	distance of the CFA from sp or fp in words
 *
 * Both the sampler and the collector are compiled with this file. The including file must provide
 * the fixed-width types.
 */
#ifndef ASSAY_BPF_WIRE_LINE_H
#define ASSAY_BPF_WIRE_LINE_H

#include "unwind/rule.h"

/* ---- lines ---- */

#define WIRE_PAGE_SHIFT 8
#define WIRE_LINE_ROWS 21

struct wire_line {
	/* offset of each row except the first, counted from the start of the page */
	uint8_t offsets[WIRE_LINE_ROWS - 1];
	uint16_t part_count;		/* number of parts if the line is a node; 0: not a node */
	/*
	 * rule number of each row. In a node, [0] and [1] are the lower and the upper 16 bits of
	 * the index of the line for the first part.
	 */
	uint16_t rules[WIRE_LINE_ROWS];
} __attribute__((aligned(8)));

_Static_assert(sizeof(struct wire_line) == 64, "struct wire_line is a cache line");

#define LINE_LANES 0x0001000100010001ull

/*
 * Counts the bytes in @bytes that are not greater than @wanted. Returns one count for each 16-bit
 * lane, which has two bytes. The count of a lane is in the upper half of the lane.
 */
static inline __attribute__((always_inline)) uint64_t wire_line_sums(uint64_t bytes,
								     uint64_t wanted)
{
	const uint64_t low = LINE_LANES * 0xff, carry = LINE_LANES << 8;
	/*
	 * the carry bit of a lane stays set if the byte that is subtracted is not greater than
	 * @wanted
	 */
	uint64_t most = wanted * LINE_LANES | carry;

	return ((most - (bytes & low)) & carry) + ((most - (bytes >> 8 & low)) & carry);
}

/*
 * Returns the index of the row that contains byte @wanted of the page. If the line is a node, its
 * rows are its parts, so this is the index of a part.
 */
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

/*
 * Returns the index of the line for that part of the node which contains byte @wanted of the page.
 */
static inline __attribute__((always_inline)) uint32_t wire_node_line(const struct wire_line *node,
								     uint64_t wanted)
{
	uint32_t part = wire_line_row(node, wanted);

	if (part >= node->part_count)	/* unused offsets are 255; byte 255 counts them, too */
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
