/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known_stack.h - code whose call stack is known exactly
 *
 * known_stack_root(depth, ready) calls a function that calls itself until it is `depth` calls deep.
 * Then it sets *ready and runs forever, mostly in user mode and sometimes in a system call. So the
 * stack of any later sample consists of one address in [leaf, leaf_end), depth - 1 times
 * `return_addr`, and root_return_addr. The second variant keeps a frame pointer, which its root
 * sets to 0.
 *
 * The code is written in assembler because a compiler chooses its own frame layout.
 */
#ifndef ASSAY_TESTS_KNOWN_STACK_H
#define ASSAY_TESTS_KNOWN_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"

struct known_stack {
	void (*root)(uint32_t depth, uint32_t *ready);
	uint64_t start_addr, end_addr;			/* range of all of the code */
	uint64_t leaf_addr, leaf_end_addr;
	uint64_t return_addr, root_return_addr;
};

#if defined(__x86_64__) || defined(__aarch64__)
#define KNOWN_STACK 1
#else
#define KNOWN_STACK 0
#endif

struct known_stack known_stack_plain(void);
struct known_stack known_stack_frame_pointer(void);

/*
 * Unwind rules for the variant without a frame pointer; offsets are relative to its start_addr. An
 * unwinder looks up a return address one byte before it, so only that byte has a rule.
 */
#define KNOWN_STACK_ROWS 7
#define KNOWN_STACK_RULES 4
extern const struct unwind_rule known_stack_rules[KNOWN_STACK_RULES];
void known_stack_rows(struct unwind_row ret_rows[KNOWN_STACK_ROWS]);

#endif
