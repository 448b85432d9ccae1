/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/probe_entry.h"

#include <elf.h>
#include <string.h>

static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

static bool begins_with(const uint8_t *code, size_t size_bytes, const uint8_t *bytes, size_t count)
{
	return size_bytes >= count && memcmp(code, bytes, count) == 0;
}

static enum probe_cost cost_of(const uint8_t *code, size_t size_bytes)
{
	if (begins_with(code, size_bytes, nop5, sizeof(nop5)))
		return PROBE_NOP5;
	if (size_bytes >= 1 && ((code[0] & 0xf8) == 0x50 || code[0] == 0x90 || code[0] == 0xe8 ||
				code[0] == 0xe9 || code[0] == 0xeb || (code[0] & 0xf0) == 0x70))
		return PROBE_EMULATED;
	if (size_bytes >= 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50)	/* push r8... */
		return PROBE_EMULATED;
	if (size_bytes >= 2 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)	/* long branch */
		return PROBE_EMULATED;
	return PROBE_STEPPED;
}

/* Prefixes, then opcodes of one byte, with which an instruction is refused. */
static const uint8_t bad_prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0xf0 };
static const uint8_t other_prefixes[] = { 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3 };
static const uint8_t bad_opcodes[] = {
	0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60,
	0x61, 0x62, 0x82, 0x9a, 0xcc, 0xcd, 0xce, 0xd4, 0xd5, 0xd6, 0xe4, 0xe5,
	0xe6, 0xe7, 0xea, 0xec, 0xed, 0xee, 0xef, 0xf1, 0xf4, 0xfa, 0xfb,
};

#define IS_ONE_OF(byte, bytes) (memchr(bytes, byte, sizeof(bytes)) != NULL)

static bool is_refused(const uint8_t *code, size_t size_bytes)
{
	size_t at = 0;

	while (at < size_bytes && IS_ONE_OF(code[at], other_prefixes))
		at++;
	if (at < size_bytes && IS_ONE_OF(code[at], bad_prefixes))
		return true;
	at += at < size_bytes && (code[at] & 0xf0) == 0x40;	/* REX */
	return at < size_bytes && IS_ONE_OF(code[at], bad_opcodes);
}

struct probe_entry probe_entry_of(uint16_t machine, const uint8_t *code, size_t size_bytes)
{
	struct probe_entry entry = { .cost = PROBE_UNKNOWN };
	size_t skip = sizeof(endbr64);

	if (machine != EM_X86_64)
		return entry;
	entry.cost = cost_of(code, size_bytes);
	entry.is_refused = is_refused(code, size_bytes);
	if (!begins_with(code, size_bytes, endbr64, skip))
		return entry;
	entry.cost = cost_of(code + skip, size_bytes - skip);
	if (entry.cost != PROBE_STEPPED)
		entry.skip_bytes = (uint32_t)skip;
	return entry;
}
