/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * otlp.h - OpenTelemetry profiles: declarations shared by the two files of this format
 *
 * otlp.c writes the profiles, one for each event. otlp_dictionary.c writes the tables that the
 * profiles refer to. Stacks and locations are numbered in the order of their first use. The
 * attribute table has a fixed order: an empty first entry, the contexts, three attributes for each
 * thread, and then the losses. Because of this order, the position of each attribute can be
 * computed.
 */
#ifndef ASSAY_EXPORT_OTLP_H
#define ASSAY_EXPORT_OTLP_H

#include "export/export-private.h"
#include "export/message.h"

struct otlp {
	struct export *export;
	struct message_writer writer;
	/* indexed by stack id: the stack's number in the stack table; 0: not used yet */
	uint32_t *stack_numbers;
	/* stack ids, sorted by their numbers in the stack table, which start at 1 */
	VEC(uint32_t) stacks;
	int64_t first_loss;		/* position of the first loss in the attribute table */
};

/*
 * These functions return positions in the attribute table. A thread has three attributes; the
 * function returns the position of the first.
 */
static inline int32_t otlp_context_attribute(uint8_t context)
{
	return 1 + context;
}

static inline int32_t otlp_thread_attribute(uint32_t thread)
{
	return (int32_t)(1 + CONTEXT_COUNT + 3 * thread);
}

/*
 * Stores in *ret_number the position of @stack in the stack table. A new stack gets the next
 * position. Returns 0 or -ENOMEM.
 */
int otlp_number_stack(struct otlp *otlp, uint32_t stack, int32_t *ret_number);

/* Writes all tables. Must be called last. Returns 0 or -ENOMEM. */
int otlp_write_dictionary(struct otlp *otlp);

#endif
