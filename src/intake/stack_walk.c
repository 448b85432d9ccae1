/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/stack_walk.h"

#include <asm/perf_regs.h>

#include "unwind/walk.h"

/* Ordered like the bits in REGISTERS, because a record contains the values in that order. */
#if defined(__x86_64__)
enum { REG_KEPT, REG_LINK, REG_FP, REG_SP, REG_IP, REG_EXTRA, REG_COUNT };
#define REGISTERS \
	(UINT64_C(1) << PERF_REG_X86_BX | UINT64_C(1) << PERF_REG_X86_DI | \
	 UINT64_C(1) << PERF_REG_X86_BP | UINT64_C(1) << PERF_REG_X86_SP | \
	 UINT64_C(1) << PERF_REG_X86_IP | UINT64_C(1) << PERF_REG_X86_R10)
#elif defined(__aarch64__)
enum { REG_KEPT, REG_FP, REG_EXTRA, REG_LINK = REG_EXTRA, REG_SP, REG_IP, REG_COUNT };
#define REGISTERS \
	(UINT64_C(1) << PERF_REG_ARM64_X19 | UINT64_C(1) << PERF_REG_ARM64_X29 | \
	 UINT64_C(1) << PERF_REG_ARM64_LR | UINT64_C(1) << PERF_REG_ARM64_SP | \
	 UINT64_C(1) << PERF_REG_ARM64_PC)
#else
#error "registers of this machine are not known"
#endif

/* 8 MiB, the default RLIMIT_STACK. Stacks are rarely larger. */
#define STACK_NEAR_BYTES (UINT64_C(8) << 20)

/* The state of a walk, for the callback image_at(). */
struct walking {
	struct stack_walker *walker;
	struct live_process *process;
	uint64_t time_ns;
	bool in_caller;
};

uint64_t stack_walk_registers(void)
{
	return REGISTERS;
}

/* ---- walk ---- */

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

/* Returns false if the sample does not have all the requested registers. */
static bool find_registers(const struct record_sample *sample, struct unwind_regs *ret_regs)
{
	uint64_t values[REG_COUNT];

	if (sample->by_sampler) {
		*ret_regs = sample->user_regs;
		return true;
	}
	if (!sample->regs || sample->reg_count != REG_COUNT)
		return false;
	memcpy(values, sample->regs, sizeof(values));
	*ret_regs = (struct unwind_regs){
		.ip = values[REG_IP],
		.sp = values[REG_SP],
		.fp = values[REG_FP],
		.extra = values[REG_EXTRA],
		.link = values[REG_LINK],
		.kept = values[REG_KEPT],
		.has_extra = 1,
		.exact = 1,
		.is_32bit = sample->regs_bits == 32,
	};
	return true;
}

enum stack_root stack_walk_root(enum walk_stop stop)
{
	if (stop == WALK_STOP_END)
		return STACK_ROOT_END;
	if (stop == WALK_STOP_DEEP || stop == WALK_STOP_COPY_USED_UP || stop == WALK_STOP_NOT_SENT)
		return STACK_ROOT_TRUNCATED;
	return STACK_ROOT_BROKEN;
}

enum walk_stop stack_walk_stop(enum unwind_stop stop, bool by_frame_pointer, bool is_behind_copy)
{
	static const enum walk_stop names[UNWIND_STOP_COUNT] = {
		[UNWIND_STOP_NOT] = WALK_STOP_NOT_SENT,
		[UNWIND_STOP_END] = WALK_STOP_END,
		[UNWIND_STOP_NO_IMAGE] = WALK_STOP_NO_IMAGE,
		[UNWIND_STOP_NO_ROW] = WALK_STOP_NO_TABLE,
		[UNWIND_STOP_UNSUPPORTED] = WALK_STOP_UNSUPPORTED,
		[UNWIND_STOP_UNREADABLE] = WALK_STOP_UNREADABLE,
		[UNWIND_STOP_NO_EXTRA] = WALK_STOP_NO_REGISTER,
		[UNWIND_STOP_STUCK] = WALK_STOP_STUCK,
		[UNWIND_STOP_DEEP] = WALK_STOP_DEEP,
		[UNWIND_STOP_PAST] = WALK_STOP_PAST,
	};

	if (stop == UNWIND_STOP_UNREADABLE && is_behind_copy)
		return WALK_STOP_COPY_USED_UP;
	if (by_frame_pointer && (stop == UNWIND_STOP_NO_IMAGE || stop == UNWIND_STOP_UNREADABLE ||
				 stop == UNWIND_STOP_STUCK))
		return WALK_STOP_NO_TABLE;
	return (unsigned int)stop < UNWIND_STOP_COUNT ? names[stop] : WALK_STOP_NO_REGISTERS;
}

/*
 * Returns true if the memory that could not be read may be a part of the stack above the copied
 * bytes. If the last step did not use a frame pointer, this is always so. If it did, the frame
 * pointer register may hold an arbitrary number, because code without frame pointers uses the
 * register for other purposes. The number is then accepted as a stack address only if it is less
 * than STACK_NEAR_BYTES above the copy.
 */
static bool is_behind_copy(const struct unwind_walk *walk, bool by_frame_pointer)
{
	uint64_t end_addr = walk->memory.addr + walk->memory.size_bytes;

	return !by_frame_pointer ||
	       walk->last->fp - end_addr + sizeof(uint64_t) * 2 < STACK_NEAR_BYTES;
}

/*
 * Returns the reason why the walk ended. The reason depends on whether the last step followed a
 * frame pointer. Usually the last step began at the last frame. If the address of the last frame is
 * in no image, no step began there, and the last step is the one that led to this frame.
 */
static enum walk_stop name_stop(const struct unwind_walk *walk, enum unwind_stop stop, size_t count,
				bool copy_was_full)
{
	size_t behind = stop == UNWIND_STOP_NO_IMAGE ? 2 : 1;
	bool by_frame_pointer = count >= behind && walk->by_frame_pointer[count - behind];

	return stack_walk_stop(stop, by_frame_pointer,
			       copy_was_full && is_behind_copy(walk, by_frame_pointer));
}

const struct walk_outcome *stack_walk_outcome(const struct stack_walker *walker)
{
	return &walker->outcome;
}

enum stack_root stack_walk(struct stack_walker *walker, struct live_process *process,
			   const struct perf_record *record, uint64_t *addrs, size_t *ret_count)
{
	const struct record_sample *sample = &record->sample;
	struct walking walking = { walker, process, record->time_ns, false };
	struct unwind_regs regs, last = { 0 };
	struct unwind_walk walk = {
		.memory = { .bytes = sample->stack, .size_bytes = sample->stack_bytes },
		.image = image_at,
		.context = &walking,
		.frames = addrs,
		.frames_max = STACK_WALK_FRAMES_MAX,
		.by_frame_pointer = walker->by_frame_pointer,
		.last = &last,
	};
	enum unwind_stop stop;

	*ret_count = 0;
	walker->outcome = (struct walk_outcome){ .stop = WALK_STOP_NO_REGISTERS };
	if (!find_registers(sample, &regs))
		return STACK_ROOT_BROKEN;
	walk.memory.addr = sample->by_sampler ? sample->stack_addr : regs.sp;
	stop = unwind_walk(&walk, regs, ret_count);
	walker->outcome = (struct walk_outcome){
		.stop = name_stop(&walk, stop, *ret_count, sample->stack_is_cut),
		.from_bytes = true,
		.by_frame_pointer = walker->by_frame_pointer,
		.frame_count = *ret_count,
	};
	return stack_walk_root(walker->outcome.stop);
}
