/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readers.h - processes without rights that read the files of others
 *
 * The files that explain samples belong to whoever runs the sampled programs: images, debug files,
 * call frame information. A profiler with the rights of root does not parse them itself. A reader
 * does: a child process without capabilities, files, network or the right to start programs
 * (confine.h), which gets one open file and a request, and sends a reply. If the reader crashes,
 * or uses too much memory or CPU time, one file is lost, and the next file gets a new reader.
 *
 *	session ----- asks for a reader -----> nursery (no rights, knows nothing)
 *	   |                                      | forks
 *	   +---- job: file, request, reply ----> reader
 *
 * All readers are forked by the nursery, a child made before the session opens anything. So a
 * reader has neither the session's memory nor its descriptors. Readers are kept and used again.
 * Files that only root or the user of assay can have written have a reader of their own, so
 * whatever another file does to its reader, it cannot alter what is read from them.
 *
 * A reply is checked by the caller like any file: the reader may have been taken over.
 *
 * Not thread-safe.
 */
#ifndef ASSAY_READERS_READERS_H
#define ASSAY_READERS_READERS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READER_MEMORY_BYTES (UINT64_C(512) << 20)
#define READER_REPLY_BYTES (UINT64_C(256) << 20)
#define READER_CPU_SECONDS 10u
#define READER_WALL_SECONDS 60u
/* a reader that waits so long for a file, without using CPU time, is ended */
#define READER_STALL_MS 1000u
#define READER_TEXT_BYTES 4096u
#define READER_OPENS_MAX 64u	/* files that a reader may ask for during one job */

/* ---- what a reader does ---- */

/* A job as the reader sees it. */
struct reader_task {
	int file_fd;		/* the file to read; -1: none. The job may take it (TAKE_FD). */
	const uint8_t *request;
	size_t request_bytes;
	int reply_fd;		/* an empty file, into which the job writes its reply */
	/* what the job wants to find again when it runs next in this reader; at first NULL */
	void **kept;
};

struct reader_job {
	/* Returns 0 or a negative errno, which readers_ask() returns. */
	int (*run)(struct reader_task *task);
};

/*
 * Asks the session for a file: by path, or the one that struct reader_files.find() finds. If the
 * job runs in the session itself, calls these functions directly. Returns the descriptor or a
 * negative errno.
 */
int reader_open(const char *path);
int reader_find(void);

/* ---- what a session asks for ---- */

struct readers;

/*
 * Opens files for a reader during a job. Each function returns a descriptor, which is then closed,
 * or a negative errno. NULL: there are no such files.
 */
struct reader_files {
	void *context;
	/*
	 * must refuse paths that have nothing to do with the job, because anything may be asked for
	 */
	int (*open)(void *context, const char *path);
	int (*find)(void *context);
};

/* Returns true if this process has rights that a file should not get at. */
bool readers_are_useful(void);

/*
 * Starts the nursery. @jobs are those that readers will run; the array must stay valid. Returns 0
 * or a negative errno.
 */
int readers_new(const struct reader_job *const *jobs, size_t job_count,
		struct readers **ret_readers);
void readers_free(struct readers *readers);	/* NULL is fine */

struct reader_question {
	const struct reader_job *job;	/* one of those of readers_new() */
	int file_fd;			/* stays open; -1: none */
	const void *request;
	size_t request_bytes;
	struct reader_files files;
};

/*
 * Runs a job in a reader. *@ret_reply is a file with the reply, at most READER_REPLY_BYTES, which
 * the reader may still alter; the caller closes it. Returns 0 or
 * - the error of the job
 * - -EPIPE if the reader died of the job, such as by too much CPU time, or for any reason twice
 * - -ETIMEDOUT if the file system of the file does not answer, or did not answer earlier, or if a
 *   job takes READER_WALL_SECONDS
 * - the error of starting a reader
 */
int readers_ask(struct readers *readers, const struct reader_question *question, int *ret_reply);

/*
 * Reads all of a request or reply. Returns 0, -EBADMSG if it has more than @bytes_max or became
 * shorter meanwhile, or another negative errno. The caller frees *@ret_bytes.
 */
int reader_load(int fd, uint64_t bytes_max, uint8_t **ret_bytes, size_t *ret_size_bytes);

/*
 * Runs a job and loads the reply, of at most @bytes_max. If @readers is NULL, this process runs the
 * job, which must not keep anything. Returns 0 or an error of readers_ask() or reader_load().
 */
int readers_ask_all(struct readers *readers, const struct reader_question *question,
		    uint64_t bytes_max, uint8_t **ret_bytes, size_t *ret_size_bytes);

/*
 * The same, with a text and its NUL as the request. Returns -ENAMETOOLONG for a text of
 * READER_TEXT_BYTES or more.
 */
int readers_ask_text(struct readers *readers, const struct reader_job *job, int file_fd,
		     const char *text, uint64_t bytes_max, uint8_t **ret_bytes,
		     size_t *ret_size_bytes);

/*
 * Returns true if @rc, of readers_ask(), says that no reader could read the file:
 * LOSS_READER_ENDED.
 */
static inline bool readers_gave_up(int rc)
{
	return rc == -EPIPE || rc == -ETIMEDOUT;
}

/* Returns the CPU time that all readers have used. */
uint64_t readers_cpu_ns(struct readers *readers);

/*
 * Returns true if only root and the effective user can have written the file, by owner and mode.
 * Does not wait for the file system.
 */
bool readers_trust(int fd);

#endif
