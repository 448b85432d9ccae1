/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/probe_entry.h"

#include <elf.h>
#include <stdbool.h>
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

struct probe_entry probe_entry_of(uint16_t machine, const uint8_t *code, size_t size_bytes)
{
	struct probe_entry entry = { .cost = PROBE_UNKNOWN };
	size_t skip = sizeof(endbr64);

	if (machine != EM_X86_64)
		return entry;
	entry.cost = cost_of(code, size_bytes);
	if (!begins_with(code, size_bytes, endbr64, skip))
		return entry;
	entry.cost = cost_of(code + skip, size_bytes - skip);
	if (entry.cost != PROBE_STEPPED)
		entry.skip_bytes = (uint32_t)skip;
	return entry;
}
