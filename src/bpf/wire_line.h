/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_line.h - the unwind table of an image, as the sampler searches it
 *
 * An array of cache lines, so that a frame costs one access to memory: first one for each 256
 * bytes of code (a page), then those that pages with more rows lead to.  What is in the cache at
 * one sample is not at the next, and a miss takes longer than all else that a frame does.
 *
 * A line holds rows: where in the page a rule begins, and its number.  The first begins with the
 * line, so that its offset needs no place; the last is repeated up to the end.  A page with more
 * rows than a line has room for is a node instead: offsets divide it, and the lines of its parts
 * follow each other.  Lines are searched without branches, all bytes at once.
 *
 * A number is that of a rule in `rules`, from the mapping's rules_at on; or it is the rule.  What
 * the compilers of x86_64 make is nearly always the same (nine of ten rows of a machine's files):
 * the CFA is some words above sp or fp, the return address is the word below it, and fp is saved a
 * few words below or was left alone.  Such a short rule saves the sampler a read of `rules`:
 *
 *	bit 15		1: this is a rule
 *	bit 14		the CFA is counted from fp, else from sp
 *	bits 9 to 13	fp was saved so many words below the CFA; 0: left alone
 *	bits 0 to 8	words from there to the CFA
 *
 * Compiled on both sides; whoever includes it has the fixed-width types.
 */
#ifndef ASSAY_BPF_WIRE_LINE_H
#define ASSAY_BPF_WIRE_LINE_H

#include "unwind/rule.h"

/* ---- lines ---- */

#define WIRE_PAGE_SHIFT 8
#define WIRE_LINE_ROWS 21

struct wire_line {
	uint8_t offsets[WIRE_LINE_ROWS - 1];	/* in the page, of all rows but the first */
	uint16_t part_count;		/* 0: no node */
	uint16_t rules[WIRE_LINE_ROWS];	/* of a node: its first line's number, low half first */
} __attribute__((aligned(8)));

_Static_assert(sizeof(struct wire_line) == 64, "struct wire_line is a cache line");

#define LINE_LANES 0x0001000100010001ull

/* How many of @bytes are @wanted or less: four sums of pairs, in the upper half of each 16 bits. */
static inline __attribute__((always_inline)) uint64_t wire_line_sums(uint64_t bytes,
								     uint64_t wanted)
{
	const uint64_t low = LINE_LANES * 0xff, carry = LINE_LANES << 8;
	uint64_t most = wanted * LINE_LANES | carry;	/* less a byte: does it stay? */

	return ((most - (bytes & low)) & carry) + ((most - (bytes >> 8 & low)) & carry);
}

/* The row of the line, or part of the node, that byte @wanted of the page belongs to. */
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

/* The line of the node's part that byte @wanted belongs to. */
static inline __attribute__((always_inline)) uint32_t wire_node_line(const struct wire_line *node,
								     uint64_t wanted)
{
	uint32_t part = wire_line_row(node, wanted);

	if (part >= node->part_count)	/* the last byte is in those that are not there, too */
		part = node->part_count - 1u;
	return (node->rules[0] | (uint32_t)node->rules[1] << 16) + part;
}

/* ---- short rules ---- */

#define SHORT_RULE 0x8000u
#define SHORT_RULE_FROM_FP 0x4000u
#define SHORT_RULE_FP_SHIFT 9
#define SHORT_RULE_FP_MAX 31u
#define SHORT_RULE_CFA_MAX 511u

/* @rule's number if it is a short one, else 0. */
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

/* The rule that @number is; it has SHORT_RULE. */
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
