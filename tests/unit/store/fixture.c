/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include <stdlib.h>

#include "base/clock.h"
#include "store/sample_block.h"

#define PERIOD_NS UINT64_C(1001001)
#define CPU_COUNT 4

static void check(bool good)
{
	if (!good)
		abort();
}

/* xorshift64* by Vigna, https://arxiv.org/abs/1402.6246 */
uint64_t fixture_random(struct fixture *fixture, uint64_t limit)
{
	uint64_t x = fixture->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	fixture->state = x;
	return (x * UINT64_C(0x2545f4914f6cdd1d) >> 8) % limit;
}

static uint32_t intern(struct fixture *fixture, const char *prefix, uint64_t number)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%s%llu", prefix, (unsigned long long)number);
	return model_intern(&fixture->model, text);
}

static void add_events(struct fixture *fixture, uint32_t counter_count)
{
	struct event clock = { .name = model_intern(&fixture->model, "cpu-clock"),
			       .type = 1,
			       .frequency_hz = 999,
			       .is_time = true,
			       .has_ticks = true };
	struct event faults = { .name = model_intern(&fixture->model, "page-faults:u"),
				.type = 1,
				.config = 2,
				.period = 100 };
	struct event *event = vec_push(&fixture->model.events);

	check(event != NULL);
	*event = clock;
	event = vec_push(&fixture->model.events);
	check(event != NULL);
	*event = faults;
	for (uint32_t i = 0; i < counter_count; i++) {
		event = vec_push(&fixture->model.events);
		check(event != NULL);
		*event = (struct event){ .name = intern(fixture, "counter-", i),
					 .is_counter = true };
	}
}

void fixture_init(struct fixture *fixture, uint64_t seed, uint32_t counter_count)
{
	*fixture = (struct fixture){ .state = seed * 2 + 1, .now_ns = 5000 * NS_PER_SEC };
	check(model_init(&fixture->model) == 0);
	fixture->batch.counter_count = counter_count;
	add_events(fixture, counter_count);
	model_fact_set(&fixture->model, FACT_HOST, "fixture %llu", (unsigned long long)seed);
}

void fixture_fini(struct fixture *fixture)
{
	model_fini(&fixture->model);
	sample_batch_fini(&fixture->batch);
}

static void add_image(struct fixture *fixture)
{
	struct image image = {
		.path = intern(fixture, "/lib/lib\xc3\xa9\xff\n", fixture_random(fixture, 1000)),
		.kind = (enum image_kind)fixture_random(fixture, IMAGE_JIT + 1),
		.build_id_size = fixture_random(fixture, 2) ? BUILD_ID_MAX : 0,
		.dev = fixture_random(fixture, 1 << 20),
		.inode = fixture_random(fixture, UINT64_MAX),
		.mtime_ns = fixture_random(fixture, UINT64_MAX),
		.base_addr = UINT64_C(0xffffffff81000000),
	};

	for (size_t i = 0; i < image.build_id_size; i++)
		image.build_id[i] = (uint8_t)fixture_random(fixture, 256);
	check(model_image_id(&fixture->model, &image) != 0);
}

static void add_process(struct fixture *fixture)
{
	struct model *model = &fixture->model;
	uint32_t name = intern(fixture, "program", fixture_random(fixture, 5));
	uint32_t application = model_application_id(model, name);
	struct process process = {
		.tgid = (uint32_t)fixture_random(fixture, 100000),
		.parent_tgid = 1,
		.parent = (uint32_t)fixture_random(fixture, model->processes.count),
		.application = application,
		.instance = ++model->applications.at[application].instance_count,
		.uid = fixture_random(fixture, 2) ? 0 : UINT32_MAX,
		.exe = intern(fixture, "/bin/program", fixture_random(fixture, 5)),
		.cgroup = intern(fixture, "/user.slice/", fixture_random(fixture, 3)),
		.start_ns = fixture->now_ns,
		.exec_ns = fixture->now_ns + 1,
		.kernel_thread = fixture_random(fixture, 2) != 0,
	};
	uint32_t id = model_process_add(model, &process);
	struct thread thread = { .process = id,
				 .tid = process.tgid,
				 .comm = intern(fixture, "comm\x1b[31m", id),
				 .start_ns = fixture->now_ns };
	struct mapping mapping = { .process = id,
				   .image = (uint32_t)fixture_random(fixture, model->images.count),
				   .start_addr = 0x7f0000000000,
				   .end_addr = 0x7f0000001000,
				   .bias = (uint64_t)-4096,
				   .time_ns = fixture->now_ns };

	check(id && model_thread_add(model, &thread) && model_mapping_add(model, &mapping));
}

static uint32_t random_stack(struct fixture *fixture)
{
	struct model *model = &fixture->model;
	uint32_t first = model->first_stack, known = (uint32_t)model->stacks.count - first;
	uint32_t stack = (uint32_t)fixture_random(fixture, STACK_ROOT_COUNT);

	if (known && fixture_random(fixture, 4) == 0)
		return first + (uint32_t)fixture_random(fixture, known);
	for (uint64_t depth = fixture_random(fixture, 12); depth; depth--) {
		uint32_t image = (uint32_t)fixture_random(fixture, model->images.count);
		uint64_t base = image % 2 ? UINT64_C(0xffffffff81000000) : 0x400000;
		bool common = fixture_random(fixture, 20) != 0;
		uint64_t vaddr = base + fixture_random(fixture, common ? 2000 : 1 << 22);

		stack = model_stack_id(model, stack, model_location_id(model, image, vaddr));
	}
	return stack;
}

/* Some threads run much, some hardly at all. */
static uint32_t random_thread(struct fixture *fixture)
{
	uint64_t count = fixture->model.threads.count;

	for (int i = 0; i < 4; i++)
		count = fixture_random(fixture, count) + 1;
	return (uint32_t)(count - 1);
}

static void add_sample(struct fixture *fixture)
{
	struct sample *sample = vec_push(&fixture->batch.samples);
	uint64_t cpu = fixture->sample_count % CPU_COUNT;
	bool clock = fixture_random(fixture, 10) != 0;
	uint64_t late = fixture_random(fixture, fixture_random(fixture, 50) ? 200 : 1 << 23);

	check(sample != NULL);
	fixture->now_ns += PERIOD_NS / CPU_COUNT + fixture_random(fixture, 1000);
	*sample = (struct sample){
		.time_ns = fixture->now_ns,
		.weight = clock ? PERIOD_NS : fixture_random(fixture, 1 << 20),
		.thread = random_thread(fixture),
		.stack = random_stack(fixture),
		.late_ns = clock ? (int32_t)(late * SAMPLE_GRAIN_NS) : LATE_UNKNOWN,
		.cpu = (uint16_t)(fixture_random(fixture, 100) ? cpu : UINT16_MAX),
		.event = clock ? 0 : 1,
		.context = (uint8_t)fixture_random(fixture, CONTEXT_COUNT),
	};
	for (uint32_t i = 0; i < fixture->batch.counter_count; i++) {
		uint64_t *value = vec_push(&fixture->batch.counters);

		check(value != NULL);
		*value = fixture_random(fixture, i ? UINT64_MAX : 1000);
	}
	fixture->sample_count++;
	fixture->weight += sample->weight;
}

/* Adds a row to each table. One of the earlier rows changes its name and grows. */
static void grow_interrupts(struct fixture *fixture)
{
	struct interrupts *interrupts = &fixture->model.interrupts;
	uint32_t at = (uint32_t)interrupts->times.count;
	struct interrupt_time *time = vec_push(&interrupts->times);
	struct interrupt_victim *victim = vec_push(&interrupts->victims);

	check(time != NULL && victim != NULL);
	time->kind = at % INTERRUPT_KIND_COUNT;
	time->vector = at;
	time->count = 1;
	time->cpu = (uint32_t)fixture_random(fixture, CPU_COUNT);
	time->name = model_intern(&fixture->model, at % 2 ? "NET_RX" : "disk\x1b[2J");
	victim->tgid = at ? at : INTERRUPT_OTHERS;
	victim->soft = at % 2;
	victim->count = 1;
	time = &interrupts->times.at[fixture_random(fixture, at + 1)];
	time->count += 3;
	time->ns += time->kind >= INTERRUPT_UNTIMED ? 0 : fixture_random(fixture, UINT32_MAX);
	victim = &interrupts->victims.at[fixture_random(fixture, at + 1)];
	victim->name = model_intern(&fixture->model, victim->name ? "after exec" : "before");
	victim->count++;
	victim->ns += fixture_random(fixture, 1 << 20);
}

/* Some of the @count samples went through the image. Each stopped in at most one way. */
static void grow_health(struct fixture *fixture, struct image_health *row, uint32_t image,
			size_t count)
{
	uint64_t samples = fixture_random(fixture, count + 1);

	row->samples += samples;
	for (size_t which = 1; which < IMAGE_HEALTH_COUNTS; which += 1 + image % 3)
		*image_health_count(row, which) += fixture_random(
			fixture, samples / IMAGE_HEALTH_COUNTS + 1);
}

void fixture_grow(struct fixture *fixture, size_t count)
{
	struct model *model = &fixture->model;

	sample_batch_clear(&fixture->batch);
	for (int i = 0; i < 3; i++)
		add_image(fixture);
	/* more at once than a single statement writes */
	for (size_t i = 0; i < 5 + count / 20; i++)
		add_process(fixture);
	for (size_t i = 0; i < count; i++)
		add_sample(fixture);
	loss_add(&model->losses, LOSS_SAMPLE_RING_FULL, fixture_random(fixture, 10));
	for (uint32_t i = 0; i < CPU_COUNT; i++) {
		struct cpu_ledger *cpu = ledger_cpu(&model->ledger, i);

		check(cpu != NULL);
		cpu->end_ns = fixture->now_ns;
		cpu->last_ns[CPU_TIME_USER] += fixture_random(fixture, 1000);
		cpu->sample_count += count;
		cpu->idle_count += count / 3;
	}
	for (uint32_t i = 0; i < model->images.count; i += 2) {
		struct image_health *row = model_health_row(model, i);

		check(row != NULL);
		grow_health(fixture, row, i, count);
	}
	grow_interrupts(fixture);
	model_fact_set_u64(model, FACT_CPUS, fixture->sample_count);
}

/* Adds chains of one to three lines to most locations. */
static void fixture_lines(struct fixture *fixture)
{
	struct model *model = &fixture->model;

	for (size_t i = 1; i < model->locations.count; i++) {
		struct location *location = &model->locations.at[i];
		struct source_line line = { 0 };

		for (uint64_t depth = location->vaddr % 4; depth > 0; depth--) {
			line.file = intern(fixture, "/src/file_", location->vaddr % 50 + depth);
			line.line = (uint32_t)(location->vaddr % 997);
			line.function = location->function;
			line.caller = model_line_id(model, &line);
			check(line.caller != 0);
		}
		location->line = line.caller;
	}
}

void fixture_name(struct fixture *fixture)
{
	struct model *model = &fixture->model;

	for (size_t i = 1; i < model->locations.count; i++) {
		struct location *location = &model->locations.at[i];
		struct function function = {
			.name = intern(fixture, "function_", location->vaddr / 64),
			.image = location->image,
			.quality = (enum quality)(location->vaddr / 64 % QUALITY_COUNT),
			.root = location->vaddr / 64 % 7 == 0,
			.vaddr = location->vaddr / 64 * 64,
			.size_bytes = 64,
		};

		/* Only a function that no symbol covers has neighbours; it has no linkage name. */
		if (function.quality == QUALITY_BRACKET)
			function.before = intern(fixture, "before_", location->vaddr / 64);
		else
			function.linkage_name = intern(fixture, "_Z", location->vaddr / 64);
		if (!location->function)
			location->function = model_function_id(model, &function);
		check(location->function != 0);
	}
	fixture_lines(fixture);
}
