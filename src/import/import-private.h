/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import-private.h - shared by the readers of all formats */
#ifndef ASSAY_IMPORT_IMPORT_PRIVATE_H
#define ASSAY_IMPORT_IMPORT_PRIVATE_H

#include "import/byte_source.h"
#include "import/import.h"

#define IMPORT_HEAD_BYTES 4096u		/* number of bytes from which the format is detected */
#define IMPORT_BATCH_SAMPLES 65536u

struct import {
	struct model *model;
	struct import_options options;
	struct byte_source source;
	const char *path;
	bool is_directory;		/* path is a directory; source is the file "data" in it */
	struct sample_batch batch;
	/* timestamps of the first and last sample; 0, 0: no sample had a timestamp */
	uint64_t first_ns, last_ns;
	uint64_t sample_count;
	bool lacks[LACK_COUNT];
	struct kallsyms kallsyms;
	bool same_boot;
	void *reader;			/* reader's state; import_format.free() frees it */
	const struct import_format *format;
	bool is_recognized;		/* format->matches() recognized the file */
};

#define FORMAT(name) extern const struct import_format import_##name;
#include "import/formats.def"
#undef FORMAT

/*
 * Records that the file does not contain @what. When reading ends, the fact `not_in_file` lists
 * everything recorded in this way.
 */
void import_lacks(struct import *import, enum import_lack what);

/*
 * Parses a loss as assay export writes it, such as "9 samples lost: sample-ring-full", and adds it
 * to the model's losses. Returns false if @text does not have this form.
 */
bool import_loss_text(struct import *import, const char *text);

/*
 * Returns how many lines of @head are folded stacks, and in *ret_lines the number of all lines
 * except empty lines, comments, and a line that @head contains only in part.
 */
size_t folded_count_lines(const uint8_t *head, size_t size_bytes, size_t *ret_lines);

/*
 * If the batch is full, passes it to the import_flush_fn. Readers call this function after each
 * sample.
 */
int import_maybe_flush(struct import *import, struct err *err);

#endif
