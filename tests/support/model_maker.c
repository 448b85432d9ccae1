/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/model_maker.h"

#include <stdlib.h>

#define NEED(condition)			\
	do {				\
		if (!(condition))	\
			abort();	\
	} while (0)

#define SECONDS(s) ((uint64_t)((s)*1000 + 0.5) * 1000000)

void model_maker_init(struct model_maker *maker)
{
	struct event *event;

	*maker = (struct model_maker){ .now_ns = MAKER_START_NS };
	NEED(model_init(&maker->model) == 0);
	event = vec_push(&maker->model.events);
	NEED(event);
	*event = (struct event){
		.name = model_intern(&maker->model, "cpu-clock"),
		.period = MAKER_PERIOD_NS,
		.is_time = true,
		.has_ticks = true,
	};
	model_fact_set(&maker->model, FACT_ASSAY_VERSION, "0.0");
	model_fact_set(&maker->model, FACT_COMMAND, "assay record -a -F 1000 -d 10");
	model_fact_set(&maker->model, FACT_TARGET, "system");
	model_fact_set(&maker->model, FACT_SCOPE, "cpu");
	model_fact_set_u64(&maker->model, FACT_START_NS, MAKER_START_NS);
	model_fact_set_u64(&maker->model, FACT_END_NS, (MAKER_START_NS + SECONDS(10)));
	model_fact_set_u64(&maker->model, FACT_START_REALTIME_NS, 1700000000000000000);
	model_fact_set_u64(&maker->model, FACT_CPUS, 2);
	model_fact_set_u64(&maker->model, FACT_SELF_TGID, 300);
	model_fact_set_u64(&maker->model, FACT_SELF_CPU_NS, 120000000);
	model_fact_set_u64(&maker->model, FACT_SYMBOLIZE_CPU_NS, 20000000);
	model_fact_set_u64(&maker->model, FACT_SELF_MAX_RSS_BYTES, 8388608);
	model_fact_set_u64(&maker->model, FACT_RECORDING_BYTES, 102400);
	model_fact_set_u64(&maker->model, FACT_LATE_THRESHOLD_NS, 25000);
	model_fact_set_u64(&maker->model, FACT_INTERRUPT_COST_NS, 11000);
	model_fact_set_u64(&maker->model, FACT_INTERRUPT_COST_LOW_NS, 9000);
	model_fact_set_u64(&maker->model, FACT_INTERRUPT_COST_HIGH_NS, 13200);
	model_fact_set_u64(&maker->model, FACT_VIRTUAL, 1);
	model_fact_set(&maker->model, FACT_TICK_WATCH, "on");
}

void model_maker_fini(struct model_maker *maker)
{
	sample_batch_fini(&maker->batch);
	model_fini(&maker->model);
}

uint32_t maker_thread(struct model_maker *maker, const char *application, uint32_t tgid,
		      bool kernel_thread)
{
	struct model *model = &maker->model;
	uint32_t name = model_intern(model, application);
	uint32_t id = model_application_id(model, name);
	struct process process = {
		.tgid = tgid,
		.application = id,
		.instance = ++model->applications.at[id].instance_count,
		.uid = tgid >= 100 ? 1000 : 0,
		.cgroup = model_intern(model, kernel_thread ? "/" : "/user.slice"),
		.kernel_thread = kernel_thread,
	};
	struct thread thread = { .tid = tgid, .comm = name };

	thread.process = model_process_add(model, &process);
	NEED(thread.process);
	return model_thread_add(model, &thread);
}

uint32_t maker_stack(struct model_maker *maker, uint32_t parent, const struct maker_frame *frame)
{
	struct model *model = &maker->model;
	struct image image = { .kind = frame->kind, .path = model_intern(model, frame->image) };
	uint32_t image_id = model_image_id(model, &image), location;
	struct function function = {
		.image = image_id,
		.quality = frame->quality,
		.root = frame->root,
		/* Any address will do if functions with the same name get the same address. */
		.vaddr = 0x1000 + 0x10 * (uint64_t)model_intern(
						 model, frame->function ? frame->function : "?"),
	};

	location = model_location_id(model, image_id, function.vaddr + 4);
	NEED(location);
	if (frame->function) {
		function.name = model_intern(model, frame->function);
		if (frame->quality == QUALITY_BRACKET) {
			function.before = model_intern(model, "send");
			function.after = model_intern(model, "sendmsg");
		}
		model->locations.at[location].function = model_function_id(model, &function);
	}
	return model_stack_id(model, parent, location);
}

void maker_samples(struct model_maker *maker, const struct maker_run *run)
{
	for (unsigned int i = 0; i < run->count; i++) {
		struct sample *sample = vec_push(&maker->batch.samples);

		NEED(sample);
		*sample = (struct sample){
			.time_ns = maker->now_ns,
			.weight = MAKER_PERIOD_NS,
			.thread = run->thread,
			.stack = run->stack,
			.late_ns = i < run->late ? MAKER_LATE_NS : 2000,
			.cpu = run->cpu,
			.event = run->event,
			.context = (uint8_t)run->context,
		};
		maker->now_ns += MAKER_PERIOD_NS;
	}
}

/* ---- the machine ---- */

static uint32_t user(struct model_maker *maker, const char *image, const char *function,
		     enum quality quality)
{
	const struct maker_frame start = { "/lib/libc.so.6", IMAGE_FILE, "_start", QUALITY_SYMTAB,
					   true };
	const struct maker_frame leaf = { image, IMAGE_FILE, function, quality, false };

	return maker_stack(maker, maker_stack(maker, STACK_ROOT_END, &start), &leaf);
}

static uint32_t kernel(struct model_maker *maker, const char *function, enum stack_root root)
{
	const struct maker_frame leaf = { "[kernel]", IMAGE_KERNEL, function, QUALITY_SYMTAB,
					  false };

	return maker_stack(maker, root, &leaf);
}

static void make_burn(struct model_maker *maker)
{
	uint32_t burn = maker_thread(maker, "burn", 100, false);
	const struct maker_run runs[] = {
		{ .stack = user(maker, "/usr/bin/burn", "burn_hot", QUALITY_SYMTAB),
		  .context = CONTEXT_USER,
		  .count = 4000 },
		{ .stack = user(maker, "/usr/bin/burn", "burn_cold", QUALITY_SYMTAB),
		  .context = CONTEXT_USER,
		  .count = 1000 },
		{ .stack = user(maker, "/lib/libc.so.6", "memcpy", QUALITY_DYNSYM),
		  .context = CONTEXT_USER,
		  .count = 5 },
		{ .stack = kernel(maker, "ksys_read", STACK_ROOT_TRUNCATED),
		  .context = CONTEXT_SYSCALL,
		  .count = 500 },
		{ .stack = kernel(maker, "handle_mm_fault", STACK_ROOT_BROKEN),
		  .context = CONTEXT_EXCEPTION,
		  .count = 200 },
		{ .stack = kernel(maker, "net_rx_action", STACK_ROOT_END),
		  .context = CONTEXT_SOFTIRQ,
		  .count = 300 },
		{ .stack = kernel(maker, "tick_handler", STACK_ROOT_END),
		  .context = CONTEXT_HARDIRQ,
		  .count = 100 },
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct maker_run run = runs[i];

		run.thread = burn;
		maker_samples(maker, &run);
	}
}

static void make_server(struct model_maker *maker)
{
	uint32_t server = maker_thread(maker, "server", 200, false);
	const struct maker_run runs[] = {
		{ .stack = user(maker, "/usr/bin/server", "serve", QUALITY_SYMTAB),
		  .context = CONTEXT_USER,
		  .count = 800 },
		{ .stack = user(maker, "/lib/libc.so.6", "fn_1a2b0", QUALITY_BRACKET),
		  .context = CONTEXT_USER,
		  .count = 200 },
		{ .stack = user(maker, "/opt/stripped.so", NULL, QUALITY_NONE),
		  .context = CONTEXT_USER,
		  .count = 50 },
		{ .stack = kernel(maker, "tcp_sendmsg", STACK_ROOT_END),
		  .context = CONTEXT_SYSCALL,
		  .count = 600 },
		{ .stack = kernel(maker, "unlock_irqrestore", STACK_ROOT_END),
		  .context = CONTEXT_SYSCALL,
		  .count = 400,
		  .late = 380 },
		{ .stack = kernel(maker, "tick_handler", STACK_ROOT_END),
		  .context = CONTEXT_HARDIRQ,
		  .count = 50 },
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct maker_run run = runs[i];

		run.thread = server;
		run.cpu = 1;
		maker_samples(maker, &run);
	}
}

static void make_others(struct model_maker *maker)
{
	const struct maker_run runs[] = {
		{ .thread = maker_thread(maker, "ksoftirqd", 12, true),
		  .stack = kernel(maker, "run_ksoftirqd", STACK_ROOT_END),
		  .cpu = 1,
		  .context = CONTEXT_KTHREAD,
		  .count = 150 },
		{ .thread = maker_thread(maker, "assay", 300, false),
		  .stack = user(maker, "/usr/bin/assay", "drain", QUALITY_SYMTAB),
		  .cpu = 1,
		  .context = CONTEXT_USER,
		  .count = 60 },
		{ .thread = 4,
		  .stack = kernel(maker, "ksys_read", STACK_ROOT_TRUNCATED),
		  .cpu = 1,
		  .context = CONTEXT_SYSCALL,
		  .count = 40 },
		{ .thread = maker_thread(maker, "swapper", 0, true),
		  .stack = kernel(maker, "cpu_idle", STACK_ROOT_END),
		  .cpu = 1,
		  .context = CONTEXT_IDLE,
		  .count = 500 },
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		maker_samples(maker, &runs[i]);
}

static void make_ledger(struct model_maker *maker)
{
	static const double busy_s[2][CPU_TIME_COUNT] = {
		{ [CPU_TIME_USER] = 5.005,
		  [CPU_TIME_SYSTEM] = 0.7,
		  [CPU_TIME_IRQ] = 0.1,
		  [CPU_TIME_SOFTIRQ] = 0.3,
		  [CPU_TIME_IDLE] = 3.89,
		  [CPU_TIME_IOWAIT] = 0.005 },
		{ [CPU_TIME_USER] = 1.105,
		  [CPU_TIME_NICE] = 0.01,
		  [CPU_TIME_SYSTEM] = 1.19,
		  [CPU_TIME_IRQ] = 0.05,
		  [CPU_TIME_IDLE] = 7.635,
		  [CPU_TIME_STEAL] = 0.01 },
	};

	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct cpu_ledger *ledger = ledger_cpu(&maker->model.ledger, cpu);

		NEED(ledger);
		ledger->start_ns = MAKER_START_NS;
		ledger->end_ns = MAKER_START_NS + SECONDS(10);
		ledger->sample_count = cpu ? 2850 : 6105;
		for (int i = 0; i < CPU_TIME_COUNT; i++) {
			ledger->first_ns[i] = SECONDS(100);
			ledger->last_ns[i] = SECONDS(100) + SECONDS(busy_s[cpu][i]);
		}
	}
	loss_add(&maker->model.losses, LOSS_SAMPLE_RING_FULL, 5);
}

/*
 * Adds walks that reached the end in libc, walks that stopped in a stripped library, and walks that
 * stopped in generated code.
 */
static void make_walks(struct model_maker *maker)
{
	const struct maker_frame frames[] = {
		{ "/lib/libc.so.6", IMAGE_FILE, "memcpy", QUALITY_DYNSYM, false },
		{ "/opt/stripped.so", IMAGE_FILE, NULL, QUALITY_NONE, false },
		{ "//anon", IMAGE_JIT, NULL, QUALITY_NONE, false },
	};
	static const struct image_health counts[] = {
		{ .samples = 6000, .whole = 5900, .stopped[WALK_STOP_END] = 5900 },
		{ .samples = 100,
		  .frame_pointer_frames = 95,
		  .stopped = { [WALK_STOP_NO_TABLE] = 60, [WALK_STOP_UNSUPPORTED] = 20 } },
		{ .samples = 110,
		  .whole = 70,
		  .from_bytes = 110,
		  .frame_pointer_frames = 400,
		  .stopped = { [WALK_STOP_NO_TABLE] = 20 } },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct model *model = &maker->model;
		uint32_t stack = maker_stack(maker, STACK_ROOT_END, &frames[i]);
		uint32_t image = model->locations.at[model->stacks.at[stack].location].image;
		struct image_health *row = model_health_row(model, image);

		NEED(row);
		*row = counts[i];
	}
}

static void add_times(struct model_maker *maker)
{
	static const struct {
		struct interrupt_time row;
		const char *name;
	} times[] = {
		{ { INTERRUPT_CPU, 0, 0, 0, 10000, 150000000 }, "local timer" },
		{ { INTERRUPT_CPU, 0, 1, 0, 10000, 90000000 }, "local timer" },
		{ { INTERRUPT_DEVICE, 36, 0, 0, 20, 2000000 }, "virtio1-req.0" },
		{ { INTERRUPT_SOFTIRQ, 3, 0, 0, 6000, 280000000 }, "NET_RX" },
		{ { INTERRUPT_SOFTIRQ, 1, 1, 0, 50, 400000 }, "TIMER" },
		{ { INTERRUPT_SKIPPED_CPU, 0, 1, 0, 200, 0 }, "local timer" },
		{ { INTERRUPT_SKIPPED_SOFTIRQ, 3, 0, 0, 60, 0 }, "NET_RX" },
		{ { INTERRUPT_UNTIMED, 60, 0, 0, 3, 0 }, "Hypervisor callback interrupts" },
		{ { INTERRUPT_UNTIMED, 60, 1, 0, 4, 0 }, "Hypervisor callback interrupts" },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct interrupt_time *time = vec_push(&maker->model.interrupts.times);

		NEED(time);
		*time = times[i].row;
		time->name = model_intern(&maker->model, times[i].name);
	}
}

/* Process 777 has no samples. */
static void add_victims(struct model_maker *maker)
{
	static const struct {
		struct interrupt_victim row;
		const char *name;
	} victims[] = {
		{ { 0, 0, false, 9000, 80000000 }, "swapper" },
		{ { 100, 0, false, 11000, 160000000 }, "before exec" },
		{ { 777, 0, false, 18, 1900000 }, "gone" },
		{ { INTERRUPT_OTHERS, 0, false, 2, 100000 }, "[others]" },
		{ { 100, 0, true, 6000, 280000000 }, "before exec" },
		{ { 200, 0, true, 50, 400000 }, "server" },
	};

	for (size_t i = 0; i < sizeof(victims) / sizeof(victims[0]); i++) {
		struct interrupt_victim *victim = vec_push(&maker->model.interrupts.victims);

		NEED(victim);
		*victim = victims[i].row;
		victim->name = model_intern(&maker->model, victims[i].name);
	}
}

static void make_interrupts(struct model_maker *maker)
{
	model_fact_set(&maker->model, FACT_IRQ_TIME, "on");
	model_fact_set_u64(&maker->model, FACT_IRQ_TIME_PAIR_NS, 100);
	add_times(maker);
	add_victims(maker);
}

void model_maker_machine(struct model_maker *maker)
{
	model_maker_init(maker);
	make_burn(maker);
	make_server(maker);
	make_others(maker);
	make_ledger(maker);
	make_walks(maker);
	make_interrupts(maker);
	/* more instances of burn, without samples */
	maker->model.applications.at[1].instance_count = 7;
}
