/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/stack_walk.h"

#include <asm/perf_regs.h>

#include "unwind/walk.h"

/* In the order of the bits, which is that of the values in a record. */
#if defined(__x86_64__)
enum { REG_KEPT, REG_FP, REG_SP, REG_IP, REG_EXTRA, REG_COUNT };
#define REGISTERS \
	(UINT64_C(1) << PERF_REG_X86_BX | UINT64_C(1) << PERF_REG_X86_BP | \
	 UINT64_C(1) << PERF_REG_X86_SP | UINT64_C(1) << PERF_REG_X86_IP | \
	 UINT64_C(1) << PERF_REG_X86_R10)
#elif defined(__aarch64__)
enum { REG_KEPT, REG_FP, REG_EXTRA, REG_SP, REG_IP, REG_COUNT };
#define REGISTERS \
	(UINT64_C(1) << PERF_REG_ARM64_X19 | UINT64_C(1) << PERF_REG_ARM64_X29 | \
	 UINT64_C(1) << PERF_REG_ARM64_LR | UINT64_C(1) << PERF_REG_ARM64_SP | \
	 UINT64_C(1) << PERF_REG_ARM64_PC)
#else
#error "registers of this machine are not known"
#endif

/* What the callback knows about the walk it is asked for. */
struct walking {
	const struct stack_walker *walker;
	struct live_process *process;
	uint64_t time_ns;
	bool in_caller;
};

uint64_t stack_walk_registers(void)
{
	return REGISTERS;
}

/* ---- walking ---- */

static const struct live_mapping *mapping_at(struct walking *walking, uint64_t addr)
{
	bool over_budget;

	if (walking->in_caller)
		return tracker_mapping_of_caller(walking->walker->tracker, walking->process, addr,
						 walking->time_ns, &over_budget);
	walking->in_caller = true;
	return tracker_mapping(walking->walker->tracker, walking->process, addr, walking->time_ns);
}

static bool image_at(void *context, uint64_t addr, struct unwind_image *ret_image)
{
	struct walking *walking = context;
	const struct live_mapping *mapping = mapping_at(walking, addr);

	if (!mapping)
		return false;
	*ret_image = (struct unwind_image){
		.table = image_tables_get(walking->walker->tables, mapping->pin),
		.bias = mapping->bias,
	};
	return true;
}

/* False where the sample has none, or not all of them. */
static bool find_registers(const struct record_sample *sample, struct unwind_regs *ret_regs)
{
	uint64_t values[REG_COUNT];

	if (sample->by_sampler) {
		*ret_regs = sample->user_regs;
		return true;
	}
	if (!sample->regs || sample->regs_bits != 64 || sample->reg_count != REG_COUNT)
		return false;
	memcpy(values, sample->regs, sizeof(values));
	*ret_regs = (struct unwind_regs){
		.ip = values[REG_IP],
		.sp = values[REG_SP],
		.fp = values[REG_FP],
		.extra = values[REG_EXTRA],
		.kept = values[REG_KEPT],
		.has_extra = 1,
		.exact = 1,
	};
	return true;
}

enum stack_root stack_walk_root(enum unwind_stop stop, bool is_cut)
{
	if (stop == UNWIND_STOP_END)
		return STACK_ROOT_END;
	if (stop == UNWIND_STOP_NOT || stop == UNWIND_STOP_DEEP ||
	    (stop == UNWIND_STOP_UNREADABLE && is_cut))
		return STACK_ROOT_TRUNCATED;
	return STACK_ROOT_BROKEN;
}

enum stack_root stack_walk(const struct stack_walker *walker, struct live_process *process,
			   const struct perf_record *record, uint64_t *addrs, size_t *ret_count)
{
	const struct record_sample *sample = &record->sample;
	struct walking walking = { walker, process, record->time_ns, false };
	struct unwind_walk walk = {
		.memory = { .bytes = sample->stack, .size_bytes = sample->stack_bytes },
		.image = image_at,
		.context = &walking,
		.frames = addrs,
		.frames_max = STACK_WALK_FRAMES_MAX,
	};
	struct unwind_regs regs;

	*ret_count = 0;
	if (!find_registers(sample, &regs))
		return STACK_ROOT_BROKEN;
	walk.memory.addr = regs.sp;
	return stack_walk_root(unwind_walk(&walk, regs, ret_count), sample->stack_is_cut);
}
