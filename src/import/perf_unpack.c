/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/*
 * Limit on the window size of zstd, as a power of two: 128 MiB. The window is the earlier output
 * that zstd keeps in memory. perf compresses with windows of a few megabytes.
 */
#define WINDOW_LOG_MAX 27

void perf_unpack_fini(struct perf_unpack *unpack)
{
	ZSTD_freeDStream(unpack->stream);
	free(unpack->bytes);
	*unpack = (struct perf_unpack){ 0 };
}

static int start(struct perf_unpack *unpack)
{
	if (unpack->stream)
		return 0;
	unpack->bytes = malloc(PERF_UNPACK_BYTES);
	unpack->stream = ZSTD_createDStream();
	if (!unpack->bytes || !unpack->stream)
		return -ENOMEM;
	if (ZSTD_isError(
		    ZSTD_DCtx_setParameter(unpack->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
		return -EBADMSG;
	return 0;
}

static int hand_on(struct perf_unpack *unpack, perf_unpack_fn take, void *context)
{
	size_t taken = 0;
	int rc;

	unpack->is_busy = true;
	rc = take(context, unpack->bytes, unpack->size_bytes, &taken);
	unpack->is_busy = false;
	unpack->size_bytes -= taken;
	memmove(unpack->bytes, unpack->bytes + taken, unpack->size_bytes);
	return rc;
}

int perf_unpack_add(struct perf_unpack *unpack, const void *packed, size_t packed_bytes,
		    perf_unpack_fn take, void *context)
{
	ZSTD_inBuffer in = { packed, packed_bytes, 0 };
	int rc = start(unpack);
	size_t before;

	if (rc < 0)
		return rc;
	unpack->in_bytes += packed_bytes;
	do {
		ZSTD_outBuffer out = { unpack->bytes, PERF_UNPACK_BYTES, unpack->size_bytes };

		before = unpack->size_bytes;
		if (ZSTD_isError(ZSTD_decompressStream(unpack->stream, &out, &in)))
			return -EBADMSG;
		unpack->size_bytes = out.pos;
		unpack->out_bytes += out.pos - before;
		before = out.pos - before;
		if (unpack->out_bytes >
		    PERF_UNPACK_FREE_BYTES + unpack->in_bytes * PERF_UNPACK_RATIO)
			return -E2BIG;
		rc = hand_on(unpack, take, context);
		if (rc < 0)
			return rc;
	} while (in.pos < in.size || before);
	return 0;
}
