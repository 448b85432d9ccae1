/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_state.h - the state of a CFA program, and the rule for that state
 *
 * A CFA program computes, for each position in a function, where the caller's registers are
 * (cfi.h). DWARF tracks every register. This code tracks only the registers of unwind/rule.h, and
 * accepts only those forms of expressions that toolchains are known to produce. The state of each
 * register is therefore either something that a rule can express, or CFI_OTHER. The accepted
 * expressions are:
 *	bregN off			a register and an offset
 *	bregN off, deref		DRAP (a realigned stack), signal frames
 *	bregN off, deref, plus_uconst 8	OpenSSL's assembly
 *	breg7 8, breg16 0, lit15, and, litN, ge, lit3, shl, plus
 *					PLT of x86_64: one more word from byte N of an entry on
 *
 * Sources: DWARF 5 sections 2.5 and 6.4; ld's elf64-x86-64.c for the expressions of its PLTs.
 */
#ifndef ASSAY_UNWIND_CFI_STATE_H
#define ASSAY_UNWIND_CFI_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_reader.h"
#include "unwind/rule.h"

/* The DWARF numbers of the registers in unwind/rule.h. */
struct cfi_registers {
	uint8_t sp, fp, extra, kept, link;
	/* a call puts the return address in the register link, not on the stack */
	bool ra_is_link;
	bool is_aarch64;
	bool follows_kept;	/* rules also say where `kept` was saved */
};

enum cfi_how {
	/* the callee did not change the register, or the program does not mention the register */
	CFI_UNTOUCHED,
	CFI_UNDEFINED,
	CFI_SAVED,		/* saved at base + offset */
	CFI_IN_LINK,		/* return address only: in the link register */
	CFI_OTHER,		/* anything that a rule cannot express */
};

struct cfi_place {
	uint8_t how;		/* enum cfi_how */
	uint8_t base;		/* enum unwind_base */
	int64_t offset;
};

struct cfi_state {
	/*
	 * how the CFA is computed (enum unwind_kind): CFA, CFA_AT, PLT or UNSUPPORTED; GAP: the CFA
	 * is not defined yet
	 */
	uint8_t kind;
	uint8_t at_flags;	/* kind CFA_AT: flags of the expression, such as UNWIND_PLUS_WORD */
	bool is_signal, is_signed;
	/*
	 * kind CFA: the CFA is the value of this base plus `offset`; NONE: rules cannot use the
	 * base register
	 */
	uint8_t base;
	uint8_t at_base;	/* kinds CFA_AT and PLT: register of the expression */
	uint8_t threshold;	/* kind PLT: N of the expression (see the list above) */
	int64_t offset, at_offset;
	struct cfi_place sp, fp, ra, kept;
};

/*
 * A parsed expression. If kind is UNWIND_CFA, the value of the expression is base + offset.
 * Otherwise kind is UNWIND_CFA_AT, UNWIND_PLT or UNWIND_UNSUPPORTED.
 */
struct cfi_expression {
	uint8_t kind, base, threshold, flags;
	int64_t offset;
};

/*
 * Returns the enum unwind_base of DWARF register @number, or UNWIND_BASE_NONE if rules cannot use
 * this register.
 */
uint8_t cfi_base(const struct cfi_registers *registers, uint64_t number);

struct cfi_expression cfi_expression(const struct cfi_registers *registers, struct byte_reader r);

/* Returns the rule for @state. Its kind is UNWIND_UNSUPPORTED if no rule can express the state. */
struct unwind_rule cfi_state_rule(const struct cfi_state *state,
				  const struct cfi_registers *registers);

#endif
