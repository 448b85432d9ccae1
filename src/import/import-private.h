/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import-private.h - what the readers of formats share */
#ifndef ASSAY_IMPORT_IMPORT_PRIVATE_H
#define ASSAY_IMPORT_IMPORT_PRIVATE_H

#include "import/byte_source.h"
#include "import/import.h"

#define IMPORT_HEAD_BYTES 4096u		/* of a file, by which its format is told */
#define IMPORT_BATCH_SAMPLES 65536u

struct import {
	struct model *model;
	struct import_options options;
	struct byte_source source;
	const char *path;
	bool is_directory;		/* then source is its file "data" */
	struct sample_batch batch;
	uint64_t first_ns, last_ns;	/* of the samples; 0, 0: none had a time */
	uint64_t sample_count;
	bool lacks[LACK_COUNT];
	struct kallsyms kallsyms;
	bool same_boot;
	void *reader;			/* of the format, which frees it, */
	const struct import_format *format;
};

extern const struct import_format import_perf_data;
extern const struct import_format import_perf_script;
extern const struct import_format import_pprof;
extern const struct import_format import_folded;
extern const struct import_format import_speedscope;

/* This is not in the file. */
void import_lacks(struct import *import, enum import_lack what);

/* "9 samples lost: sample-ring-full", as assay export says it; false: that is something else. */
bool import_loss_text(struct import *import, const char *text);

/* To be called behind each sample: hands the batch on when it is full. */
int import_maybe_flush(struct import *import, struct err *err);

#endif
