/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip.h - a stream that compresses what is written to it
 */
#ifndef ASSAY_EXPORT_GZIP_H
#define ASSAY_EXPORT_GZIP_H

#include <stdio.h>

/*
 * What is written to *ret_stream goes to @out as a gzip file (RFC 1952), which is whole after
 * fclose(); @out stays open, and errors are its own. 0 or -ENOMEM.
 */
int gzip_open(FILE *out, FILE **ret_stream);

#endif
