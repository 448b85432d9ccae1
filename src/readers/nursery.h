/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nursery.h - the process that forks readers, and the messages that they exchange with the session
 *
 * Private to src/readers. A session sends the nursery one byte and a socket; the nursery forks a
 * reader for this socket and answers with its pid (int32_t), or a negative errno. The reader is a
 * child of the session, not of the nursery, so that the session can wait for it.
 *
 * A session sends a reader READER_JOB with two descriptors, or one if there is no file: the
 * exchange file, which has the request and later the reply, and the file. The reader sends
 * READER_OPEN or READER_FIND, any number of times, each answered by READER_FILE, and at last
 * READER_DONE.
 */
#ifndef ASSAY_READERS_NURSERY_H
#define ASSAY_READERS_NURSERY_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "readers/readers.h"

enum reader_message_kind { READER_JOB, READER_OPEN, READER_FIND, READER_FILE, READER_DONE };

struct reader_message {
	uint32_t kind;
	uint32_t job;		/* READER_JOB */
	int32_t rc;		/* READER_FILE, READER_DONE: 0 or a negative errno */
	uint32_t is_last;	/* READER_DONE: the reader ends now; it has used much CPU time */
	char path[PATH_MAX];	/* READER_OPEN: with its NUL; the only member that may be cut */
};

#define READER_MESSAGE_HEAD offsetof(struct reader_message, path)

/*
 * From now on, reader_open() and reader_find() call these functions, because a job runs in this
 * process. NULL: they ask the session again.
 */
void reader_files_here(const struct reader_files *files);

/* Never returns. @parent is the session's process. */
_Noreturn void nursery_run(int socket, const struct reader_job *const *jobs, size_t job_count,
			   pid_t parent);

#endif
