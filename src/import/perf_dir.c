/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording made by several threads of perf record, each of which writes a separate file.
 *
 * These files have no FINISHED_ROUND marks (record_queue.h). Each thread writes the contents of
 * several rings in turn, so a file is only approximately in time order. All files are read in
 * parallel: first one piece of each, then the next piece of each. After each such round, the
 * records are passed on up to the latest timestamp that every file had already reached before the
 * round.
 */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "import/perf_data-private.h"

#define FILES_MAX 512u		/* perf creates at most one file per CPU */
#define ROOM_BYTES ((size_t)256 << 10)

struct perf_dir {
	/* entry 0 is the main file, which the caller owns */
	VEC(struct perf_stream) streams;
	VEC(struct byte_source) sources;
};

static void perf_dir_fini(struct perf_dir *dir)
{
	for (size_t i = 1; i < dir->streams.count; i++)
		perf_unpack_fini(&dir->streams.at[i].unpack);
	for (size_t i = 0; i < dir->sources.count; i++)
		byte_source_fini(&dir->sources.at[i]);
	vec_free(&dir->streams);
	vec_free(&dir->sources);
}

/* Opens data.0, data.1 and so on, until a file does not exist. */
static int open_files(struct perf_data *data, struct perf_dir *dir)
{
	for (unsigned int number = 0; number <= FILES_MAX; number++) {
		struct byte_source source, *slot;
		char path[PATH_MAX];
		struct stat st;
		struct err err = { 0 };

		(void)snprintf(path, sizeof(path), "%s/data.%u", data->import->path, number);
		if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
			return err_set(&data->err, -EINVAL, "%s: not a regular file", path);
		if (byte_source_open(&source, path, ROOM_BYTES, &err) < 0) {
			byte_source_fini(&source);
			if (err.code != -ENOENT)
				data->err = err;
			return err.code == -ENOENT ? 0 : err.code;
		}
		slot = number < FILES_MAX ? vec_push(&dir->sources) : NULL;
		if (!slot) {
			byte_source_fini(&source);
			return number < FILES_MAX ? -ENOMEM : -EMFILE;
		}
		*slot = source;
	}
	return 0;
}

/*
 * Creates the streams, which point into dir->sources. So dir->sources must not be reallocated after
 * this.
 */
static int make_streams(struct perf_dir *dir, const struct perf_stream *main_stream)
{
	if (vec_reserve(&dir->streams, dir->sources.count + 1) < 0)
		return -ENOMEM;
	*vec_push(&dir->streams) = *main_stream;
	for (size_t i = 0; i < dir->sources.count; i++)
		*vec_push(&dir->streams) = (struct perf_stream){
			.source = &dir->sources.at[i],
			.left_bytes = UINT64_MAX,
		};
	return 0;
}

/*
 * Reads one piece of each file. Sets *ret_until_ns so that no record that is read later has an
 * earlier timestamp. When all files are at their end, *ret_until_ns is UINT64_MAX.
 */
static int sweep(struct perf_data *data, struct perf_dir *dir, uint64_t *ret_until_ns)
{
	*ret_until_ns = UINT64_MAX;
	for (size_t i = 0; i < dir->streams.count; i++) {
		struct perf_stream *stream = &dir->streams.at[i];
		int rc;

		if (stream->at_end)
			continue;
		stream->sweep_ns = stream->youngest_ns;
		rc = perf_records_read(data, stream);
		if (rc < 0)
			return rc;
		if (!stream->at_end && stream->sweep_ns < *ret_until_ns)
			*ret_until_ns = stream->sweep_ns;
	}
	return 0;
}

static bool is_at_end(const struct perf_dir *dir)
{
	for (size_t i = 0; i < dir->streams.count; i++)
		if (!dir->streams.at[i].at_end)
			return false;
	return true;
}

static int read_streams(struct perf_data *data, struct perf_dir *dir)
{
	while (!is_at_end(dir)) {
		uint64_t until_ns;
		int rc = sweep(data, dir, &until_ns);

		if (rc < 0)
			return rc;
		rc = record_queue_until(&data->queue, until_ns, perf_session_take, data);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int perf_dir_read(struct perf_data *data, struct perf_stream *main_stream)
{
	_cleanup_(perf_dir_fini) struct perf_dir dir = { 0 };
	int rc = open_files(data, &dir);

	if (rc < 0)
		return rc;
	rc = make_streams(&dir, main_stream);
	if (rc < 0)
		return rc;
	data->no_rounds = true;
	rc = read_streams(data, &dir);
	*main_stream = dir.streams.at[0];
	return rc;
}
