/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel's own interrupt counts. A comparison with the timed interrupts shows which
 * interrupts are never timed and which ones were sometimes not timed.
 */
#include "sampler/irq_time-private.h"

#include <ctype.h>

#include "base/cleanup.h"

static const char *const labels[] = {
#define IRQ_VECTOR(tracepoint, name, label) [IRQ_VECTOR_##tracepoint] = label,
#include "bpf/irq_vectors.def"
#undef IRQ_VECTOR
};

/* ---- the meaning of each row of /proc/interrupts ---- */

/*
 * Returns true for a row that must be ignored, because it repeats the numbers of another row or
 * does not count interrupts.
 */
static bool counts_none(const char *label)
{
	static const char *const others[] = { "TLB", "PMI", "RTR", "MCP", "ERR", "MIS" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i], label) == 0)
			return true;
	return false;
}

/*
 * Finds the kind and the vector of the interrupts that a row counts. Returns false if the row must
 * be ignored.
 */
static bool kind_of_line(const struct irq_time *irq_time, const char *label, uint32_t line,
			 struct irq_count *count)
{
	if (isdigit((unsigned char)label[0])) {
		count->kind = INTERRUPT_DEVICE;
		count->vector = (uint32_t)strtoul(label, NULL, 10);
		return count->vector < irq_time->device_slots - 1;
	}
	for (uint32_t i = 0; i < IRQ_VECTOR_COUNT; i++)
		if (irq_time->timed[i] && strcmp(labels[i], label) == 0) {
			count->kind = INTERRUPT_CPU;
			count->vector = i;
			return strcmp(label, "ERR") != 0;
		}
	count->kind = INTERRUPT_UNTIMED;
	count->vector = line;
	return !counts_none(label);
}

static uint64_t count_key(const struct irq_count *count)
{
	return irq_time_key(count->kind, count->vector, count->cpu);
}

/* ---- start of timing ---- */

static int add_count(struct irq_time *irq_time, const struct irq_count *count)
{
	struct irq_count *slot = vec_push(&irq_time->counts);

	if (!slot)
		return -ENOMEM;
	*slot = *count;
	return u64map_put(&irq_time->count_at, count_key(count),
			  (uint32_t)irq_time->counts.count - 1);
}

static int add_untimed(struct irq_time *irq_time, uint32_t line, const char *text)
{
	struct irq_untimed *slot;

	if (irq_time->untimed.count &&
	    irq_time->untimed.at[irq_time->untimed.count - 1].line == line)
		return 0;
	slot = vec_push(&irq_time->untimed);
	if (!slot)
		return -ENOMEM;
	slot->line = line;
	(void)snprintf(slot->what, sizeof(slot->what), "%s", text);
	return 0;
}

static int take_first(void *context, const char *label, const char *what, uint32_t line,
		      uint32_t cpu, uint64_t number)
{
	struct irq_time *irq_time = context;
	struct irq_count count = { .cpu = cpu, .first = number };
	int rc = 0;

	if (!irq_time_wants(irq_time, cpu) || !kind_of_line(irq_time, label, line, &count))
		return 0;
	if (count.kind == INTERRUPT_UNTIMED)
		rc = add_untimed(irq_time, line, what[0] ? what : label);
	return rc < 0 ? rc : add_count(irq_time, &count);
}

static int take_first_softirq(void *context, const char *label, const char *what, uint32_t line,
			      uint32_t cpu, uint64_t number)
{
	struct irq_time *irq_time = context;
	struct irq_count count = {
		.kind = INTERRUPT_SOFTIRQ, .vector = line, .cpu = cpu, .first = number
	};

	(void)label;
	(void)what;
	if (!irq_time_wants(irq_time, cpu) || line >= IRQ_SOFTIRQ_SLOTS)
		return 0;
	return add_count(irq_time, &count);
}

static void read_counts(struct irq_time *irq_time, irq_count_fn hard, irq_count_fn soft)
{
	_cleanup_fclose_ FILE *interrupts = fopen(PROC_INTERRUPTS, "re");
	_cleanup_fclose_ FILE *softirqs = fopen(PROC_SOFTIRQS, "re");

	if (interrupts)
		(void)irq_counts_each(interrupts, hard, irq_time);
	if (softirqs)
		(void)irq_counts_each(softirqs, soft, irq_time);
}

void irq_time_counts_fini(struct irq_time *irq_time)
{
	vec_free(&irq_time->counts);
	vec_free(&irq_time->untimed);
	u64map_fini(&irq_time->count_at);
}

void irq_time_count_first(struct irq_time *irq_time)
{
	irq_time_counts_fini(irq_time);
	read_counts(irq_time, take_first, take_first_softirq);
}

/* ---- end of timing ---- */

/*
 * Sets count->since, the increase of a count. Rows and CPUs that did not exist at the start are
 * ignored.
 */
static void set_since(struct irq_time *irq_time, const struct irq_count *found, uint64_t number)
{
	struct irq_count *count;
	uint32_t at;

	if (!u64map_get(&irq_time->count_at, count_key(found), &at))
		return;
	count = &irq_time->counts.at[at];
	count->since = number > count->first ? number - count->first : 0;
}

static int take_since(void *context, const char *label, const char *what, uint32_t line,
		      uint32_t cpu, uint64_t number)
{
	struct irq_time *irq_time = context;
	struct irq_count count = { .cpu = cpu };

	(void)what;
	if (kind_of_line(irq_time, label, line, &count))
		set_since(irq_time, &count, number);
	return 0;
}

static int take_since_softirq(void *context, const char *label, const char *what, uint32_t line,
			      uint32_t cpu, uint64_t number)
{
	struct irq_count count = { .kind = INTERRUPT_SOFTIRQ, .vector = line, .cpu = cpu };

	(void)label;
	(void)what;
	if (line < IRQ_SOFTIRQ_SLOTS)
		set_since(context, &count, number);
	return 0;
}

void irq_time_count_since(struct irq_time *irq_time)
{
	read_counts(irq_time, take_since, take_since_softirq);
}

/* ---- rows of the model ---- */

/*
 * Returns how many interrupts of a row of /proc/interrupts were timed. Vectors that share a row
 * follow one another; only the first of them, @vector, has a label. The result is the sum over
 * these vectors.
 */
static uint64_t timed_of_vectors(const struct irq_cpu *cpu, uint32_t vector)
{
	uint64_t timed = irq_time_read_u64(&cpu->vectors[vector].count);

	while (++vector < IRQ_VECTOR_COUNT && !labels[vector][0])
		timed += irq_time_read_u64(&cpu->vectors[vector].count);
	return timed;
}

static uint64_t timed_count(const struct irq_time *irq_time, const struct irq_count *count)
{
	const struct irq_cpu *cpu = &irq_time->cpus[count->cpu];
	size_t device = (size_t)count->cpu * irq_time->device_slots + count->vector;

	if (count->kind == INTERRUPT_DEVICE)
		return irq_time_read_u64(&irq_time->devices[device].count);
	if (count->kind == INTERRUPT_SOFTIRQ)
		return irq_time_read_u64(&cpu->softirqs[count->vector].count);
	return timed_of_vectors(cpu, count->vector);
}

static uint32_t name_untimed(const struct irq_time *irq_time, struct model *model, uint32_t line)
{
	for (size_t i = 0; i < irq_time->untimed.count; i++)
		if (irq_time->untimed.at[i].line == line)
			return model_intern(model, irq_time->untimed.at[i].what);
	return 0;
}

static int put_untimed(struct irq_time *irq_time, struct model *model,
		       const struct irq_count *count)
{
	const struct irq_sum sum = { .count = count->since };
	struct interrupt_time time = { .kind = INTERRUPT_UNTIMED,
				       .vector = count->vector,
				       .cpu = count->cpu };

	time.name = name_untimed(irq_time, model, count->vector);
	return irq_time_put(irq_time, model, time, &sum);
}

static int put_skipped(struct irq_time *irq_time, struct model *model,
		       const struct irq_count *count)
{
	uint64_t timed = timed_count(irq_time, count);
	const struct irq_sum sum = { .count = count->since - timed };
	struct interrupt_time time = { .kind = interrupt_kind_skipped(count->kind),
				       .vector = count->vector,
				       .cpu = count->cpu };

	if (count->since <= timed)
		return 0;
	time.name = irq_time_name(model, count->kind, count->vector);
	return irq_time_put(irq_time, model, time, &sum);
}

int irq_time_put_counts(struct irq_time *irq_time, struct model *model)
{
	for (size_t i = 0; i < irq_time->counts.count; i++) {
		const struct irq_count *count = &irq_time->counts.at[i];
		int rc;

		if (count->since == 0 || count->cpu >= irq_time->cpu_count)
			continue;
		rc = count->kind == INTERRUPT_UNTIMED ? put_untimed(irq_time, model, count)
						      : put_skipped(irq_time, model, count);
		if (rc < 0)
			return rc;
	}
	return 0;
}
