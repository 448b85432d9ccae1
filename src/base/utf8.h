/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8.h - decodes UTF-8, and tells which characters cannot be seen */
#ifndef ASSAY_BASE_UTF8_H
#define ASSAY_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes one sequence of the NUL-terminated @text. Returns its length, or 0 if it is invalid: a
 * stray or missing continuation byte, an overlong form, a surrogate, or a code above U+10FFFF.
 */
size_t utf8_decode(const char *text, uint32_t *ret_code);

/* Stores the sequence of @code, which must be valid. Returns its length, without a NUL. */
size_t utf8_encode(uint32_t code, char ret_text[static 4]);

/*
 * Returns true for C1 controls and DEL, direction marks and overrides, line and paragraph
 * separators, invisible characters (Unicode 15, General_Category Cc, Zl, Zp;
 * Default_Ignorable_Code_Point), U+FFFE and U+FFFF.
 */
bool utf8_is_invisible(uint32_t code);

#endif
