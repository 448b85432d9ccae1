/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_record.h - decoded records of the in-kernel sampler
 *
 * A struct wire_record can hold a record of any kind in bpf/wire.h. Its pointers refer to the
 * decoded bytes, so they are valid until those bytes are given back to the ring. The BPF program
 * wrote the records, so a wrong size means that the program and the collector are from different
 * builds. The sizes are checked nevertheless, and a mismatch returns -EINVAL.
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
	/* WIRE_WAIT: all zeros unless the flags contain WIRE_WAIT_WAKER */
	struct wire_waker waker;
	const uint64_t *kernel;		/* the record's kernel_count addresses, innermost first */
	const uint64_t *user;		/* WIRE_STACK: user_count addresses, innermost first */
	const uint8_t *bytes;		/* WIRE_RAW: size_bytes of memory from stack_addr on */
};

/*
 * Decodes the record at @bytes, which must be aligned to 8 bytes, as the records of a ring are.
 * Returns 0, or -EINVAL without changing *ret_record.
 */
int wire_record_decode(const void *bytes, size_t size_bytes, struct wire_record *ret_record);

/*
 * Converts a decoded record to a struct perf_record with the same pointers. @cpu is the CPU that
 * the ring belongs to.
 */
void wire_record_translate(const struct wire_record *wire, uint32_t cpu,
			   struct perf_record *ret_record);

/* Returns the name of a tick's outcome, or of a missing part of a sample, such as "ring-full". */
const char *wire_reason_name(enum wire_reason reason);

#endif
