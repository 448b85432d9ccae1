/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi.h - runs the programs of call frame information
 *
 * Call frame information consists of records. An FDE is the record of one function. It refers to a
 * CIE, a record that several functions share. Both the FDE and the CIE contain a program. The
 * program of an FDE advances through the code of the function and says, step by step, where the
 * caller's registers are saved. It starts from the state in which the program of its CIE ends. The
 * output is a sequence of rules (unwind/rule.h). Each rule has an offset from the start of the
 * function, in bytes, and holds from there up to the offset of the next rule. The rules are in
 * order, the first is at offset 0, and no two successive rules are equal.
 *
 * Programs are untrusted. They have no loops, so a run takes time linear in the size of the
 * program. A program can remember at most CFI_REMEMBER_MAX states at a time. Programs from
 * compilers remember at most two.
 *
 * Source: DWARF 5 section 6.4.2. For vendor operations: binutils' dwarf2.def and the ABI for the
 * Arm 64-bit Architecture, aadwarf64 section "Call frame instructions".
 */
#ifndef ASSAY_UNWIND_CFI_H
#define ASSAY_UNWIND_CFI_H

#include "base/vec.h"
#include "elf/frame_records.h"
#include "unwind/cfi_state.h"

#define CFI_REMEMBER_MAX 32u

/* The state at the end of the program of one CIE. */
struct cfi_initial {
	bool known, damaged;
	struct cfi_state state;
};

struct cfi {
	const struct frame_records *records;	/* borrowed */
	struct cfi_registers registers;
	VEC(struct cfi_initial) initials;	/* indexed by the number of the CIE */
	struct cfi_state remembered[CFI_REMEMBER_MAX];
};

/*
 * Called with each rule and the offset from which on the rule holds. A nonzero return value ends
 * the run.
 */
typedef int (*cfi_rule_fn)(void *context, uint64_t offset, const struct unwind_rule *rule);

/*
 * Returns 0, or -ENOEXEC if the registers of @machine (an ELF e_machine) are not known. Call
 * cfi_fini() in both cases.
 *
 * @follow_kept: if true, rules also say where the register `kept` was saved, which
 *	increases the number of rules (unwind/rule.h)
 */
int cfi_init(struct cfi *cfi, const struct frame_records *records, uint16_t machine,
	     bool follow_kept);
void cfi_fini(struct cfi *cfi);

/*
 * Runs the program of @fde and calls @rule with each rule. Returns 0, -EBADMSG for a damaged
 * program, -ENOMEM, or the nonzero value that @rule returned.
 */
int cfi_run(struct cfi *cfi, const struct frame_fde *fde, cfi_rule_fn rule, void *context);

#endif
