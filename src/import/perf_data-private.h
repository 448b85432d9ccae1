/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_data-private.h - shared by the files of the perf.data reader
 *
 *	perf_data.c	the header: detects a file or a pipe, reads the events and features
 *	perf_records.c	turns bytes into records: decompresses them, converts them to native byte
 *			order, and adds them to a queue
 *	perf_session.c	receives records in time order and fills the model, as during a capture
 *	perf_dir.c	reads all files of a directory that perf record --threads wrote
 *	perf_task.c	handles records about tasks and the kernel; their formats differ from
 *			the formats in a capture
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
#define PERF_THREADS_MAX (1u << 19)	/* limit on threads that are alive at the same time */

/* Types of records written by perf, not by the kernel. Types not listed here are skipped. */
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

/* Identifies a kernel whose symbols were requested. The values are those in the file. */
struct kernel_try {
	uint64_t symbol_addr;
	char symbol[64];
	size_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
};

/* State of the code that adds samples and process events to the model. */
struct perf_session {
	bool begun;			/* all events are known and have been added to the model */
	struct pins *pins;
	struct image_tables *tables;
	struct tracker *tracker;
	struct kernel_images *kernel_images;
	struct chains *chains;
	struct kernel_text kernel_text;
	struct stack_walker walker;
	struct u64map ids;		/* perf's event id -> event of the model */
	/* index in perf_events -> event of the model; PERF_NO_EVENT: the event takes no samples */
	VEC(uint32_t) model_events;
	struct intake intake;
	struct perf_record record;	/* the record that is being processed */
	/*
	 * true if copied stacks come from a machine of the same architecture, so that assay can
	 * unwind them
	 */
	bool can_walk;
	size_t kernel_place_count;
	/* kernels for which symbols were already requested */
	struct kernel_try kernel_tries[KERNEL_TRIES_MAX];
	size_t kernel_try_count;
	uint64_t last_ns;		/* timestamp of the previous record */
	/*
	 * sums of the counts in LOST records and in LOST_SAMPLES records; a lost sample may be in
	 * both sums
	 */
	uint64_t lost, lost_samples;
};

/* A file of records, or the section of a file that contains records. */
struct perf_stream {
	struct byte_source *source;
	/* number of bytes still to read; UINT64_MAX: all bytes up to the end of the file */
	uint64_t left_bytes;
	struct perf_unpack unpack;
	/* bytes after the current record that must still be skipped */
	uint64_t skip_bytes;
	uint64_t skip_unpacked;		/* like skip_bytes, but within decompressed data */
	uint64_t youngest_ns;		/* latest timestamp of all records read so far */
	/* youngest_ns as it was before the last call of perf_records_read() */
	uint64_t sweep_ns;
	bool at_end;
};

struct perf_data {
	struct import *import;
	struct perf_events events;
	struct perf_about features;
	struct record_queue queue;
	struct perf_session session;
	struct perf_stream *stream;	/* stream whose records are being read */
	/*
	 * the input has several files, so FINISHED_ROUND marks, which cover only one file, are
	 * ignored
	 */
	bool no_rounds;
	struct err err;			/* the error that import_flush_fn returned */
};

/* ---- perf_records.c ---- */

/*
 * Reads as many of the next records as fit into the buffer of the stream's source. Sets
 * stream->at_end when the stream has ended. Returns 0 or a negative errno.
 */
int perf_records_read(struct perf_data *data, struct perf_stream *stream);

/* ---- perf_dir.c ---- */

/*
 * Reads the records of @main_stream and of the files data.0, data.1 and so on in the same
 * directory. Returns 0 or a negative errno.
 */
int perf_dir_read(struct perf_data *data, struct perf_stream *main_stream);

/* ---- perf_session.c ---- */

/* Processes one record. This is the record_queue_fn that the queue calls with each record. */
int perf_session_take(void *context, const struct queued_record *queued);

/* Counts the losses that are known only when all records have been read. */
void perf_session_end(struct perf_data *data);
void perf_session_fini(struct perf_session *session);

/* ---- perf_task.c ---- */

/* Processes a record that is not a sample. Returns 0 or -ENOMEM. */
int perf_task_take(struct perf_data *data, struct perf_record *record);

#endif
