/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/nameless_file.h"

int spool_open(struct spool *spool, const char *directory, struct err *err)
{
	*spool = (struct spool)SPOOL_CLOSED;
	spool->fd = nameless_file_open(directory);
	return spool->fd < 0
		       ? err_sys(err, spool->fd, "cannot create a temporary file in %s", directory)
		       : 0;
}

void spool_close(struct spool *spool)
{
	for (size_t i = 0; i < spool->queues.count; i++)
		free(spool->queues.at[i].chunk);
	vec_free(&spool->queues);
	if (spool->fd >= 0)
		(void)close(spool->fd);
	spool->fd = -1;
}

static int write_chunk(const struct spool *spool, uint64_t place, const struct spool_chunk *chunk,
		       struct err *err)
{
	const char *bytes = (const char *)chunk;
	size_t done = 0;

	while (done < sizeof(*chunk)) {
		ssize_t count = pwrite(spool->fd, bytes + done, sizeof(*chunk) - done,
				       (off_t)(place + done));

		if (count < 0 && errno != EINTR)
			return err_sys(err, -errno, "cannot read or write the temporary file");
		done += count > 0 ? (size_t)count : 0;
	}
	return 0;
}

static int read_chunk(const struct spool *spool, uint64_t place, struct spool_chunk *ret_chunk,
		      struct err *err)
{
	char *bytes = (char *)ret_chunk;
	size_t done = 0;

	while (done < sizeof(*ret_chunk)) {
		ssize_t count = pread(spool->fd, bytes + done, sizeof(*ret_chunk) - done,
				      (off_t)(place + done));

		if (count == 0)
			return err_set(
				err, -EIO,
				"the temporary file is shorter than the data that was written "
				"to it");
		if (count < 0 && errno != EINTR)
			return err_sys(err, -errno, "cannot read or write the temporary file");
		done += count > 0 ? (size_t)count : 0;
	}
	return 0;
}

/*
 * Begins a new chunk and fixes its offset in the file. The previous chunk, which contains this
 * offset, can then be written first.
 */
static int begin_chunk(struct spool *spool, struct spool_queue *queue, struct err *err)
{
	int rc;

	if (!queue->chunk) {
		queue->chunk = calloc(1, sizeof(*queue->chunk));
		queue->first = spool->end;
		if (!queue->chunk)
			return err_set(err, -ENOMEM, "no memory for samples");
	} else {
		queue->chunk->next = spool->end;
		rc = write_chunk(spool, queue->last, queue->chunk, err);
		if (rc < 0)
			return rc;
	}
	queue->chunk->count = 0;
	queue->last = spool->end;
	spool->end += sizeof(*queue->chunk);
	return 0;
}

int spool_add(struct spool *spool, uint32_t queue, const struct spool_record *record,
	      struct err *err)
{
	struct spool_queue *to;

	while (spool->queues.count <= queue)
		if (!vec_push(&spool->queues))
			return err_set(err, -ENOMEM, "no memory for samples");
	to = &spool->queues.at[queue];
	if (!to->chunk || to->chunk->count == SPOOL_CHUNK_RECORDS) {
		int rc = begin_chunk(spool, to, err);

		if (rc < 0)
			return rc;
	}
	to->chunk->records[to->chunk->count++] = *record;
	to->count++;
	return 0;
}

int spool_each(const struct spool *spool, uint32_t queue, spool_visit_fn visit, void *context,
	       struct err *err)
{
	const struct spool_queue *from = &spool->queues.at[queue];
	_cleanup_free_ struct spool_chunk *chunk = malloc(sizeof(*chunk));
	uint64_t place = from->first;
	int rc;

	if (!chunk)
		return -ENOMEM;
	while (from->chunk) {
		bool last = place == from->last;

		if (last) {
			*chunk = *from->chunk;
		} else {
			rc = read_chunk(spool, place, chunk, err);
			if (rc < 0)
				return rc;
		}
		for (size_t i = 0; i < chunk->count; i++) {
			rc = visit(context, &chunk->records[i]);
			if (rc != 0)
				return rc;
		}
		if (last)
			break;
		place = chunk->next;
	}
	return 0;
}
