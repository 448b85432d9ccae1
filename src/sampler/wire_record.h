/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_record.h - the sampler's records, decoded
 *
 * One struct wire_record for the kinds of bpf/wire.h.  Pointers lead into the bytes that were
 * decoded and are valid until those are given back to the ring.  The kernel wrote them, so that a
 * size that does not fit means a program and a collector of different builds; they are checked all
 * the same, and -EINVAL says that they disagree.
 */
#ifndef ASSAY_SAMPLER_WIRE_RECORD_H
#define ASSAY_SAMPLER_WIRE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/wire.h"
#include "perf/record.h"

struct wire_record {
	enum wire_kind kind;
	uint64_t time_ns;
	union {
		struct wire_sample sample;	/* WIRE_SAMPLE */
		struct wire_stack stack;	/* WIRE_STACK */
		struct wire_raw raw;		/* WIRE_RAW */
		struct wire_wait wait;		/* WIRE_WAIT */
	};
	struct wire_waker waker;	/* WAIT: zeros unless its flags have WIRE_WAIT_WAKER */
	const uint64_t *kernel;		/* kernel_count of the record, innermost first */
	const uint64_t *user;		/* STACK: user_count, innermost first */
	const uint8_t *bytes;		/* RAW: size_bytes of memory from user_sp on */
};

/* @bytes are aligned to 8, as those of a ring. 0, or -EINVAL and *ret_record untouched. */
int wire_record_decode(const void *bytes, size_t size_bytes, struct wire_record *ret_record);

/* The same in the collector's own terms, with the same pointers; @cpu is the ring's. */
void wire_record_translate(const struct wire_record *wire, uint32_t cpu,
			   struct perf_record *ret_record);

/* What became of a tick, or what a sample lacks: "ring-full". */
const char *wire_reason_name(enum wire_reason reason);

#endif
