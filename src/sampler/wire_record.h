/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_record.h - decoded records of the in-kernel sampler
 *
 * A struct wire_record can hold any kind of record that bpf/wire.h defines. Its pointers point to
 * the bytes from which it was decoded, so they are valid until the space of these bytes is given
 * back to the ring. The sizes in a record are wrong only if the BPF program, which writes the
 * records, and the collector are from different builds. The sizes are checked nevertheless, and
 * -EINVAL is returned if they are wrong.
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
		struct wire_span span;		/* WIRE_SPAN */
	};
	/* WIRE_WAIT: all zeros unless the flags contain WIRE_WAIT_WAKER */
	struct wire_waker waker;
	const uint64_t *kernel;		/* the record's kernel_count addresses, innermost first */
	const uint64_t *user;		/* WIRE_STACK: user_count addresses, innermost first */
	const uint8_t *bytes;		/* WIRE_RAW: size_bytes of memory from stack_addr on */
};

/*
 * Decodes the record at @bytes. @bytes must be aligned to 8 bytes, which records in a ring always
 * are. Returns 0. If the record is invalid, returns -EINVAL and leaves *@ret_record unchanged.
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
