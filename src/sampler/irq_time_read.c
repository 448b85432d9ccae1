/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies the counts of the BPF programs that time interrupts from mapped memory to rows of the
 * model.
 */
#include "sampler/irq_time-private.h"

#include "base/cleanup.h"

static const char *const vector_names[] = {
#define IRQ_VECTOR(tracepoint, name, label) [IRQ_VECTOR_##tracepoint] = name,
#include "bpf/irq_vectors.def"
#undef IRQ_VECTOR
};

bool irq_time_wants(const struct irq_time *irq_time, uint32_t cpu)
{
	return !irq_time->wanted.count || cpus_has(&irq_time->wanted, (int)cpu);
}

/* ---- times ---- */

static void name_vector(enum interrupt_kind kind, uint32_t vector, char name[static IRQ_NAME_MAX])
{
	_cleanup_fclose_ FILE *softirqs = NULL;

	if (kind == INTERRUPT_CPU) {
		(void)snprintf(name, IRQ_NAME_MAX, "%s", vector_names[vector]);
	} else if (kind == INTERRUPT_DEVICE) {
		irq_name_of_device(vector, name);
	} else {
		softirqs = fopen(PROC_SOFTIRQS, "re");
		irq_name_of_softirq(softirqs, vector, name);
	}
}

/*
 * Looks for the name in the existing rows first, because another CPU has probably had the same
 * interrupt already.
 */
uint32_t irq_time_name(struct model *model, enum interrupt_kind kind, uint32_t vector)
{
	const struct interrupts *interrupts = &model->interrupts;
	char name[IRQ_NAME_MAX];

	for (size_t i = 0; i < interrupts->times.count; i++)
		if (interrupts->times.at[i].kind == kind &&
		    interrupts->times.at[i].vector == vector)
			return interrupts->times.at[i].name;
	name_vector(kind, vector, name);
	return model_intern(model, name);
}

/*
 * Finds or appends the row with the same kind, vector and CPU as *@wanted. Returns NULL if out of
 * memory.
 */
static struct interrupt_time *time_row(struct irq_time *irq_time, struct model *model,
				       const struct interrupt_time *wanted)
{
	uint64_t key = irq_time_key(wanted->kind, wanted->vector, wanted->cpu);
	struct interrupt_time *row;
	uint32_t at;

	if (u64map_get(&irq_time->time_rows, key, &at))
		return &model->interrupts.times.at[at];
	at = (uint32_t)model->interrupts.times.count;
	if (u64map_put(&irq_time->time_rows, key, at) < 0)
		return NULL;
	row = vec_push(&model->interrupts.times);
	if (row)
		*row = *wanted;
	return row;
}

int irq_time_put(struct irq_time *irq_time, struct model *model, struct interrupt_time time,
		 const struct irq_sum *sum)
{
	struct interrupt_time *row;

	time.count = irq_time_read_u64(&sum->count);
	time.ns = irq_time_read_u64(&sum->ns);
	if (time.count == 0)
		return 0;
	if (time.name == 0)
		time.name = irq_time_name(model, time.kind, time.vector);
	row = time_row(irq_time, model, &time);
	if (!row)
		return -ENOMEM;
	row->count = time.count;
	row->ns = time.ns;
	return 0;
}

/* The last slot of a CPU is shared by all interrupt numbers that have no slot of their own. */
static int put_devices(struct irq_time *irq_time, struct model *model, uint32_t cpu)
{
	const struct irq_sum *sums = irq_time->devices + (size_t)cpu * irq_time->device_slots;
	struct interrupt_time time = { .kind = INTERRUPT_DEVICE, .cpu = cpu };

	for (uint32_t i = 0; i < irq_time->device_slots; i++) {
		int rc;

		time.vector = i;
		if (i == irq_time->device_slots - 1 && irq_time_read_u64(&sums[i].count))
			time.name = model_intern(model, "[later devices]");
		rc = irq_time_put(irq_time, model, time, &sums[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int put_cpu(struct irq_time *irq_time, struct model *model, uint32_t cpu)
{
	const struct irq_cpu *from = &irq_time->cpus[cpu];
	struct interrupt_time time = { .cpu = cpu };
	int rc = put_devices(irq_time, model, cpu);

	if (rc < 0)
		return rc;
	time.kind = INTERRUPT_CPU;
	for (uint32_t i = 0; i < IRQ_VECTOR_COUNT; i++) {
		time.vector = i;
		rc = irq_time_put(irq_time, model, time, &from->vectors[i]);
		if (rc < 0)
			return rc;
	}
	time.kind = INTERRUPT_SOFTIRQ;
	for (uint32_t i = 0; i < IRQ_SOFTIRQ_SLOTS; i++) {
		time.vector = i;
		rc = irq_time_put(irq_time, model, time, &from->softirqs[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- victims: the processes that were interrupted ---- */

/* Returns the index of the row for @tgid, which is added if needed, or -ENOMEM. */
static int64_t victim_row(struct irq_time *irq_time, struct model *model, uint32_t tgid, bool soft)
{
	struct interrupt_victim *row;
	uint32_t at;

	if (u64map_get(&irq_time->victim_rows, (uint64_t)tgid << 1 | soft, &at))
		return at;
	if (model->interrupts.victims.count >= IRQ_TIME_VICTIMS_MAX && tgid != INTERRUPT_OTHERS)
		return victim_row(irq_time, model, INTERRUPT_OTHERS, soft);
	at = (uint32_t)model->interrupts.victims.count;
	if (!vec_push(&irq_time->drained) ||
	    u64map_put(&irq_time->victim_rows, (uint64_t)tgid << 1 | soft, at) < 0)
		return -ENOMEM;
	row = vec_push(&model->interrupts.victims);
	if (!row)
		return -ENOMEM;
	row->tgid = tgid;
	row->soft = soft;
	return at;
}

static uint32_t comm_of(struct model *model, const struct irq_victim *victim)
{
	char comm[IRQ_COMM_BYTES + 1];

	if (victim->tgid == 0)
		return model_intern(model, "swapper");
	memcpy(comm, victim->comm, IRQ_COMM_BYTES);
	comm[IRQ_COMM_BYTES] = '\0';
	return model_intern(model, comm);
}

static bool is_brief(const struct irq_time *irq_time, const struct irq_victim *victim, bool soft)
{
	uint32_t at;

	return irq_time->brief_by_name && victim->tgid && victim->tgid < INTERRUPT_BRIEF &&
	       victim->sum.ns < IRQ_TIME_BRIEF_NS &&
	       !u64map_get(&irq_time->victim_rows, (uint64_t)victim->tgid << 1 | soft, &at);
}

/*
 * Finds or adds the row for a victim and updates its name. Returns the index of the row, or
 * -ENOMEM.
 */
static int64_t named_row(struct irq_time *irq_time, struct model *model,
			 const struct irq_victim *victim)
{
	bool soft = victim->level == IRQ_SOFT, brief = is_brief(irq_time, victim, soft);
	uint32_t name = comm_of(model, victim);
	int64_t at = victim_row(irq_time, model, brief ? INTERRUPT_BRIEF | name : victim->tgid,
				soft);
	struct interrupt_victim *row;

	if (at < 0)
		return at;
	row = &model->interrupts.victims.at[at];
	row->name = row->tgid == INTERRUPT_OTHERS ? model_intern(model, "[others]") : name;
	return at;
}

static int64_t drain_victim(struct irq_time *irq_time, struct model *model,
			    const struct irq_victim *victim)
{
	int64_t at = named_row(irq_time, model, victim);

	if (at < 0)
		return at;
	irq_time->drained.at[at].count += victim->sum.count;
	irq_time->drained.at[at].ns += victim->sum.ns;
	return at;
}

static int drain(struct irq_time *irq_time, struct model *model)
{
	struct bpf_ring *ring = &irq_time->ring;
	const struct irq_victim *victim;
	size_t size_bytes;
	int64_t at = 0;

	bpf_ring_refresh(ring);
	while (at >= 0 && (victim = bpf_ring_peek(ring, &size_bytes)) != NULL &&
	       size_bytes >= sizeof(*victim)) {
		if (irq_time_wants(irq_time, victim->cpu))
			at = drain_victim(irq_time, model, victim);
		bpf_ring_consume(ring, size_bytes);
	}
	bpf_ring_release(ring);
	return at < 0 ? (int)at : 0;
}

static int add_victim(struct irq_time *irq_time, struct model *model,
		      const struct irq_victim *victim)
{
	int64_t at;

	if (victim->sum.count == 0)
		return 0;
	at = named_row(irq_time, model, victim);
	if (at < 0)
		return (int)at;
	model->interrupts.victims.at[at].count += victim->sum.count;
	model->interrupts.victims.at[at].ns += victim->sum.ns;
	return 0;
}

/*
 * For each victim that is now in a slot of one CPU, adds the counts in the slot to the victim's
 * row.
 */
static int add_victims(struct irq_time *irq_time, struct model *model, const struct irq_cpu *cpu)
{
	for (uint8_t level = 0; level < IRQ_LEVELS; level++) {
		struct irq_victim others = { .tgid = INTERRUPT_OTHERS,
					     .level = level,
					     .sum = cpu->other_victims[level] };
		int rc = add_victim(irq_time, model, &others);

		if (rc < 0)
			return rc;
		for (size_t i = 0; i < IRQ_VICTIM_SLOTS; i++) {
			struct irq_victim victim = cpu->victims[level][i];

			victim.level = level;
			rc = victim.used ? add_victim(irq_time, model, &victim) : 0;
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int put_victims(struct irq_time *irq_time, struct model *model)
{
	struct interrupts *interrupts = &model->interrupts;
	int rc = drain(irq_time, model);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < interrupts->victims.count; i++) {
		interrupts->victims.at[i].count = irq_time->drained.at[i].count;
		interrupts->victims.at[i].ns = irq_time->drained.at[i].ns;
	}
	for (uint32_t cpu = 0; cpu < irq_time->cpu_count; cpu++) {
		if (!irq_time_wants(irq_time, cpu))
			continue;
		rc = add_victims(irq_time, model, &irq_time->cpus[cpu]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int irq_time_put_times(struct irq_time *irq_time, struct model *model)
{
	for (uint32_t cpu = 0; cpu < irq_time->cpu_count; cpu++) {
		int rc;

		if (!irq_time_wants(irq_time, cpu))
			continue;
		rc = put_cpu(irq_time, model, cpu);
		if (rc < 0)
			return rc;
	}
	return put_victims(irq_time, model);
}
