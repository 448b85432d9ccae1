/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/irq_time-private.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

static int copy_cpus(const struct cpus *cpus, struct cpus *ret_copy)
{
	if (!cpus || !cpus->count)
		return 0;
	if (vec_reserve(ret_copy, cpus->count) < 0)
		return -ENOMEM;
	memcpy(ret_copy->at, cpus->at, cpus->count * sizeof(*cpus->at));
	ret_copy->count = cpus->count;
	return 0;
}

DEFINE_CLEANUP(struct irq_time, irq_time_free);

int irq_time_new(const struct cpus *cpus, bool brief_by_name, struct irq_time **ret_irq_time,
		 struct err *err)
{
	_cleanup_(irq_time_freep) struct irq_time *irq_time = calloc(1, sizeof(*irq_time));
	int rc;

	if (!irq_time)
		return err_sys(err, -ENOMEM, "cannot time interrupts");
	irq_time->brief_by_name = brief_by_name;
	rc = copy_cpus(cpus, &irq_time->wanted);
	if (rc < 0)
		return err_sys(err, rc, "cannot time interrupts");
	rc = irq_time_load(irq_time, err);
	if (rc < 0)
		return rc;
	rc = irq_time_attach(irq_time, err);
	if (rc < 0)
		return rc;
	*ret_irq_time = TAKE_PTR(irq_time);
	return 0;
}

static void detach(struct irq_time *irq_time)
{
	for (size_t i = 0; i < irq_time->links.count; i++)
		(void)close(irq_time->links.at[i]);
	vec_clear(&irq_time->links);
}

void irq_time_free(struct irq_time *irq_time)
{
	if (!irq_time)
		return;
	detach(irq_time);
	irq_time_unload(irq_time);
	vec_free(&irq_time->links);
	vec_free(&irq_time->drained);
	irq_time_counts_fini(irq_time);
	u64map_fini(&irq_time->time_rows);
	u64map_fini(&irq_time->victim_rows);
	cpus_fini(&irq_time->wanted);
	free(irq_time);
}

void irq_time_enable(struct irq_time *irq_time)
{
	irq_time_switch(irq_time, true);
	irq_time_count_first(irq_time);
}

/*
 * After timing has been turned off, interrupts that begin are no longer timed. The grace period
 * then waits for interrupts that began earlier and are still being timed. The programs stay
 * attached until irq_time_free(), because detaching them takes several times as long as the grace
 * period.
 */
void irq_time_disable(struct irq_time *irq_time)
{
	irq_time_count_since(irq_time);
	irq_time_switch(irq_time, false);
	(void)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

int irq_time_read(struct irq_time *irq_time, struct model *model)
{
	int rc = irq_time_put_counts(irq_time, model);

	return rc < 0 ? rc : irq_time_put_times(irq_time, model);
}

uint64_t irq_time_pair_ns(const struct irq_time *irq_time)
{
	return irq_time->pair_ns;
}
