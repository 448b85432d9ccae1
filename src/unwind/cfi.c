/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/cfi.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* DW_CFA_*. The first three contain an operand in their low six bits. */
enum {
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_PRIMARY = 0xc0,
	CFA_OPERAND = 0x3f,

	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_MIPS_ADVANCE_LOC8 = 0x1d,
	CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	/* on other machines this number is CFA_GNU_window_save, which is used only on SPARC */
	CFA_AARCH64_NEGATE_RA_STATE = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct run {
	struct cfi *cfi;
	const struct frame_cie *cie;
	/* state to which CFA_RESTORE resets a register; NULL for the program of a CIE */
	const struct cfi_state *initial;
	struct byte_reader r;
	struct cfi_state state;
	unsigned int remembered_count;
	bool damaged, changed;

	/* address and size of the function, and the offset of the current position in it */
	uint64_t start_vaddr, size_bytes, offset;
	bool has_rule;
	struct unwind_rule last;	/* the rule that was passed to rule() last */
	cfi_rule_fn rule;		/* NULL for the program of a CIE */
	void *context;
	int rc;				/* last return value of rule() */
};

int cfi_init(struct cfi *cfi, const struct frame_records *records, uint16_t machine,
	     bool follow_kept)
{
	static const struct cfi_registers x86_64 = {
		.sp = 7,
		.fp = 6,
		.extra = 10,
		.kept = 3,
		.link = 5,
	};
	static const struct cfi_registers aarch64 = {
		.sp = 31,
		.fp = 29,
		.extra = 30,
		.kept = 19,
		.link = 30,
		.ra_is_link = true,
		.is_aarch64 = true,
	};

	*cfi = (struct cfi){ .records = records };
	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return -ENOEXEC;
	cfi->registers = machine == EM_X86_64 ? x86_64 : aarch64;
	cfi->registers.follows_kept = follow_kept;
	return 0;
}

void cfi_fini(struct cfi *cfi)
{
	vec_free(&cfi->initials);
}

/*
 * Calls rule() with the rule that holds from the current offset on, unless it equals the previous
 * rule.
 */
static void emit(struct run *run)
{
	struct unwind_rule rule;

	if (!run->changed || !run->rule)
		return;
	run->changed = false;
	rule = cfi_state_rule(&run->state, &run->cfi->registers);
	if (run->has_rule && memcmp(&rule, &run->last, sizeof(rule)) == 0)
		return;
	run->has_rule = true;
	run->last = rule;
	run->rc = run->rule(run->context, run->offset, &rule);
}

/*
 * Moves the current position to @offset. If @offset is at or after the end of the function, ends
 * the program, because later rules are not needed.
 */
static void advance_to(struct run *run, uint64_t offset)
{
	if (!run->rule || offset < run->offset) {
		run->damaged = true;
		return;
	}
	if (offset == run->offset)
		return;
	emit(run);
	if (offset >= run->size_bytes)
		run->r.at = run->r.size_bytes;
	run->offset = offset;
}

static void advance(struct run *run, uint64_t units)
{
	uint64_t offset;

	if (__builtin_mul_overflow(units, run->cie->code_align, &offset) ||
	    __builtin_add_overflow(offset, run->offset, &offset))
		run->damaged = true;
	else
		advance_to(run, offset);
}

static int64_t factored(const struct run *run, int64_t value)
{
	return (int64_t)((uint64_t)value * (uint64_t)run->cie->data_align);
}

/*
 * Returns the element of @state for DWARF register @number, or NULL if this register is not
 * tracked.
 */
static struct cfi_place *column(struct run *run, struct cfi_state *state, uint64_t number)
{
	const struct cfi_registers *registers = &run->cfi->registers;

	if (number == run->cie->ra_register)
		return &state->ra;
	if (number == registers->fp)
		return &state->fp;
	if (number == registers->kept && registers->follows_kept)
		return &state->kept;
	return number == registers->sp ? &state->sp : NULL;
}

static void set_column(struct run *run, uint64_t number, enum cfi_how how, uint8_t base,
		       int64_t offset)
{
	struct cfi_place *place = column(run, &run->state, number);

	if (!place)
		return;
	*place = (struct cfi_place){ .how = (uint8_t)how, .base = base, .offset = offset };
	run->changed = true;
}

static void save_at_cfa(struct run *run, uint64_t number, int64_t value)
{
	set_column(run, number, CFI_SAVED, UNWIND_BASE_CFA, factored(run, value));
}

static void restore_column(struct run *run, uint64_t number)
{
	struct cfi_place *place = column(run, &run->state, number);
	struct cfi_state initial = { 0 };

	if (!place)
		return;
	if (run->initial)
		initial = *run->initial;
	*place = *column(run, &initial, number);
	run->changed = true;
}

/* Reads an expression from the program: its length, then its bytes. */
static struct byte_reader take_block(struct run *run)
{
	uint64_t size_bytes = byte_reader_uleb(&run->r);
	struct byte_reader block = byte_reader_part(&run->r, run->r.at, size_bytes);

	byte_reader_skip(&run->r, block.failed ? SIZE_MAX : block.size_bytes);
	return block;
}

static void save_at_expression(struct run *run, uint64_t number)
{
	struct cfi_expression at = cfi_expression(&run->cfi->registers, take_block(run));

	/*
	 * Addresses that depend on extra or kept cannot be used: these registers may already have
	 * been overwritten when a rule is applied.
	 */
	if (at.kind == UNWIND_CFA && at.base < UNWIND_BASE_EXTRA)
		set_column(run, number, CFI_SAVED, at.base, at.offset);
	else
		set_column(run, number, CFI_OTHER, 0, 0);
}

/*
 * Handles the operation "register @number is saved in register @in". Rules can express this only in
 * two cases: both are the same register, or the return address is saved in link.
 */
static void save_in_register(struct run *run, uint64_t number, uint64_t in)
{
	if (number == run->cie->ra_register && in == run->cfi->registers.link)
		set_column(run, number, CFI_IN_LINK, 0, 0);
	else
		set_column(run, number, number == in ? CFI_UNTOUCHED : CFI_OTHER, 0, 0);
}

static void define_cfa(struct run *run, uint64_t number)
{
	run->state.kind = UNWIND_CFA;
	run->state.base = cfi_base(&run->cfi->registers, number);
	run->changed = true;
}

/*
 * Sets the distance of the CFA from its base register. An earlier operation defined the base
 * register. If that operation instead defined the CFA by an expression, the state becomes
 * unsupported.
 */
static void define_cfa_offset(struct run *run, int64_t offset)
{
	if (run->state.kind != UNWIND_CFA)
		run->state.kind = UNWIND_UNSUPPORTED;
	run->state.offset = offset;
	run->changed = true;
}

static void define_cfa_expression(struct run *run)
{
	struct cfi_expression cfa = cfi_expression(&run->cfi->registers, take_block(run));

	run->state.kind = cfa.kind;
	run->state.at_base = cfa.base;
	run->state.at_offset = cfa.offset;
	run->state.at_flags = cfa.flags;
	run->state.threshold = cfa.threshold;
	if (cfa.kind == UNWIND_CFA) {
		run->state.base = cfa.base;
		run->state.offset = cfa.offset;
	}
	run->changed = true;
}

static void remember(struct run *run)
{
	if (run->remembered_count == CFI_REMEMBER_MAX)
		run->damaged = true;
	else
		run->cfi->remembered[run->remembered_count++] = run->state;
}

static void restore_state(struct run *run)
{
	if (run->remembered_count == 0)
		run->damaged = true;
	else
		run->state = run->cfi->remembered[--run->remembered_count];
	run->changed = true;
}

/*
 * Runs operations that advance the location, and operations without effect. Returns false if @op is
 * not one of these.
 */
static bool run_location(struct run *run, uint8_t op)
{
	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_SET_LOC:
		advance_to(run, frame_records_address(run->cfi->records, run->cie, &run->r) -
					run->start_vaddr);
		return true;
	case CFA_ADVANCE_LOC1:
		advance(run, byte_reader_u8(&run->r));
		return true;
	case CFA_ADVANCE_LOC2:
		advance(run, byte_reader_u16(&run->r));
		return true;
	case CFA_ADVANCE_LOC4:
		advance(run, byte_reader_u32(&run->r));
		return true;
	case CFA_MIPS_ADVANCE_LOC8:
		advance(run, byte_reader_u64(&run->r));
		return true;
	case CFA_GNU_ARGS_SIZE:
		(void)byte_reader_uleb(&run->r);
		return true;
	default:
		return false;
	}
}

/*
 * Runs operations that define the CFA, and operations that change the entire state. Returns false
 * if @op is not one of these.
 */
static bool run_cfa(struct run *run, uint8_t op)
{
	switch (op) {
	case CFA_DEF_CFA:
		define_cfa(run, byte_reader_uleb(&run->r));
		define_cfa_offset(run, (int64_t)byte_reader_uleb(&run->r));
		return true;
	case CFA_DEF_CFA_SF:
		define_cfa(run, byte_reader_uleb(&run->r));
		define_cfa_offset(run, factored(run, byte_reader_sleb(&run->r)));
		return true;
	case CFA_DEF_CFA_REGISTER:
		define_cfa(run, byte_reader_uleb(&run->r));
		return true;
	case CFA_DEF_CFA_OFFSET:
		define_cfa_offset(run, (int64_t)byte_reader_uleb(&run->r));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		define_cfa_offset(run, factored(run, byte_reader_sleb(&run->r)));
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		define_cfa_expression(run);
		return true;
	case CFA_REMEMBER_STATE:
		remember(run);
		return true;
	case CFA_RESTORE_STATE:
		restore_state(run);
		return true;
	case CFA_AARCH64_NEGATE_RA_STATE:
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		run->state.is_signed ^= run->cfi->registers.is_aarch64;
		run->changed = true;
		return true;
	default:
		return false;
	}
}

/* Runs operations whose first operand is a register. */
static void run_register(struct run *run, uint8_t op, uint64_t number)
{
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		save_at_cfa(run, number, (int64_t)byte_reader_uleb(&run->r));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		save_at_cfa(run, number, byte_reader_sleb(&run->r));
		break;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		save_at_cfa(run, number, -(int64_t)(byte_reader_uleb(&run->r) & INT64_MAX));
		break;
	case CFA_RESTORE_EXTENDED:
		restore_column(run, number);
		break;
	case CFA_UNDEFINED:
		set_column(run, number, CFI_UNDEFINED, 0, 0);
		break;
	case CFA_SAME_VALUE:
		set_column(run, number, CFI_UNTOUCHED, 0, 0);
		break;
	case CFA_REGISTER:
		save_in_register(run, number, byte_reader_uleb(&run->r));
		break;
	case CFA_EXPRESSION:
		save_at_expression(run, number);
		break;
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:		/* both: skip the offset, one LEB128 */
		(void)byte_reader_uleb(&run->r);
		set_column(run, number, CFI_OTHER, 0, 0);
		break;
	case CFA_VAL_EXPRESSION:
		(void)take_block(run);
		set_column(run, number, CFI_OTHER, 0, 0);
		break;
	default:
		run->damaged = true;
	}
}

static void run_one(struct run *run)
{
	uint8_t op = byte_reader_u8(&run->r);
	uint64_t operand = op & CFA_OPERAND;

	switch (op & CFA_PRIMARY) {
	case CFA_ADVANCE_LOC:
		advance(run, operand);
		break;
	case CFA_OFFSET:
		save_at_cfa(run, operand, (int64_t)byte_reader_uleb(&run->r));
		break;
	case CFA_RESTORE:
		restore_column(run, operand);
		break;
	default:
		if (!run_location(run, op) && !run_cfa(run, op))
			run_register(run, op, byte_reader_uleb(&run->r));
	}
}

/*
 * Runs the program to its end, or until rule() returns a nonzero value. Returns false if the
 * program is damaged.
 */
static bool run_all(struct run *run)
{
	while (byte_reader_left(&run->r) > 0 && !run->damaged && run->rc == 0)
		run_one(run);
	return !run->damaged && !run->r.failed;
}

/*
 * Returns the state at the end of the CIE's program. Runs the program only at the first call for
 * this CIE. Returns NULL if out of memory.
 */
static const struct cfi_initial *initial_of(struct cfi *cfi, size_t cie)
{
	struct cfi_initial *initial;
	struct run run = { .cfi = cfi, .cie = &cfi->records->cies.at[cie] };

	while (cfi->initials.count <= cie)
		if (!vec_push(&cfi->initials))
			return NULL;
	initial = &cfi->initials.at[cie];
	if (initial->known)
		return initial;
	run.r = run.cie->instructions;
	run.state.is_signal = run.cie->signal;
	initial->known = true;
	initial->damaged = !run_all(&run);
	initial->state = run.state;
	return initial;
}

int cfi_run(struct cfi *cfi, const struct frame_fde *fde, cfi_rule_fn rule, void *context)
{
	const struct cfi_initial *initial = initial_of(cfi, fde->cie);
	struct run run = {
		.cfi = cfi,
		.cie = &cfi->records->cies.at[fde->cie],
		.r = fde->instructions,
		.start_vaddr = fde->start_vaddr,
		.size_bytes = fde->size_bytes,
		.rule = rule,
		.context = context,
		.changed = true,
	};

	if (!initial)
		return -ENOMEM;
	if (initial->damaged || fde->size_bytes == 0)
		return initial->damaged ? -EBADMSG : 0;
	run.initial = &initial->state;
	run.state = initial->state;
	if (!run_all(&run))
		return -EBADMSG;
	if (run.offset < run.size_bytes && run.rc == 0)
		emit(&run);
	return run.rc;
}
