/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_usdt.h - the arguments of static probes, which can be in any register or in memory
 *
 * Part of stopwatch.bpf.c, which includes it.
 */
#ifndef ASSAY_BPF_SPAN_USDT_H
#define ASSAY_BPF_SPAN_USDT_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"
#include "bpf/span_values.h"

/* By number; 0 is that of places whose arguments are not needed. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set before loading */
	__type(key, uint32_t);
	__type(value, struct span_place);
} places SEC(".maps");

#if defined(__TARGET_ARCH_x86)
#define REGISTERS 16u
#else
#define REGISTERS 32u
#endif

/* By the numbers that stopwatch/usdt_arguments.c gives them. */
struct span_registers {
	uint64_t at[REGISTERS];
};

static __always_inline struct span_registers registers_of(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (struct span_registers){ .at = { regs->rax, regs->rbx, regs->rcx, regs->rdx,
						regs->rsi, regs->rdi, regs->rbp, regs->rsp,
						regs->r8, regs->r9, regs->r10, regs->r11, regs->r12,
						regs->r13, regs->r14, regs->r15 } };
#else
	const struct user_pt_regs *user = (const void *)regs;
	struct span_registers registers;

	for (uint32_t i = 0; i < REGISTERS - 1; i++)
		registers.at[i] = user->regs[i];
	registers.at[REGISTERS - 1] = user->sp;
	return registers;
#endif
}

/* The size is a constant for the verifier. Returns 0, or an error if the memory is not there. */
static __always_inline long read_memory(uint64_t addr, uint8_t size_bytes, uint64_t *ret_number)
{
	const void *at = (const void *)addr;

	*ret_number = 0;
	switch (size_bytes) {
	case 1:
		return bpf_probe_read_user(ret_number, 1, at);
	case 2:
		return bpf_probe_read_user(ret_number, 2, at);
	case 4:
		return bpf_probe_read_user(ret_number, 4, at);
	default:
		return bpf_probe_read_user(ret_number, 8, at);
	}
}

static __always_inline long argument_of(const struct span_registers *registers,
					const struct span_argument *argument, uint64_t *ret_number)
{
	uint64_t number = (uint64_t)argument->number;
	long rc = 0;

	if (argument->kind >= SPAN_ARGUMENT_REGISTER)
		number += registers->at[argument->base & (REGISTERS - 1)];
	if (argument->kind == SPAN_ARGUMENT_MEMORY) {
		if (argument->scale)
			number += registers->at[argument->index & (REGISTERS - 1)] *
				  argument->scale;
		rc = read_memory(number, argument->size_bytes, &number);
	}
	*ret_number = extended(number, argument->size_bytes, argument->is_signed);
	return rc;
}

/* Returns 0, or an error if an argument could not be read. */
static __noinline long read_arguments(struct pt_regs *ctx, uint32_t number,
				      struct span_point *ret_point)
{
	const struct span_place *place = bpf_map_lookup_elem(&places, &number);
	struct span_registers registers = registers_of(ctx);
	long rc = 0;

	if (!place || !ret_point)
		return -1;
	for (uint32_t i = 0; i < SPAN_ARGUMENTS; i++)
		rc |= argument_of(&registers, &place->arguments[i], &ret_point->arguments[i]);
	return rc;
}

#endif
