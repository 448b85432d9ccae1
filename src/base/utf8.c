/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/utf8.h"

size_t utf8_decode(const char *text, uint32_t *ret_code)
{
	static const struct {
		uint8_t mask, lead;
		uint32_t min;
	} forms[] = { { 0x80, 0x00, 0 },
		      { 0xe0, 0xc0, 0x80 },
		      { 0xf0, 0xe0, 0x800 },
		      { 0xf8, 0xf0, 0x10000 } };
	const uint8_t *bytes = (const uint8_t *)text;
	uint32_t code;
	size_t extra = 0;

	while (extra < 4 && (bytes[0] & forms[extra].mask) != forms[extra].lead)
		extra++;
	if (extra == 4)
		return 0;
	code = bytes[0] & (uint8_t)~forms[extra].mask;
	for (size_t i = 1; i <= extra; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (code < forms[extra].min || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret_code = code;
	return extra + 1;
}

size_t utf8_encode(uint32_t code, char ret_text[static 4])
{
	size_t extra = code > 0xffff ? 3 : code > 0x7ff ? 2 : code > 0x7f;
	static const uint8_t leads[] = { 0, 0xc0, 0xe0, 0xf0 };

	ret_text[0] = (char)(leads[extra] | code >> 6 * extra);
	for (size_t i = 1; i <= extra; i++)
		ret_text[i] = (char)(0x80 | (code >> 6 * (extra - i) & 0x3f));
	return extra + 1;
}

bool utf8_is_invisible(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x7f, 0x9f },	      { 0xad, 0xad },	    { 0x34f, 0x34f },
		{ 0x61c, 0x61c },     { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },
		{ 0x180b, 0x180f },   { 0x200b, 0x200f },   { 0x2028, 0x202e },
		{ 0x2060, 0x206f },   { 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
		{ 0xfffe, 0xffff },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}
