/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_data-private.h - what the files of the perf.data reader share
 *
 *	perf_data.c	the header: which form of the file it is, its events and features
 *	perf_records.c	bytes -> records, unpacked, in our order of bytes, into the queue
 *	perf_session.c	records in order of time -> the model, as capture does it
 *	perf_dir.c	the same from the files of a directory
 *	perf_task.c	and those about tasks and the kernel, which a file has in its own way
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
#define PERF_THREADS_MAX (1u << 19)	/* that live at a time */

/* Records that only perf writes; what is not here is passed over. */
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

/* A kernel as a file tells of it. */
struct kernel_try {
	uint64_t symbol_addr;
	char symbol[64];
	size_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
};

/* Samples and process events into the model. */
struct perf_session {
	bool begun;			/* the events are known and entered */
	struct pins *pins;
	struct image_tables *tables;
	struct tracker *tracker;
	struct kernel_images *kernel_images;
	struct chains *chains;
	struct kernel_text kernel_text;
	struct stack_walker walker;
	struct u64map ids;		/* of perf -> event of the model */
	VEC(uint32_t) model_events;	/* of perf_events -> of the model, PERF_NO_EVENT: none */
	struct intake intake;
	struct perf_record record;	/* the one that is taken in */
	bool can_walk;			/* copied stacks are of this architecture */
	size_t kernel_place_count;
	struct kernel_try kernel_tries[KERNEL_TRIES_MAX];	/* whose symbols were looked for */
	size_t kernel_try_count;
	uint64_t last_ns;		/* of the record before */
	uint64_t lost, lost_samples;	/* by records of two kinds, which can tell the same */
};

/* A file of records, or the part of one that holds them. */
struct perf_stream {
	struct byte_source *source;
	uint64_t left_bytes;		/* UINT64_MAX: to the end */
	struct perf_unpack unpack;
	uint64_t skip_bytes;		/* behind a record, not looked at */
	uint64_t skip_unpacked;		/* the same of what is unpacked */
	uint64_t youngest_ns;		/* of its records so far, */
	uint64_t sweep_ns;		/* and before the last piece of it */
	bool at_end;
};

struct perf_data {
	struct import *import;
	struct perf_events events;
	struct perf_about features;
	struct record_queue queue;
	struct perf_session session;
	struct perf_stream *stream;	/* whose records are being taken */
	bool no_rounds;			/* several files: what one says of its rounds is nothing */
	struct err err;			/* of a flush */
};

/* ---- perf_records.c ---- */

/* The next of the stream's records, as many as its source can show at once; see at_end. */
int perf_records_read(struct perf_data *data, struct perf_stream *stream);

/* ---- perf_dir.c ---- */

/* Those of @main, and of the files data.0, data.1 ... beside it. 0 or a negative errno. */
int perf_dir_read(struct perf_data *data, struct perf_stream *main_stream);

/* ---- perf_session.c ---- */

/* A record of the queue; for record_queue_round() and its like. */
int perf_session_take(void *context, const struct queued_record *queued);

/* Losses that are known at the end. */
void perf_session_end(struct perf_data *data);
void perf_session_fini(struct perf_session *session);

/* ---- perf_task.c ---- */

/* A record that is no sample. 0 or -ENOMEM. */
int perf_task_take(struct perf_data *data, struct perf_record *record);

#endif
