/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_entry.h - where at the entry of a function a probe is cheap
 *
 * The kernel replaces the first instruction with a breakpoint. What it replaced is then either
 * emulated, which is cheap, or executed by itself with a trap after it (single-stepped), which
 * takes ten times as long, thirty times in a virtual machine. On x86 it emulates nops, pushes,
 * jumps and calls; endbr64, with which many functions begin, it does not. So a probe goes behind an
 * endbr64 if what follows is emulated. Nothing has moved the stack pointer there, so return probes
 * still work.
 * Source: Linux, arch/x86/kernel/uprobes.c, branch_setup_xol_ops(), push_setup_xol_ops(),
 * uprobe_init_insn().
 */
#ifndef ASSAY_STOPWATCH_PROBE_ENTRY_H
#define ASSAY_STOPWATCH_PROBE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum probe_cost {
	PROBE_NOP5,		/* a nop of 5 bytes, which newer kernels replace by a call */
	PROBE_EMULATED,
	PROBE_STEPPED,
	PROBE_UNKNOWN,		/* of another machine than x86-64 */
	PROBE_ENTRIES,		/* the number of those above, which are at entries of functions */
	PROBE_CALL = PROBE_ENTRIES,	/* a system call */
	PROBE_KERNEL,		/* a function of the kernel */
	PROBE_NOT_MEASURED,	/* two points that a key joins */
	PROBE_COSTS
};

struct probe_entry {
	uint32_t skip_bytes;	/* how far from the first instruction the probe is set */
	enum probe_cost cost;
	/*
	 * The kernel sets no probe here. It says so only if the file is in use already: then
	 * registering the probe fails. Otherwise the probe is never hit.
	 */
	bool is_refused;
};

struct probe_entry probe_entry_of(uint16_t machine, const uint8_t *code, size_t size_bytes);

#endif
