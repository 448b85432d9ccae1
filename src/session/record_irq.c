/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/record_irq.h"

#include "base/cleanup.h"

static const char *why_not(const struct record_options *options, const struct model *model)
{
	const char *scope = model_fact(model, FACT_SCOPE);

	if (options->no_irq_time)
		return "turned off by the user";
	if (!scope || strcmp(scope, "cpu") != 0)
		return "tasks were sampled, not CPUs";
	return NULL;
}

static int open_irq_time(const struct record_options *options, struct irq_time **ret_irq_time,
			 struct err *err)
{
	_cleanup_(cpus_fini) struct cpus cpus = VEC_INIT;

	if (options->capture.cpus) {
		int rc = cpus_parse(options->capture.cpus, &cpus, err);

		if (rc < 0)
			return rc;
	}
	return irq_time_new(&cpus, options->capture.target == TARGET_SYSTEM, ret_irq_time, err);
}

struct irq_time *record_irq_new(const struct record_options *options, struct model *model)
{
	const char *missing = why_not(options, model);
	struct irq_time *irq_time = NULL;
	struct err err = { 0 };
	int rc;

	if (missing) {
		model_fact_set(model, FACT_IRQ_TIME, "%s", missing);
		return NULL;
	}
	rc = open_irq_time(options, &irq_time, &err);
	model_fact_set(model, FACT_IRQ_TIME, "%s", rc < 0 ? err.text : "on");
	if (rc < 0)
		return NULL;
	model_fact_set_u64(model, FACT_IRQ_TIME_PAIR_NS, irq_time_pair_ns(irq_time));
	return irq_time;
}

void record_irq_enable(struct irq_time *irq_time)
{
	if (irq_time)
		irq_time_enable(irq_time);
}

void record_irq_disable(struct irq_time *irq_time)
{
	if (irq_time)
		irq_time_disable(irq_time);
}

void record_irq_read(struct irq_time *irq_time, struct model *model)
{
	if (irq_time && irq_time_read(irq_time, model) < 0)
		loss_add(&model->losses, LOSS_MEMORY, 1);
}
