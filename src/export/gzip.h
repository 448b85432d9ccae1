/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip.h - a stream that compresses its output */
#ifndef ASSAY_EXPORT_GZIP_H
#define ASSAY_EXPORT_GZIP_H

#include <stdio.h>

/*
 * Opens a stream that compresses to @out as a gzip file (RFC 1952). The gzip file is complete after
 * fclose(*ret_stream), which leaves @out open. Write errors show up on @out. Returns 0 or -ENOMEM.
 */
int gzip_open(FILE *out, FILE **ret_stream);

#endif
