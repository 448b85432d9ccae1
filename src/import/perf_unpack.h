/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_unpack.h - decompresses records (perf record -z)
 *
 * All COMPRESSED records of a file together form one zstd stream, which may be split anywhere: a
 * record inside the stream can begin in one COMPRESSED record and end in the next. The output is
 * produced in pieces of PERF_UNPACK_BYTES, however much a few input bytes expand to. The total
 * output is limited in proportion to the total input.
 */
#ifndef ASSAY_IMPORT_PERF_UNPACK_H
#define ASSAY_IMPORT_PERF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_UNPACK_BYTES ((size_t)256 << 10)	/* more than the size of two records */

/* perf's records typically shrink to a tenth, and to a fiftieth when little happens. */
#define PERF_UNPACK_RATIO 200
#define PERF_UNPACK_FREE_BYTES ((uint64_t)64 << 20)

struct perf_unpack {
	void *stream;			/* ZSTD_DStream */
	uint8_t *bytes;
	size_t size_bytes;		/* bytes that were decompressed but not taken */
	uint64_t in_bytes, out_bytes;
	bool is_busy;			/* the callback is taking decompressed records */
};

void perf_unpack_fini(struct perf_unpack *unpack);

/* Takes all complete records in @bytes and returns their total size in *ret_taken. */
typedef int (*perf_unpack_fn)(void *context, const uint8_t *bytes, size_t size_bytes,
			      size_t *ret_taken);

/*
 * Decompresses the content of one COMPRESSED record. Returns -EBADMSG if the data is not valid zstd
 * data, -E2BIG if there is more output than allowed, -ENOMEM, or what @take returned.
 */
int perf_unpack_add(struct perf_unpack *unpack, const void *packed, size_t packed_bytes,
		    perf_unpack_fn take, void *context);

#endif
