/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_unpack.h - records that perf has compressed (perf record -z)
 *
 * All COMPRESSED records of a file together hold one zstd stream, cut anywhere: a record inside it
 * may begin in one and end in the next.  It comes out in pieces of PERF_UNPACK_BYTES, whatever a
 * few bytes claim to become, and what comes out in all has a limit by what went in.
 */
#ifndef ASSAY_IMPORT_PERF_UNPACK_H
#define ASSAY_IMPORT_PERF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_UNPACK_BYTES ((size_t)256 << 10)	/* more than two records can have */

/* Perf's records shrink to a tenth, where little happens to a fiftieth. */
#define PERF_UNPACK_RATIO 200
#define PERF_UNPACK_FREE_BYTES ((uint64_t)64 << 20)

struct perf_unpack {
	void *stream;			/* ZSTD_DStream */
	uint8_t *bytes;
	size_t size_bytes;		/* that came out and were not taken */
	uint64_t in_bytes, out_bytes;
	bool is_busy;			/* what comes out is being taken */
};

void perf_unpack_fini(struct perf_unpack *unpack);

/* Takes of @bytes as many records as are whole, and tells how much that was. */
typedef int (*perf_unpack_fn)(void *context, const uint8_t *bytes, size_t size_bytes,
			      size_t *ret_taken);

/*
 * The content of one COMPRESSED record.  -EBADMSG: not what zstd writes; -E2BIG: more comes out
 * than is believed; -ENOMEM; or what @take returned.
 */
int perf_unpack_add(struct perf_unpack *unpack, const void *packed, size_t packed_bytes,
		    perf_unpack_fn take, void *context);

#endif
