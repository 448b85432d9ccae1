/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip.h - a stream that compresses its output */
#ifndef ASSAY_EXPORT_GZIP_H
#define ASSAY_EXPORT_GZIP_H

#include <stdio.h>

/*
 * Opens a stream. Data written to this stream is compressed and written to @out as a gzip file (RFC
 * 1952). fclose(*ret_stream) completes the gzip file but does not close @out. Write errors set the
 * error state of @out. Returns 0 or -ENOMEM.
 */
int gzip_open(FILE *out, FILE **ret_stream);

#endif
