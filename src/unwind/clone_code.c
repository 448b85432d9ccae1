/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/clone_code.h"

#include <string.h>

bool clone_code_is(const uint8_t *bytes, size_t size_bytes)
{
	static const uint8_t call_and_test[] = { 0x0f, 0x05, 0x48, 0x85, 0xc0 };
	static const uint8_t over_ret[] = { 0x74, 0x01, 0xc3 };	/* the last bytes of the code */
	const uint8_t *jump = bytes + sizeof(call_and_test);

	if (size_bytes != CLONE_CODE_LEAST && size_bytes != CLONE_CODE_MOST)
		return false;
	if (size_bytes == CLONE_CODE_LEAST ? jump[0] != 0x7c : jump[0] != 0x0f || jump[1] != 0x8c)
		return false;
	return memcmp(bytes, call_and_test, sizeof(call_and_test)) == 0 &&
	       memcmp(bytes + size_bytes - sizeof(over_ret), over_ret, sizeof(over_ret)) == 0;
}
