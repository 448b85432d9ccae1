/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hex.h - parses hexadecimal numbers and build-ids */
#ifndef ASSAY_BASE_HEX_H
#define ASSAY_BASE_HEX_H

#include <stdint.h>

#define HEX_DIGITS_MAX 16

/* Returns the value of a hexadecimal digit, or -1 for another character. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (c | 0x20) - 'a' + 10;
	return -1;
}

/*
 * Parses the hexadecimal digits at @at. Returns the position after the digits, or NULL if there are
 * no digits or too many for 64 bits.
 */
static inline const char *hex_parse(const char *at, const char *end, uint64_t *ret_value)
{
	const char *first = at;
	uint64_t value = 0;
	int digit;

	for (; at < end && (digit = hex_digit(*at)) >= 0; at++)
		value = value << 4 | (uint64_t)digit;
	if (at == first || at - first > HEX_DIGITS_MAX)
		return NULL;
	*ret_value = value;
	return at;
}

#endif
