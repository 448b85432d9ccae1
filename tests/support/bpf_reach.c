/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/bpf_reach.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"
#include "support/test.h"

/* the number of the function that libbpf has an invalid access call (bpf_core_poison_insn()) */
#define BAD_FIELD 195896080

#define REGS 11

/* The constants in the registers before an instruction. Bit n of @known: the value of n is one. */
struct place {
	bool is_reached;
	uint32_t known;
	uint64_t values[REGS];
};

struct reach {
	const struct bpf_insn *insns;
	size_t count;
	struct place *places;	/* one for each instruction */
	VEC(size_t) todo;	/* instructions whose place has changed */
};

static bool is_known(const struct place *place, uint32_t reg)
{
	return place->known >> reg & 1;
}

static void set(struct place *place, uint32_t reg, bool known, uint64_t value)
{
	place->known = known ? place->known | 1u << reg : place->known & ~(1u << reg);
	place->values[reg] = known ? value : 0;
}

/* The instruction @at is reached with the constants of @from. */
static void reach(struct reach *reach, size_t at, const struct place *from)
{
	struct place *place = &reach->places[at];
	struct place merged = *from;

	assert_true(at < reach->count);
	for (uint32_t reg = 0; place->is_reached && reg < REGS; reg++)
		if (!is_known(place, reg) || place->values[reg] != merged.values[reg])
			set(&merged, reg, false, 0);
	merged.is_reached = true;
	if (place->is_reached && place->known == merged.known)
		return;
	*place = merged;
	*vec_push(&reach->todo) = at;
}

static bool compute(uint8_t operation, uint64_t left, uint64_t right, uint64_t *ret_value)
{
	switch (operation) {
	case BPF_MOV:
		*ret_value = right;
		return true;
	case BPF_ADD:
		*ret_value = left + right;
		return true;
	case BPF_SUB:
		*ret_value = left - right;
		return true;
	case BPF_AND:
		*ret_value = left & right;
		return true;
	case BPF_OR:
		*ret_value = left | right;
		return true;
	case BPF_XOR:
		*ret_value = left ^ right;
		return true;
	case BPF_LSH:
		*ret_value = left << (right & 63);
		return true;
	case BPF_RSH:
		*ret_value = left >> (right & 63);
		return true;
	default:
		return false;
	}
}

static void calculate(struct place *place, const struct bpf_insn *insn)
{
	bool is_wide = BPF_CLASS(insn->code) == BPF_ALU64, is_imm = BPF_SRC(insn->code) == BPF_K;
	uint8_t operation = BPF_OP(insn->code);
	uint64_t right = is_imm ? (uint64_t)(int64_t)insn->imm : place->values[insn->src_reg];
	uint64_t value = 0;
	bool known = (is_imm || is_known(place, insn->src_reg)) &&
		     (operation == BPF_MOV || is_known(place, insn->dst_reg)) &&
		     compute(operation, place->values[insn->dst_reg], right, &value);

	set(place, insn->dst_reg, known, is_wide ? value : (uint32_t)value);
}

/* Returns 1 if the program jumps, 0 if it does not, -1 if this is unknown. */
static int decide(const struct place *place, const struct bpf_insn *insn)
{
	bool is_imm = BPF_SRC(insn->code) == BPF_K;
	uint64_t left = place->values[insn->dst_reg];
	uint64_t right = is_imm ? (uint64_t)(int64_t)insn->imm : place->values[insn->src_reg];

	if (!is_known(place, insn->dst_reg) || (!is_imm && !is_known(place, insn->src_reg)))
		return -1;
	if (BPF_CLASS(insn->code) == BPF_JMP32) {
		left = (uint32_t)left;
		right = (uint32_t)right;
	}
	switch (BPF_OP(insn->code)) {
	case BPF_JEQ:
		return left == right;
	case BPF_JNE:
		return left != right;
	case BPF_JGT:
		return left > right;
	case BPF_JGE:
		return left >= right;
	case BPF_JLT:
		return left < right;
	case BPF_JLE:
		return left <= right;
	case BPF_JSET:
		return (left & right) != 0;
	default:
		return -1;
	}
}

static void reach_function(struct reach *all, size_t at, int32_t distance)
{
	reach(all, (size_t)((long)at + 1 + distance), &(struct place){ 0 });
}

/* Follows the jump, call or exit @at. Returns false if it calls BAD_FIELD. */
static bool follow_jump(struct reach *all, size_t at, struct place *place)
{
	const struct bpf_insn *insn = &all->insns[at];
	size_t target = (size_t)((long)at + 1 + insn->off);
	int jumps;

	switch (BPF_OP(insn->code)) {
	case BPF_EXIT:
		return true;
	case BPF_CALL:
		if (insn->src_reg == 0 && insn->imm == BAD_FIELD)
			return false;
		if (insn->src_reg == BPF_PSEUDO_CALL)
			reach_function(all, at, insn->imm);
		for (uint32_t reg = 0; reg <= 5; reg++)
			set(place, reg, false, 0);
		reach(all, at + 1, place);
		return true;
	case BPF_JA:
		reach(all, target, place);
		return true;
	default:
		jumps = decide(place, insn);
		if (jumps != 0)
			reach(all, target, place);
		if (jumps != 1)
			reach(all, at + 1, place);
		return true;
	}
}

static bool follow(struct reach *all, size_t at)
{
	const struct bpf_insn *insn = &all->insns[at];
	struct place place = all->places[at];
	size_t next = at + 1;

	switch (BPF_CLASS(insn->code)) {
	case BPF_JMP:
	case BPF_JMP32:
		return follow_jump(all, at, &place);
	case BPF_ALU:
	case BPF_ALU64:
		calculate(&place, insn);
		break;
	case BPF_LD:	/* of a constant, in two instructions */
		next = at + 2;
		if (insn->src_reg == BPF_PSEUDO_FUNC)
			reach_function(all, at, insn->imm);
		set(&place, insn->dst_reg, insn->src_reg == 0,
		    (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32);
		break;
	case BPF_LDX:
		set(&place, insn->dst_reg, false, 0);
		break;
	case BPF_STX:	/* an atomic operation may change these two */
		if (BPF_MODE(insn->code) == BPF_ATOMIC) {
			set(&place, insn->src_reg, false, 0);
			set(&place, 0, false, 0);
		}
		break;
	default:
		break;
	}
	reach(all, next, &place);
	return true;
}

long bpf_reach_missing_field(const struct bpf_insn *insns, size_t count)
{
	struct reach all = { .insns = insns, .count = count };
	long found = -1;

	all.places = calloc(count, sizeof(*all.places));
	assert_non_null(all.places);
	reach(&all, 0, &(struct place){ 0 });
	while (found < 0 && all.todo.count > 0) {
		size_t at = all.todo.at[--all.todo.count];

		if (!follow(&all, at))
			found = (long)at;
	}
	free(all.places);
	vec_free(&all.todo);
	return found;
}
