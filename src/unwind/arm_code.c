/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/arm_code.h"

#include "base/byte_reader.h"

/* Offsets in struct rt_sigframe: 128 bytes of siginfo, and 176 of ucontext before sigcontext. */
#define SIGCONTEXT 304
/* after fault_address; then come x30, sp and pc */
#define SIGCONTEXT_X29 (SIGCONTEXT + 8 + 29 * 8)
#define SIGCONTEXT_SP (SIGCONTEXT_X29 + 16)
#define SIGCONTEXT_PC (SIGCONTEXT_X29 + 24)

#define MOV_X8_SIGRETURN 0xd2801168u
#define SVC_0 0xd4000001u
#define BTI_C 0xd503245fu
#define STP_X16_X30 0xa9bf7bf0u		/* stp x16, x30, [sp, #-16]! */

const struct unwind_rule arm_signal_rule = {
	.kind = UNWIND_CFA_AT,
	.cfa_base = UNWIND_BASE_SP,
	.flags = UNWIND_SIGNAL | UNWIND_SIGNAL_LINK,
	.fp_base = UNWIND_BASE_SP,
	.ra_base = UNWIND_BASE_SP,
	.kept_words = UNWIND_KEPT_LOST,
	.cfa_offset = SIGCONTEXT_SP,
	.fp_offset = SIGCONTEXT_X29,
	.ra_offset = SIGCONTEXT_PC,
};

size_t arm_find_signal_return(const uint8_t *code, size_t size_bytes)
{
	struct byte_reader r = byte_reader_of(code, size_bytes);
	uint32_t before = 0;

	while (byte_reader_left(&r) >= 4) {
		uint32_t word = byte_reader_u32(&r);

		if (before == MOV_X8_SIGRETURN && word == SVC_0)
			return r.at - ARM_SIGNAL_RETURN_BYTES;
		before = word;
	}
	return size_bytes;
}

uint32_t arm_plt_pushed_at(const uint8_t *code)
{
	struct byte_reader r = byte_reader_of(code, ARM_PLT_HEAD_BYTES);
	uint32_t word = byte_reader_u32(&r);

	if (word == BTI_C)
		word = byte_reader_u32(&r);
	return word == STP_X16_X30 ? (uint32_t)r.at : 0;
}

struct unwind_rule arm_plt_rule(int32_t pushed_bytes, int8_t kept_words)
{
	return (struct unwind_rule){
		.kind = UNWIND_CFA,
		.cfa_base = UNWIND_BASE_SP,
		.ra_base = pushed_bytes ? UNWIND_BASE_CFA : UNWIND_BASE_NONE,
		.kept_words = kept_words,
		.cfa_offset = pushed_bytes,
		.ra_offset = pushed_bytes ? -8 : 0,
	};
}
