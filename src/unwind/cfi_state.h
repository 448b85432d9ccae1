/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_state.h - what a CFA program has said so far, and the rule that this makes
 *
 * DWARF keeps a column for every register.  Here only those of unwind/rule.h are followed, and of
 * expressions only the forms that toolchains are known to make, so that each column is what a rule
 * can say of it, or that it cannot:
 *	bregN off			a register and an offset
 *	bregN off, deref		DRAP (a stack that was realigned), frames of signals
 *	bregN off, deref, plus_uconst 8	OpenSSL's assembly
 *	breg7 8, breg16 0, lit15, and, litN, ge, lit3, shl, plus
 *					PLT of x86_64: from byte N of an entry on, one word more
 *
 * Sources: DWARF 5 sections 2.5 and 6.4; ld's elf64-x86-64.c for what it writes about its PLTs.
 */
#ifndef ASSAY_UNWIND_CFI_STATE_H
#define ASSAY_UNWIND_CFI_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_reader.h"
#include "unwind/rule.h"

/* DWARF's numbers for the registers of rules. */
struct cfi_registers {
	uint8_t sp, fp, extra, kept, link;
	bool ra_is_link;	/* the return address arrives in link, not on the stack */
	bool is_aarch64;
	bool follows_kept;	/* rules say where it was saved */
};

enum cfi_how {
	CFI_UNTOUCHED,		/* the callee left it alone, or nothing is said */
	CFI_UNDEFINED,
	CFI_SAVED,		/* at base + offset */
	CFI_IN_LINK,		/* of the return address */
	CFI_OTHER,		/* somewhere that a rule cannot say */
};

struct cfi_place {
	uint8_t how;		/* enum cfi_how */
	uint8_t base;		/* enum unwind_base */
	int64_t offset;
};

struct cfi_state {
	uint8_t kind;		/* CFA, CFA_AT, PLT, UNSUPPORTED; GAP: no CFA was defined yet */
	uint8_t at_flags;	/* UNWIND_PLUS_WORD, of the expression */
	bool is_signal, is_signed;
	uint8_t base;		/* UNWIND_CFA: of the CFA; NONE for a register not followed */
	uint8_t at_base;	/* CFA_AT, PLT: of the expression */
	uint8_t threshold;	/* PLT */
	int64_t offset, at_offset;
	struct cfi_place sp, fp, ra, kept;
};

/* What an expression calculates: UNWIND_CFA for base + offset, CFA_AT, PLT or UNSUPPORTED. */
struct cfi_expression {
	uint8_t kind, base, threshold, flags;
	int64_t offset;
};

/* What a register of DWARF is in a rule; UNWIND_BASE_NONE when it is none of them. */
uint8_t cfi_base(const struct cfi_registers *registers, uint64_t number);

struct cfi_expression cfi_expression(const struct cfi_registers *registers, struct byte_reader r);

/* UNWIND_UNSUPPORTED for a state that no rule can say. */
struct unwind_rule cfi_state_rule(const struct cfi_state *state,
				  const struct cfi_registers *registers);

#endif
