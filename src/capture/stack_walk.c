/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/stack_walk.h"

#include <asm/perf_regs.h>
#include <errno.h>

#include "elf/own_vdso.h"
#include "unwind/table_cache.h"
#include "unwind/walk.h"

/* In the order of the bits, which is that of the values in a record. */
#if defined(__x86_64__)
enum { REG_FP, REG_SP, REG_IP, REG_EXTRA, REG_COUNT };
#define REGISTERS \
	(UINT64_C(1) << PERF_REG_X86_BP | UINT64_C(1) << PERF_REG_X86_SP | \
	 UINT64_C(1) << PERF_REG_X86_IP | UINT64_C(1) << PERF_REG_X86_R10)
#elif defined(__aarch64__)
enum { REG_FP, REG_EXTRA, REG_SP, REG_IP, REG_COUNT };
#define REGISTERS \
	(UINT64_C(1) << PERF_REG_ARM64_X29 | UINT64_C(1) << PERF_REG_ARM64_LR | \
	 UINT64_C(1) << PERF_REG_ARM64_SP | UINT64_C(1) << PERF_REG_ARM64_PC)
#else
#error "registers of this machine are not known"
#endif

/* Stacks are rarely larger: the default of RLIMIT_STACK. */
#define STACK_NEAR_BYTES (UINT64_C(8) << 20)

struct slot {
	struct unwind_table table;
	uint64_t used;		/* walker.clock when it last was */
	bool made;
};

struct stack_walker {
	const struct model *model;
	struct tracker *tracker;
	struct pins *pins;
	VEC(struct slot) slots;			/* by the model's id of the image */
	struct table_cache cache;
	uint64_t clock, table_bytes;
	uint8_t by_frame_pointer[STACK_WALK_FRAMES_MAX];	/* of the last walk */
	struct walk_outcome outcome;
};

/* What the callback knows about the walk it is asked for. */
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

int stack_walker_new(const struct model *model, struct tracker *tracker, struct pins *pins,
		     const char *cache_dir, struct stack_walker **ret_walker)
{
	struct stack_walker *walker = calloc(1, sizeof(*walker));

	if (!walker)
		return -ENOMEM;
	walker->model = model;
	walker->tracker = tracker;
	walker->pins = pins;
	walker->cache = (struct table_cache)TABLE_CACHE_CLOSED;
	if (cache_dir)
		(void)table_cache_open(cache_dir, STACK_WALK_CACHE_BYTES, &walker->cache, NULL);
	*ret_walker = walker;
	return 0;
}

void stack_walker_free(struct stack_walker *walker)
{
	if (!walker)
		return;
	for (size_t i = 0; i < walker->slots.count; i++)
		if (walker->slots.at[i].made)
			unwind_table_fini(&walker->slots.at[i].table);
	vec_free(&walker->slots);
	table_cache_close(&walker->cache);
	free(walker);
}

/* ---- tables ---- */

static uint64_t table_bytes(const struct unwind_table *table)
{
	return table->rows.count * sizeof(*table->rows.at) +
	       table->rules.count * sizeof(*table->rules.at);
}

static void drop(struct stack_walker *walker, struct slot *slot)
{
	walker->table_bytes -= table_bytes(&slot->table);
	unwind_table_fini(&slot->table);
	*slot = (struct slot){ 0 };
}

/* The least recently used leave; @newest is needed now. */
static void make_room(struct stack_walker *walker, const struct slot *newest)
{
	while (walker->table_bytes > STACK_WALK_BYTES_MAX) {
		struct slot *oldest = NULL;

		for (size_t i = 0; i < walker->slots.count; i++) {
			struct slot *slot = &walker->slots.at[i];

			if (slot->made && slot != newest && slot->table.rows.count &&
			    (!oldest || slot->used < oldest->used))
				oldest = slot;
		}
		if (!oldest)
			return;
		drop(walker, oldest);
	}
}

static bool is_own_vdso(const struct model *model, const struct image *image)
{
	return image->kind == IMAGE_VDSO && strcmp(model_string(model, image->path), "[vdso]") == 0;
}

/* What is damaged is not kept: the next run may know better. */
static void read_table(struct stack_walker *walker, const struct image_file *file,
		       struct unwind_table *table)
{
	const struct table_id id = { file->build_id, file->build_id_size };

	if (id.size_bytes && table_cache_load(&walker->cache, &id, table) == 1)
		return;
	if (unwind_table_build(file, table, NULL) == 0 && id.size_bytes)
		(void)table_cache_store(&walker->cache, &id, table, NULL);
}

/* An image that cannot be read has a table without rows. */
static void make_table(struct stack_walker *walker, uint32_t id, struct slot *slot)
{
	const struct image *image = &walker->model->images.at[id];
	const struct image_file *file = pins_file(walker->pins, id);
	const void *vdso;
	size_t vdso_bytes = 0;

	slot->made = true;
	if (file)
		read_table(walker, file, &slot->table);
	else if (is_own_vdso(walker->model, image) && (vdso = own_vdso(&vdso_bytes)) != NULL)
		(void)unwind_table_build_bytes(vdso, vdso_bytes, "[vdso]", &slot->table, NULL);
	walker->table_bytes += table_bytes(&slot->table);
	make_room(walker, slot);
}

/* NULL: out of memory, or the image describes nothing. */
static const struct unwind_table *table_of_image(struct stack_walker *walker, uint32_t image)
{
	struct slot *slot;

	while (walker->slots.count <= image)
		if (!vec_push(&walker->slots))
			return NULL;
	slot = &walker->slots.at[image];
	slot->used = ++walker->clock;
	if (!slot->made)
		make_table(walker, image, slot);
	return slot->table.rows.count ? &slot->table : NULL;
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

	if (!mapping || !mapping->image)
		return false;
	*ret_image = (struct unwind_image){
		.table = table_of_image(walking->walker, mapping->image),
		.bias = mapping->bias,
	};
	return true;
}

static struct unwind_regs registers_of(const struct record_sample *sample)
{
	uint64_t values[REG_COUNT];

	memcpy(values, sample->regs, sizeof(values));
	return (struct unwind_regs){
		.ip = values[REG_IP],
		.sp = values[REG_SP],
		.fp = values[REG_FP],
		.extra = values[REG_EXTRA],
		.has_extra = 1,
		.exact = 1,
	};
}

static enum stack_root root_of(enum walk_stop stop)
{
	if (stop == WALK_STOP_END)
		return STACK_ROOT_END;
	if (stop == WALK_STOP_DEEP || stop == WALK_STOP_COPY_USED_UP)
		return STACK_ROOT_TRUNCATED;
	return STACK_ROOT_BROKEN;
}

enum walk_stop stack_walk_stop(enum unwind_stop stop, bool by_frame_pointer, bool is_behind_copy)
{
	static const enum walk_stop names[UNWIND_STOP_COUNT] = {
		[UNWIND_STOP_NOT] = WALK_STOP_DEEP,
		[UNWIND_STOP_END] = WALK_STOP_END,
		[UNWIND_STOP_NO_IMAGE] = WALK_STOP_NO_IMAGE,
		[UNWIND_STOP_NO_ROW] = WALK_STOP_NO_TABLE,
		[UNWIND_STOP_UNSUPPORTED] = WALK_STOP_UNSUPPORTED,
		[UNWIND_STOP_UNREADABLE] = WALK_STOP_UNREADABLE,
		[UNWIND_STOP_NO_EXTRA] = WALK_STOP_NO_REGISTER,
		[UNWIND_STOP_STUCK] = WALK_STOP_STUCK,
		[UNWIND_STOP_DEEP] = WALK_STOP_DEEP,
	};

	if (stop == UNWIND_STOP_UNREADABLE && is_behind_copy)
		return WALK_STOP_COPY_USED_UP;
	if (by_frame_pointer && (stop == UNWIND_STOP_NO_IMAGE || stop == UNWIND_STOP_UNREADABLE ||
				 stop == UNWIND_STOP_STUCK))
		return WALK_STOP_NO_TABLE;
	return (unsigned int)stop < UNWIND_STOP_COUNT ? names[stop] : WALK_STOP_NO_REGISTERS;
}

/*
 * A full copy may have been too small.  But the frame pointer of code that keeps none is any
 * number: what it points to is stack only where it is not far above.
 */
static bool is_behind_copy(const struct unwind_walk *walk, bool by_frame_pointer)
{
	uint64_t end_addr = walk->memory.addr + walk->memory.size_bytes;

	return !by_frame_pointer ||
	       walk->last->fp - end_addr + sizeof(uint64_t) * 2 < STACK_NEAR_BYTES;
}

/* What lies in no image was led to by the frame before it. */
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
	if (!sample->regs || sample->regs_bits != 64 || sample->reg_count != REG_COUNT)
		return STACK_ROOT_BROKEN;
	regs = registers_of(sample);
	walk.memory.addr = regs.sp;
	stop = unwind_walk(&walk, regs, ret_count);
	walker->outcome = (struct walk_outcome){
		.stop = name_stop(&walk, stop, *ret_count, sample->stack_is_cut),
		.from_bytes = true,
		.by_frame_pointer = walker->by_frame_pointer,
		.frame_count = *ret_count,
	};
	return root_of(walker->outcome.stop);
}
