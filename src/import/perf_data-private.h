/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_data-private.h - shared by the files of the perf.data reader
 *
 *	perf_data.c	header: form of the file, its events and features
 *	perf_records.c	bytes -> records, decompressed, in native byte order, into the queue
 *	perf_session.c	records in time order -> the model, as in a capture
 *	perf_dir.c	the same for the files of a directory
 *	perf_task.c	records about tasks and the kernel, which differ from those of a capture
 */
#ifndef ASSAY_IMPORT_PERF_DATA_PRIVATE_H
#define ASSAY_IMPORT_PERF_DATA_PRIVATE_H

#include "intake/intake.h"
#include "process/kernel_images.h"
#include "import/import-private.h"
#include "import/perf_events.h"
#include "import/perf_about.h"
#include "import/perf_unpack.h"
#include "import/record_queue.h"

#define PERF_REGS_MAX 64
#define KERNEL_TRIES_MAX 4
#define PERF_THREADS_MAX (1u << 19)	/* alive at the same time */

/* Records that only perf itself writes. Types not listed here are skipped. */
enum perf_own_record {
	PERF_OWN_FIRST = 64,
	PERF_OWN_ATTR = 64,
	PERF_OWN_TRACING_DATA = 66,
	PERF_OWN_BUILD_ID = 67,
	PERF_OWN_FINISHED_ROUND = 68,
	PERF_OWN_AUXTRACE = 71,
	PERF_OWN_EVENT_UPDATE = 78,
	PERF_OWN_FEATURE = 80,
	PERF_OWN_COMPRESSED = 81,
	PERF_OWN_COMPRESSED2 = 83,
};

/* A kernel as described by a file. */
struct kernel_try {
	uint64_t symbol_addr;
	char symbol[64];
	size_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
};

/* State for turning samples and process events into rows of the model. */
struct perf_session {
	bool begun;			/* the events are known and in the model */
	struct pins *pins;
	struct image_tables *tables;
	struct tracker *tracker;
	struct kernel_images *kernel_images;
	struct chains *chains;
	struct kernel_text kernel_text;
	struct stack_walker walker;
	struct u64map ids;		/* perf's id -> event of the model */
	/* by index in perf_events: event of the model, or PERF_NO_EVENT */
	VEC(uint32_t) model_events;
	struct intake intake;
	struct perf_record record;	/* the one that is taken in */
	bool can_walk;			/* copied stacks are of this architecture */
	size_t kernel_place_count;
	/* kernels whose symbols were already searched for */
	struct kernel_try kernel_tries[KERNEL_TRIES_MAX];
	size_t kernel_try_count;
	uint64_t last_ns;		/* time of the previous record */
	/* totals of LOST and LOST_SAMPLES records; both can count the same samples */
	uint64_t lost, lost_samples;
};

/* A file of records, or the part of a file that holds records. */
struct perf_stream {
	struct byte_source *source;
	/* bytes left to read; UINT64_MAX: up to the end of the file */
	uint64_t left_bytes;
	struct perf_unpack unpack;
	uint64_t skip_bytes;		/* bytes after a record that are still to be skipped */
	uint64_t skip_unpacked;		/* the same, in decompressed data */
	uint64_t youngest_ns;		/* latest time of the records read so far */
	uint64_t sweep_ns;		/* youngest_ns before the last piece was read */
	bool at_end;
};

struct perf_data {
	struct import *import;
	struct perf_events events;
	struct perf_about features;
	struct record_queue queue;
	struct perf_session session;
	struct perf_stream *stream;	/* stream whose records are being read */
	/* there are several files, so the rounds of one file are ignored */
	bool no_rounds;
	struct err err;			/* error of a flush */
};

/* ---- perf_records.c ---- */

/*
 * Reads the stream's next records, as many as its source can show at once. Sets at_end at the end.
 */
int perf_records_read(struct perf_data *data, struct perf_stream *stream);

/* ---- perf_dir.c ---- */

/*
 * Reads the records of @main_stream and of the files data.0, data.1 ... next to it. Returns 0 or a
 * negative errno.
 */
int perf_dir_read(struct perf_data *data, struct perf_stream *main_stream);

/* ---- perf_session.c ---- */

/* Takes one record from the queue. Passed to record_queue_round() and similar functions. */
int perf_session_take(void *context, const struct queued_record *queued);

/* Counts the losses that are known only at the end. */
void perf_session_end(struct perf_data *data);
void perf_session_fini(struct perf_session *session);

/* ---- perf_task.c ---- */

/* Takes a record that is not a sample. Returns 0 or -ENOMEM. */
int perf_task_take(struct perf_data *data, struct perf_record *record);

#endif
