/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi.h - runs the programs of call frame information
 *
 * The program of an FDE advances through the code of a function and says, step by step, where the
 * caller's registers are; it goes on from the state in which the program of its CIE ends.  What
 * comes out are the rules, each with the distance from the function's start from which on it
 * holds, in order and no two alike in succession.  The first is at 0.
 *
 * Programs are untrusted.  They have no loops, so that a run is linear in the program's size; what
 * they may remember is limited (CFI_REMEMBER_MAX; compilers nest no deeper than two).
 *
 * Source: DWARF 5 section 6.4.2; for the operations of vendors, binutils' dwarf2.def and the ABI
 * for the Arm 64-bit Architecture, aadwarf64 section "Call frame instructions".
 */
#ifndef ASSAY_UNWIND_CFI_H
#define ASSAY_UNWIND_CFI_H

#include "base/vec.h"
#include "elf/frame_records.h"
#include "unwind/cfi_state.h"

#define CFI_REMEMBER_MAX 32u

/* The state in which the program of a CIE ends. */
struct cfi_initial {
	bool known, damaged;
	struct cfi_state state;
};

struct cfi {
	const struct frame_records *records;	/* borrowed */
	struct cfi_registers registers;
	VEC(struct cfi_initial) initials;	/* by CIE */
	struct cfi_state remembered[CFI_REMEMBER_MAX];
};

/* Receives a rule; what it returns other than 0 ends the run. */
typedef int (*cfi_rule_fn)(void *context, uint64_t offset, const struct unwind_rule *rule);

/*
 * 0, or -ENOEXEC for an e_machine whose registers are not known. cfi_fini() after both.
 * @follow_kept: rules say where kept was saved, which makes more of them (unwind/rule.h).
 */
int cfi_init(struct cfi *cfi, const struct frame_records *records, uint16_t machine,
	     bool follow_kept);
void cfi_fini(struct cfi *cfi);

/* 0, -EBADMSG for a damaged program, -ENOMEM, or what @rule returned. */
int cfi_run(struct cfi *cfi, const struct frame_fde *fde, cfi_rule_fn rule, void *context);

#endif
