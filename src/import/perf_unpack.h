/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_unpack.h - decompress records (perf record -z)
 *
 * All COMPRESSED records of a file together contain one zstd stream. They split the stream at
 * arbitrary points, so a decompressed record can begin in one COMPRESSED record and end in the
 * next. The output is produced in pieces of at most PERF_UNPACK_BYTES, even if a few input bytes
 * expand to much more. The total output may not exceed PERF_UNPACK_RATIO times the total input,
 * plus PERF_UNPACK_FREE_BYTES.
 */
#ifndef ASSAY_IMPORT_PERF_UNPACK_H
#define ASSAY_IMPORT_PERF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_UNPACK_BYTES ((size_t)256 << 10)	/* more than twice the size of the largest record */

/*
 * Maximum ratio of output to input. For real records, the ratio is typically 10, and 50 if the
 * machine is almost idle.
 */
#define PERF_UNPACK_RATIO 200
#define PERF_UNPACK_FREE_BYTES ((uint64_t)64 << 20)

struct perf_unpack {
	void *stream;			/* ZSTD_DStream */
	uint8_t *bytes;
	size_t size_bytes;		/* decompressed bytes that were not yet passed on */
	uint64_t in_bytes, out_bytes;
	bool is_busy;			/* the callback is processing decompressed records */
};

void perf_unpack_fini(struct perf_unpack *unpack);

/*
 * Processes all complete records in @bytes and sets *ret_taken to their total size. The rest is
 * passed again together with the next piece. Returns 0 or a negative errno.
 */
typedef int (*perf_unpack_fn)(void *context, const uint8_t *bytes, size_t size_bytes,
			      size_t *ret_taken);

/*
 * Decompresses the content of one COMPRESSED record. Returns -EBADMSG if the data is not valid zstd
 * data, -E2BIG if there is more output than allowed, -ENOMEM, or what @take returned.
 */
int perf_unpack_add(struct perf_unpack *unpack, const void *packed, size_t packed_bytes,
		    perf_unpack_fn take, void *context);

#endif
