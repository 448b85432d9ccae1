/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_point.h - what the BPF programs are told about a point: its cookie, and where values come
 * from
 *
 * Included by span.h.
 */
#ifndef ASSAY_BPF_SPAN_POINT_H
#define ASSAY_BPF_SPAN_POINT_H

#define SPAN_COSTS 16u		/* kinds of probes that differ in what they cost */

/*
 * The cookie of a program: the number of the span, what a probe there costs, and two numbers of
 * keys plus 1: if passing the point begins a span, and if it ends one. Both are 0 for a call. There
 * is room for 65,536 spans.
 */
static inline uint64_t span_cookie(uint32_t span, uint32_t cost, uint32_t begin, uint32_t end)
{
	return span | (uint64_t)begin << 32 | (uint64_t)end << 40 | (uint64_t)cost << 48;
}

/*
 * The number plus 1 of a key whose values are not compared: SPAN_BY is that by which spans that
 * begin at the point are grouped, SPAN_BY_SECOND another such value, SPAN_MEASURED the argument
 * that is measured. 0: there are none.
 */
enum { SPAN_BY, SPAN_BY_SECOND, SPAN_MEASURED };

static inline uint64_t span_cookie_by(uint64_t cookie, uint32_t value)
{
	return cookie | (uint64_t)value << 52;
}

static inline uint32_t span_by_of_cookie(uint64_t cookie)
{
	return cookie >> 52 & 0xff;
}

/* The number of the place (struct span_place) of a static probe whose arguments are needed. */
static inline uint64_t span_cookie_place(uint64_t cookie, uint32_t place)
{
	return cookie | (uint64_t)place << 16;
}

static inline uint32_t span_place_of_cookie(uint64_t cookie)
{
	return cookie >> 16 & 0xffff;
}

static inline uint32_t span_of_cookie(uint64_t cookie)
{
	return cookie & 0xffff;
}

static inline uint32_t span_begin_of_cookie(uint64_t cookie)
{
	return cookie >> 32 & 0xff;
}

static inline uint32_t span_end_of_cookie(uint64_t cookie)
{
	return cookie >> 40 & 0xff;
}

static inline uint32_t span_cost_of_cookie(uint64_t cookie)
{
	return cookie >> 48 & (SPAN_COSTS - 1);
}

/* Where a value of a key comes from. */
enum span_value_kind {
	SPAN_VALUE_NONE,	/* nothing; 0 */
	SPAN_VALUE_TID,
	SPAN_VALUE_TGID,
	SPAN_VALUE_CPU,
	/* @at is its number from 0 on, below SPAN_ARGUMENTS; at a return, 0 is the result */
	SPAN_VALUE_ARGUMENT,
	SPAN_VALUE_FIELD,	/* of a tracepoint's record, @at bytes from its beginning */
};

#define SPAN_ARGUMENTS 6u	/* those in registers; of static probes, the first ones */
#define SPAN_VALUES 4u		/* of a key */
#define SPAN_KEYS_MAX 128u	/* fits into a cookie; a power of two */

struct span_value {
	uint8_t kind;
	uint8_t size_bytes;	/* of a field: 1, 2, 4 or 8; of an argument, too, or 0: unknown */
	uint8_t is_signed;
	uint8_t unused;
	uint32_t at;
};

struct span_key {
	struct span_value values[SPAN_VALUES];
};

/* Where an argument of a static probe is. */
enum span_argument_kind {
	SPAN_ARGUMENT_NONE,	/* nowhere; 0 */
	SPAN_ARGUMENT_NUMBER,	/* it is @number */
	SPAN_ARGUMENT_REGISTER,	/* in @base */
	SPAN_ARGUMENT_MEMORY,	/* at @base + @index * @scale + @number */
};

struct span_argument {
	uint8_t kind;
	uint8_t size_bytes;	/* 1, 2, 4 or 8 */
	uint8_t is_signed;
	uint8_t base, index;	/* registers */
	uint8_t scale;		/* 0: there is no index */
	uint16_t unused;
	int64_t number;
};

struct span_place {
	struct span_argument arguments[SPAN_ARGUMENTS];
};

#define SPAN_PLACES_MAX 65536u	/* fits into a cookie */

#endif
