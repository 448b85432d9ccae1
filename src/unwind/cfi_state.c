/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/cfi_state.h"

#include <string.h>

/* DW_OP_* */
enum {
	OP_DEREF = 0x06,
	OP_PLUS_UCONST = 0x23,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
	OP_BREGX = 0x92,
};

uint8_t cfi_base(const struct cfi_registers *registers, uint64_t number)
{
	if (number == registers->sp)
		return UNWIND_BASE_SP;
	if (number == registers->fp)
		return UNWIND_BASE_FP;
	if (number == registers->kept)
		return UNWIND_BASE_KEPT;
	return number == registers->extra ? UNWIND_BASE_EXTRA : UNWIND_BASE_NONE;
}

/*
 * Returns true if the rest of an expression is exactly what follows "breg7 8" in a PLT's expression
 * (cfi_state.h). If so, sets *@ret_threshold to N of "litN".
 */
static bool plt_tail(const struct byte_reader *r, uint8_t *ret_threshold)
{
	/* breg16 0, lit15, and; then litN; then ge, lit3, shl, plus */
	static const uint8_t before[] = { 0x80, 0x00, 0x3f, 0x1a },
			     after[] = { 0x2a, 0x33, 0x24, 0x22 };
	const uint8_t *tail = r->bytes + r->at;

	if (byte_reader_left(r) != sizeof(before) + 1 + sizeof(after) ||
	    memcmp(tail, before, sizeof(before)) != 0 ||
	    memcmp(tail + sizeof(before) + 1, after, sizeof(after)) != 0 ||
	    tail[sizeof(before)] < OP_LIT0 || tail[sizeof(before)] > OP_LIT0 + 15)
		return false;
	*ret_threshold = (uint8_t)(tail[sizeof(before)] - OP_LIT0);
	return true;
}

struct cfi_expression cfi_expression(const struct cfi_registers *registers, struct byte_reader r)
{
	const struct cfi_expression unsupported = { .kind = UNWIND_UNSUPPORTED };
	struct cfi_expression result = { .kind = UNWIND_CFA };
	uint64_t number = byte_reader_u8(&r);

	if (number >= OP_BREG0 && number < OP_BREG0 + 32)
		number -= OP_BREG0;
	else if (number == OP_BREGX)
		number = byte_reader_uleb(&r);
	else
		return unsupported;
	result.base = cfi_base(registers, number);
	result.offset = byte_reader_sleb(&r);
	if (result.base == UNWIND_BASE_SP && !registers->is_aarch64 &&
	    plt_tail(&r, &result.threshold)) {
		result.kind = UNWIND_PLT;
		return result;
	}
	if (byte_reader_left(&r) > 0) {
		if (byte_reader_u8(&r) != OP_DEREF)
			return unsupported;
		result.kind = UNWIND_CFA_AT;
	}
	if (byte_reader_left(&r) > 0) {
		if (byte_reader_u8(&r) != OP_PLUS_UCONST || byte_reader_uleb(&r) != 8)
			return unsupported;
		result.flags = UNWIND_PLUS_WORD;
	}
	if (r.failed || byte_reader_left(&r) > 0 || result.base == UNWIND_BASE_NONE)
		return unsupported;
	return result;
}

static bool fits(int64_t offset)
{
	return offset >= INT32_MIN && offset <= INT32_MAX;
}

/* Sets the CFA of @rule. Returns false if a rule cannot express the CFA. */
static bool set_cfa(const struct cfi_state *state, struct unwind_rule *rule)
{
	bool direct = state->kind == UNWIND_CFA;
	uint8_t base = direct ? state->base : state->at_base;
	int64_t offset = direct ? state->offset : state->at_offset;

	if (state->kind == UNWIND_GAP || state->kind == UNWIND_UNSUPPORTED ||
	    base == UNWIND_BASE_NONE || !fits(offset))
		return false;
	rule->kind = state->kind;
	rule->cfa_base = base & 15u;
	rule->cfa_offset = (int32_t)offset;
	return true;
}

/*
 * Returns true if the caller's sp equals the CFA, as every rule assumes. Most programs do not
 * define sp. Programs of signal frames do. They must then define sp in the same way as the CFA.
 */
static bool sp_is_cfa(const struct cfi_state *state)
{
	const struct cfi_place *sp = &state->sp;

	if (sp->how == CFI_SAVED)
		return state->kind == UNWIND_CFA_AT && state->at_flags == 0 &&
		       sp->base == state->at_base && sp->offset == state->at_offset;
	return sp->how != CFI_OTHER;
}

static bool set_fp(const struct cfi_state *state, struct unwind_rule *rule)
{
	const struct cfi_place *fp = &state->fp;

	if (state->kind == UNWIND_PLT) {
		rule->fp_offset = state->threshold;
		return fp->how == CFI_UNTOUCHED;
	}
	if (fp->how == CFI_SAVED) {
		rule->fp_base = fp->base & 15u;
		rule->fp_offset = (int32_t)fp->offset;
		return fits(fp->offset);
	}
	return fp->how != CFI_OTHER;
}

static bool set_ra(const struct cfi_state *state, const struct cfi_registers *registers,
		   struct unwind_rule *rule)
{
	const struct cfi_place *ra = &state->ra;

	if (ra->how == CFI_UNTOUCHED || ra->how == CFI_IN_LINK)
		return registers->ra_is_link || ra->how == CFI_IN_LINK;
	rule->ra_base = ra->base & 15u;
	rule->ra_offset = (int32_t)ra->offset;
	return ra->how == CFI_SAVED && fits(ra->offset);
}

/*
 * Returns the distance from the CFA to the word where the register `kept` was saved, in words.
 * Returns UNWIND_KEPT_ALONE if the register was not changed. Returns UNWIND_KEPT_LOST if rules do
 * not follow `kept` or cannot express the distance. In code that calls other functions, rules can
 * always express it.
 */
static int8_t kept_words(const struct cfi_state *state, const struct cfi_registers *registers)
{
	const struct cfi_place *kept = &state->kept;
	int64_t words = kept->offset / 8;

	if (!registers->follows_kept)
		return UNWIND_KEPT_LOST;
	if (kept->how == CFI_UNTOUCHED)
		return UNWIND_KEPT_ALONE;
	if (kept->how != CFI_SAVED || kept->base != UNWIND_BASE_CFA || kept->offset % 8 != 0 ||
	    words <= INT8_MIN || words > INT8_MAX || words == 0)
		return UNWIND_KEPT_LOST;
	return (int8_t)words;
}

struct unwind_rule cfi_state_rule(const struct cfi_state *state,
				  const struct cfi_registers *registers)
{
	struct unwind_rule rule = { 0 };
	unsigned int flags;

	if (state->ra.how == CFI_UNDEFINED)
		return (struct unwind_rule){ .kind = UNWIND_END };
	if (!set_cfa(state, &rule) || !sp_is_cfa(state) || !set_fp(state, &rule) ||
	    !set_ra(state, registers, &rule))
		return (struct unwind_rule){ .kind = UNWIND_UNSUPPORTED };
	flags = (state->kind == UNWIND_CFA_AT ? state->at_flags : 0) |
		(state->is_signal   ? UNWIND_SIGNAL
		 : state->is_signed ? UNWIND_SIGNED_RA
				    : 0);
	rule.flags = flags & 15u;
	rule.kept_words = kept_words(state, registers);
	return rule;
}
