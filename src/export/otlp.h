/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * otlp.h - OpenTelemetry's profiles: what its two files share
 *
 * otlp.c writes profiles, one for each event, and otlp_dictionary.c what they refer to.  Numbers of
 * stacks and locations are given in the order of their first use.  Attributes stand at places that
 * follow from ids: contexts first, then three for each thread, then losses.
 */
#ifndef ASSAY_EXPORT_OTLP_H
#define ASSAY_EXPORT_OTLP_H

#include "export/export-private.h"
#include "export/message.h"

struct otlp {
	struct export *export;
	struct message_writer writer;
	uint32_t *stack_numbers;	/* by stack; 0: not used yet */
	VEC(uint32_t) stacks;		/* in the order of their numbers, from 1 on */
	int64_t first_loss;		/* place of the first loss among the attributes */
};

/* Places among the attributes. */
static inline int32_t otlp_context_attribute(uint8_t context)
{
	return 1 + context;
}

static inline int32_t otlp_thread_attribute(uint32_t thread)
{
	return (int32_t)(1 + CONTEXT_COUNT + 3 * thread);
}

/* The number of a stack in its table. 0 or -ENOMEM. */
int otlp_number_stack(struct otlp *otlp, uint32_t stack, int32_t *ret_number);

/* All tables; the last thing that is written. 0 or -ENOMEM. */
int otlp_write_dictionary(struct otlp *otlp);

#endif
