/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/chain.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "intake/chain_cache.h"
#include "process/kernel_images.h"
#include "base/small_file.h"
#include "intake/stack_paths.h"

#define FRAMES_MAX 8192		/* maximum number of addresses in a record of 64 KiB */
#define STACK_LIMIT_DEFAULT 127

/*
 * No code can be mapped below this address: no distribution's kernel has a lower vm.mmap_min_addr.
 */
#define LOWEST_CODE_ADDR 4096

/*
 * The budgets of each process. They are larger than normal programs need, and small enough to limit
 * the harm that a program can do. See chain.h for the reasons.
 */
static const struct budget_limit caller_limit = { .burst = 20000, .per_second = 5000 };
static const struct budget_limit node_limit = { .burst = 2000000, .per_second = 20000 };

#define KERNEL_PLACES 2048	/* a power of two */

/*
 * The cached location of a kernel address. The entry is valid as long as its stamp matches the
 * stamp of the kernel's images, which changes whenever a module or BPF program is loaded.
 */
struct kernel_place {
	uint64_t addr, stamp;
	uint32_t location;
};

struct frames {
	size_t count;
	uint64_t addrs[FRAMES_MAX];	/* innermost first */
};

struct chains {
	struct model *model;
	struct tracker *tracker;
	struct kernel_images *kernel_images;
	/* maximum number of frames in a callchain of the kernel, kernel and user part together */
	size_t stack_limit;
	uint32_t unknown_image;		/* id of the image "[unknown]"; 0 until it is needed */
	struct stack_walker *walker;	/* NULL: user frames are in the kernel's callchain */
	struct sent_stacks sent;
	struct chain_cache user_cache, kernel_cache;
	struct kernel_place kernel_places[KERNEL_PLACES];
	struct frames kernel, user;
	/* result of unwinding the sample's user part; NULL: it was not unwound */
	const struct walk_outcome *outcome;
	/* storage for `outcome` if the in-kernel sampler has unwound the stack */
	struct walk_outcome walked;
	/* root of the stack if all its user addresses are in mapped code */
	enum stack_root user_end;
	uint32_t locations[FRAMES_MAX];	/* locations of the part that is being walked */
	struct stack_paths user_paths, kernel_paths;
};

int chains_new(struct model *model, struct tracker *tracker, struct kernel_images *kernel_images,
	       struct chains **ret_chains)
{
	struct chains *chains = calloc(1, sizeof(*chains));
	int64_t limit = STACK_LIMIT_DEFAULT;

	if (!chains)
		return -ENOMEM;
	chains->model = model;
	chains->tracker = tracker;
	chains->kernel_images = kernel_images;
	if (small_file_number("/proc/sys/kernel/perf_event_max_stack", &limit) < 0 || limit <= 0)
		limit = STACK_LIMIT_DEFAULT;
	chains->stack_limit = (size_t)limit;
	if (chain_cache_init(&chains->user_cache) < 0 ||
	    chain_cache_init(&chains->kernel_cache) < 0) {
		chains_free(chains);
		return -ENOMEM;
	}
	*ret_chains = chains;
	return 0;
}

void chains_free(struct chains *chains)
{
	if (!chains)
		return;
	chain_cache_fini(&chains->user_cache);
	chain_cache_fini(&chains->kernel_cache);
	sent_stacks_fini(&chains->sent);
	free(chains);
}

void chains_forget_stacks(struct chains *chains)
{
	chain_cache_clear(&chains->user_cache);
	chain_cache_clear(&chains->kernel_cache);
	chains->user_paths = chains->kernel_paths = (struct stack_paths){ 0 };
}

void chains_walk_stacks(struct chains *chains, struct stack_walker *walker)
{
	chains->walker = walker;
}

struct sent_stacks *chains_sent_stacks(struct chains *chains)
{
	return &chains->sent;
}

bool chains_led_nowhere(const struct chains *chains)
{
	return chains->outcome && (chains->outcome->stop == WALK_STOP_NO_IMAGE ||
				   chains->outcome->stop == WALK_STOP_NO_TABLE);
}

void chains_counts(const struct chains *chains, uint64_t *ret_found, uint64_t *ret_walked)
{
	*ret_found = chains->user_cache.found + chains->kernel_cache.found;
	*ret_walked = chains->user_cache.missed + chains->kernel_cache.missed;
}

/* ---- splitting at the context marks ---- */

static struct frames *part_of_mark(struct chains *chains, uint64_t mark)
{
	switch (mark) {
	case PERF_CONTEXT_KERNEL:
	case PERF_CONTEXT_HV:
		return &chains->kernel;
	case PERF_CONTEXT_USER:
		return &chains->user;
	/*
	 * Marks of guest frames, and marks that announce a user callchain which the kernel delivers
	 * later.
	 */
	default:
		return NULL;
	}
}

/*
 * Makes the sampled address the innermost frame of its part (kernel or user). The callchain of a
 * precise event begins at a different address.
 */
static void put_leaf(struct frames *frames, uint64_t addr)
{
	if (frames->count == 0)
		frames->count = 1;
	frames->addrs[0] = addr;
}

/*
 * Splits the callchain into kernel and user part. The addresses are copied with memcpy(), because a
 * callchain from a file may be unaligned.
 */
static void split(struct chains *chains, const struct perf_record *record)
{
	const struct record_sample *sample = &record->sample;
	struct frames *part = record->kernel_mode ? &chains->kernel : &chains->user;

	chains->kernel.count = 0;
	chains->user.count = 0;
	for (size_t i = 0; i < sample->chain_count; i++) {
		uint64_t addr;

		memcpy(&addr, (const char *)sample->chain + i * sizeof(addr), sizeof(addr));
		if (addr >= PERF_CONTEXT_MAX)
			part = part_of_mark(chains, addr);
		else if (part && part->count < FRAMES_MAX)
			part->addrs[part->count++] = addr;
	}
	put_leaf(record->kernel_mode ? &chains->kernel : &chains->user, sample->addr);
}

/* ---- stacks that the in-kernel sampler unwound ---- */

static void put_frames(struct frames *frames, const uint64_t *addrs, size_t count)
{
	frames->count = count < FRAMES_MAX ? count : FRAMES_MAX;
	if (frames->count)
		memcpy(frames->addrs, addrs, frames->count * sizeof(*addrs));
}

/* A wait has no sampled address. Its leaf is the innermost frame of its stack. */
static void put_sampled(struct chains *chains, const struct perf_record *record)
{
	if (record->sample.addr)
		put_leaf(record->kernel_mode ? &chains->kernel : &chains->user,
			 record->sample.addr);
}

/*
 * Fills the kernel part and the user part from the stack that the sample refers to. If the sampler
 * could not send that stack, only the sampled address is known, because it is part of the sample
 * itself.
 */
static void take_walked(struct chains *chains, const struct perf_record *record)
{
	struct record_stack stack = { .stop = UNWIND_STOP_NOT };

	if (!sent_stacks_find(&chains->sent, record->sample.walk_hash, &stack))
		loss_add(&chains->model->losses, LOSS_STACK_MISSING, 1);
	put_frames(&chains->kernel, stack.kernel, stack.kernel_count);
	put_frames(&chains->user, stack.user, stack.user_count);
	chains->walked = (struct walk_outcome){ .stop = stack_walk_stop(stack.stop, false, false) };
	chains->user_end = stack_walk_root(chains->walked.stop);
	if (record->sample.has_user)
		chains->outcome = &chains->walked;
	put_sampled(chains, record);
}

/* ---- the user part ---- */

static void walk_stack(struct chains *chains, struct live_process *process,
		       const struct perf_record *record)
{
	struct frames *user = &chains->user;
	size_t count;

	chains->user_end = stack_walk(chains->walker, process, record, user->addrs, &count);
	chains->outcome = stack_walk_outcome(chains->walker);
	if (count)
		user->count = count;
}

/*
 * Sets the kernel part from the sample, and unwinds the user part from the stack bytes that were
 * copied into the sample.
 */
static void take_copied(struct chains *chains, struct live_process *process,
			const struct perf_record *record)
{
	put_frames(&chains->kernel, record->sample.kernel, record->sample.kernel_count);
	chains->user.count = 0;
	put_sampled(chains, record);
	walk_stack(chains, process, record);
}

/*
 * Sets user_end, depending on whether the callchain was truncated. The kernel's limit applies to
 * the frames of both parts together.
 */
static void judge_chain(struct chains *chains)
{
	bool is_cut = chains->user.count + chains->kernel.count >= chains->stack_limit;

	chains->user_end = is_cut ? STACK_ROOT_TRUNCATED : STACK_ROOT_END;
}

static uint32_t unknown_location(struct chains *chains, uint64_t addr)
{
	struct image image = {
		.kind = IMAGE_UNKNOWN,
		.path = model_intern(chains->model, "[unknown]"),
	};

	if (!chains->unknown_image)
		chains->unknown_image = model_image_id(chains->model, &image);
	return model_location_id(chains->model, chains->unknown_image, addr);
}

/* Result of a walk through user addresses. chains->locations holds the locations. */
struct walk {
	size_t count;
	enum stack_root root;
	/* nothing is mapped at the leaf, but the tracker may know the mapping later */
	bool leaf_unknown;
	/* the loss to count if a budget ended the walk; otherwise LOSS_COUNT */
	enum loss over_budget;
};

/* Returns the location of the sampled address, or 0 if nothing is mapped there. */
static uint32_t leaf_location(struct chains *chains, struct live_process *process, uint64_t time_ns)
{
	uint64_t addr = chains->user.addrs[0];
	const struct live_mapping *mapping = tracker_mapping(chains->tracker, process, addr,
							     time_ns);

	return mapping ? model_location_id(chains->model, mapping->image, addr - mapping->bias) : 0;
}

/*
 * Returns the location of the caller at @index. Returns 0 if nothing is mapped at its address. Also
 * returns 0 if the caller or its mapping is new and the process has used up the budget for it.
 */
static uint32_t caller_location(struct chains *chains, struct live_process *process, size_t index,
				uint64_t time_ns, struct walk *walk)
{
	uint64_t addr = chains->user.addrs[index] - 1, vaddr;
	bool too_many;
	const struct live_mapping *mapping = tracker_mapping_of_caller(chains->tracker, process,
								       addr, time_ns, &too_many);
	uint32_t location;

	if (too_many)
		walk->over_budget = LOSS_MAPPING_BUDGET;
	if (!mapping)
		return 0;
	vaddr = addr - mapping->bias;
	location = model_location_find(chains->model, mapping->image, vaddr);
	if (location)
		return location;
	if (budget_take(&process->new_callers, &caller_limit, time_ns))
		return model_location_id(chains->model, mapping->image, vaddr);
	walk->over_budget = LOSS_LOCATION_BUDGET;
	return 0;
}

/*
 * Returns the location of the innermost user address.
 *
 * If the sample was taken in user mode, this address is the sampled address. It then gets a
 * location even if nothing is mapped there. If the sample was taken in the kernel and nothing is
 * mapped at the address, the address belongs to the previous program of the process, which exec()
 * has just removed. The function then returns 0, which ends the walk.
 */
static uint32_t first_location(struct chains *chains, struct live_process *process,
			       uint64_t time_ns, struct walk *walk)
{
	uint32_t location = leaf_location(chains, process, time_ns);

	walk->leaf_unknown = !location;
	if (!location && chains->kernel.count == 0)
		location = unknown_location(chains, chains->user.addrs[0]);
	return location;
}

static struct walk user_locations(struct chains *chains, struct live_process *process,
				  uint64_t time_ns)
{
	const struct frames *user = &chains->user;
	struct walk walk = { .root = STACK_ROOT_BROKEN, .over_budget = LOSS_COUNT };

	for (; walk.count < user->count; walk.count++) {
		size_t i = walk.count;

		if (i > 0 && user->addrs[i] < LOWEST_CODE_ADDR)
			break;
		chains->locations[i] = i == 0 ? first_location(chains, process, time_ns, &walk)
					      : caller_location(chains, process, i, time_ns, &walk);
		if (!chains->locations[i])
			return walk;
	}
	walk.root = walk.count == user->count ? chains->user_end : STACK_ROOT_END;
	return walk;
}

/*
 * Extends @stack by the first @count entries of chains->locations, outermost first. New stack nodes
 * are charged to the budget of @process.
 */
static uint32_t push_locations(struct chains *chains, struct live_process *process,
			       struct stack_paths *paths, uint32_t stack, size_t count)
{
	const struct stack_path path = { process->tgid, chains->locations, count };
	size_t before = chains->model->stacks.count;

	stack = stack_paths_push(paths, chains->model, stack, &path);
	budget_spend(&process->new_nodes, chains->model->stacks.count - before);
	return stack;
}

/*
 * Returns the cache key of the user part. The same user frames can be complete in one sample and
 * truncated in another, because the kernel's limit applies to both parts together. The key
 * therefore includes user_end. Apart from that, the kernel part affects the result only if the leaf
 * is unknown, and such results are not cached.
 */
static uint64_t user_key(const struct chains *chains, const struct live_process *process)
{
	return tracker_space_stamp(process) << 2 | chains->user_end;
}

/*
 * Returns true if the sampler did not send the user part. LOSS_STACK_NO_ROOM or LOSS_STACK_MISSING
 * has then already been counted.
 */
static bool was_not_sent(const struct chains *chains)
{
	return chains->outcome && chains->outcome->stop == WALK_STOP_NOT_SENT;
}

static void count_losses(struct chains *chains, enum stack_root root)
{
	if (root == STACK_ROOT_BROKEN)
		loss_add(&chains->model->losses, LOSS_STACK_BROKEN, 1);
	else if (root == STACK_ROOT_TRUNCATED && !was_not_sent(chains))
		loss_add(&chains->model->losses, LOSS_STACK_TRUNCATED, 1);
}

/*
 * Returns a stack that consists of the sampled address alone. A program cannot forge this address.
 */
static uint32_t user_leaf(struct chains *chains, struct live_process *process, uint64_t time_ns,
			  enum stack_root root)
{
	uint32_t location = leaf_location(chains, process, time_ns);

	if (!location) {
		loss_add(&chains->model->losses, LOSS_MAPPING_UNKNOWN, 1);
		location = unknown_location(chains, chains->user.addrs[0]);
	}
	return model_stack_id(chains->model, root, location);
}

/*
 * Returns the stack that replaces a user stack when the budget of new nodes is used up. If the
 * sample was taken in user mode, this stack has only the leaf. If the sample has a kernel part, the
 * stack has no user frames at all. The reason is that kernel frames are added on top of the user
 * frames, so that each different user leaf would create new nodes for all kernel frames.
 */
static uint32_t cut_user_stack(struct chains *chains, struct live_process *process,
			       uint64_t time_ns)
{
	loss_add(&chains->model->losses, LOSS_STACK_BUDGET, 1);
	if (chains->kernel.count)
		return STACK_ROOT_TRUNCATED;
	return user_leaf(chains, process, time_ns, STACK_ROOT_TRUNCATED);
}

static uint32_t user_stack(struct chains *chains, struct live_process *process, uint64_t time_ns)
{
	const struct frames *user = &chains->user;
	struct chain_key key = { user_key(chains, process), user->addrs, user->count };
	struct losses *losses = &chains->model->losses;
	struct chain_answer answer;
	struct walk walk;

	if (chain_cache_find(&chains->user_cache, &key, &answer)) {
		count_losses(chains, answer.root);
		return answer.stack;
	}
	if (!budget_has(&process->new_nodes, &node_limit, time_ns))
		return cut_user_stack(chains, process, time_ns);
	walk = user_locations(chains, process, time_ns);
	answer.root = walk.root;
	answer.stack = push_locations(chains, process, &chains->user_paths, walk.root, walk.count);
	/*
	 * compute the key again: the stamp may have changed if /proc/PID/maps was read during the
	 * walk
	 */
	key.owner = user_key(chains, process);
	if (!walk.leaf_unknown && walk.over_budget == LOSS_COUNT)
		chain_cache_put(&chains->user_cache, &key, &answer);
	if (walk.leaf_unknown && chains->kernel.count == 0)
		loss_add(losses, LOSS_MAPPING_UNKNOWN, 1);
	if (walk.over_budget != LOSS_COUNT)
		loss_add(losses, walk.over_budget, 1);
	else
		count_losses(chains, walk.root);
	return answer.stack;
}

/*
 * Sets the kernel part and the user part. Returns true if the user part is wanted and was recorded.
 * Even then the user part is empty if the task has no user frames.
 */
static bool take_parts(struct chains *chains, struct live_process *process,
		       const struct perf_record *record, bool want_user)
{
	chains->outcome = NULL;
	if (record->sample.by_sampler && record->sample.walk_hash) {
		take_walked(chains, record);
		return want_user;
	}
	if (record->sample.by_sampler) {
		take_copied(chains, process, record);
		return want_user;
	}
	split(chains, record);
	if (want_user && chains->walker) {
		walk_stack(chains, process, record);
		return true;
	}
	judge_chain(chains);
	return want_user && record->sample.chain_count > 0;
}

/*
 * Returns the root for a stack that has only kernel frames. @is_told is the result of take_parts().
 */
static enum stack_root root_without_user(struct chains *chains, const struct perf_record *record,
					 bool is_told)
{
	bool is_cut = record->sample.by_sampler
			      ? record->sample.has_user && chains->user_end != STACK_ROOT_END
			      : chains->kernel.count >= chains->stack_limit;

	if (!is_told)
		return STACK_ROOT_NONE;
	if (!is_cut)
		return STACK_ROOT_END;
	count_losses(chains, STACK_ROOT_TRUNCATED);
	return STACK_ROOT_TRUNCATED;
}

/* ---- the kernel part, on top of the user part ---- */

static uint64_t kernel_key(const struct chains *chains, uint32_t below)
{
	return kernel_images_stamp(chains->kernel_images) << 32 | below;
}

/*
 * Returns the location of a kernel address. Locations are cached, because most stacks consist of
 * the same few hundred kernel addresses.
 */
static uint32_t kernel_location(struct chains *chains, uint64_t addr)
{
	struct kernel_place *place =
		&chains->kernel_places[(addr ^ addr >> 11) & (KERNEL_PLACES - 1)];
	uint64_t stamp = kernel_images_stamp(chains->kernel_images) + 1;

	if (place->addr != addr || place->stamp != stamp) {
		*place = (struct kernel_place){ addr, stamp, 0 };
		place->location = model_location_id(
			chains->model, kernel_image_at(chains->kernel_images, addr), addr);
	}
	return place->location;
}

/*
 * Adds the kernel part on top of the user stack @below. If the budget is used up, leaves the user
 * stack out. If the user stack were kept, a program whose user stacks are always new would create
 * new nodes for the same kernel frames each time. Without user stacks, there are only a few
 * different kernel stacks.
 */
static uint32_t kernel_stack(struct chains *chains, struct live_process *process, uint32_t below,
			     uint64_t time_ns)
{
	const struct frames *kernel = &chains->kernel;
	struct chain_answer answer = { 0 };
	struct chain_key key = { kernel_key(chains, below), kernel->addrs, kernel->count };

	if (chain_cache_find(&chains->kernel_cache, &key, &answer))
		return answer.stack;
	if (below >= STACK_ROOT_COUNT && !budget_has(&process->new_nodes, &node_limit, time_ns))
		return kernel_stack(chains, process, cut_user_stack(chains, process, time_ns),
				    /*
				     * the call does not recurse again, because @below is now only a
				     * root
				     */
				    time_ns);
	for (size_t i = 0; i < kernel->count; i++)
		chains->locations[i] = kernel_location(chains, kernel->addrs[i] - (i > 0));
	answer.stack = push_locations(chains, process, &chains->kernel_paths, below, kernel->count);
	key.owner = kernel_key(chains, below);
	chain_cache_put(&chains->kernel_cache, &key, &answer);
	return answer.stack;
}

uint32_t chain_stack(struct chains *chains, struct live_thread *thread,
		     const struct perf_record *record, bool want_user,
		     const uint64_t **ret_kernel_addrs, size_t *ret_kernel_count)
{
	struct live_process *process = thread->process;
	bool is_told = take_parts(chains, process, record, want_user);
	uint32_t stack;

	*ret_kernel_addrs = chains->kernel.addrs;
	*ret_kernel_count = chains->kernel.count;
	if (is_told && chains->user.count > 0)
		stack = user_stack(chains, process, record->time_ns);
	else if (!record->kernel_mode)
		stack = user_leaf(chains, process, record->time_ns, STACK_ROOT_NONE);
	else
		stack = root_without_user(chains, record, is_told);
	if (chains->outcome && want_user)
		model_health_add(chains->model, stack, chains->outcome);
	if (chains->kernel.count)
		stack = kernel_stack(chains, process, stack, record->time_ns);
	return stack;
}
