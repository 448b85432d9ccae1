/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads perf.data, which can be a file or a pipe.
 *
 * A file has a header with the positions of event attributes (attrs), records and features
 * (perf_about.h). If perf was stopped before it finished the file, the header gives 0 as the size
 * of the records, and the file has no features. A pipe has a header of 16 bytes followed only by
 * records, some of which hold attrs and features. Source:
 * tools/perf/Documentation/perf.data-file-format.txt of Linux 6.18.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "import/perf_data-private.h"

#define MAGIC "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"
#define MAGIC_BYTES 8u
#define PIPE_HEADER_BYTES 16u
#define FILE_HEADER_BYTES 104u
#define FEATURE_WORDS 4
#define SECTION_BYTES 16u		/* offset and size */
#define SECTION_BYTES_MAX ((uint64_t)256 << 20)
#define ATTR_BYTES_MAX 4096u

struct section {
	uint64_t offset, size_bytes;
};

struct header {
	uint64_t size_bytes, attr_bytes;
	struct section attrs, data;
	uint64_t features[FEATURE_WORDS];
};

static bool is_swapped(const uint8_t *head)
{
	return memcmp(head, MAGIC_SWAPPED, MAGIC_BYTES) == 0;
}

static bool matches(const uint8_t *head, size_t size_bytes)
{
	return size_bytes >= PIPE_HEADER_BYTES &&
	       (memcmp(head, MAGIC, MAGIC_BYTES) == 0 || is_swapped(head));
}

static int cannot(const struct perf_data *data, int code, const char *why, struct err *err)
{
	return err_set(err, code, "%s: %s", data->import->path, why);
}

/* ---- sections ---- */

static struct section read_section(struct byte_reader *r)
{
	struct section section = { .offset = byte_reader_u64(r) };

	section.size_bytes = byte_reader_u64(r);
	return section;
}

static struct byte_reader reader_of(const struct perf_data *data, const void *bytes, size_t size)
{
	struct byte_reader r = byte_reader_of(bytes, size);

	r.swapped = data->events.swapped;
	return r;
}

/*
 * Loads a section. If the file ends within the section, loads only the part that the file contains.
 * Stores the number of loaded bytes in *ret_size. The caller owns *ret_bytes. Memory is allocated
 * only for data that is present, because the header may claim a larger size.
 */
static int load(const struct perf_data *data, const struct section *section, uint8_t **ret_bytes,
		size_t *ret_size)
{
	VEC(uint8_t) bytes = VEC_INIT;
	int64_t size = 0;

	if (section->size_bytes > SECTION_BYTES_MAX)
		return -E2BIG;
	while (bytes.count < section->size_bytes) {
		uint64_t left = section->size_bytes - bytes.count;
		size_t piece = left < BYTE_SOURCE_BUFFER ? (size_t)left : BYTE_SOURCE_BUFFER;

		size = vec_reserve(&bytes, bytes.count + piece);
		if (size == 0)
			size = byte_source_read_at(&data->import->source,
						   section->offset + bytes.count,
						   bytes.at + bytes.count, piece);
		if (size <= 0)
			break;
		bytes.count += (size_t)size;
	}
	if (size < 0) {
		vec_free(&bytes);
		return (int)size;
	}
	*ret_bytes = bytes.at;
	*ret_size = bytes.count;
	return 0;
}

/* ---- attrs ---- */

static int read_ids(struct perf_data *data, const struct section *section)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size = 0;
	struct byte_reader r;
	int rc = load(data, section, &bytes, &size);

	if (rc < 0)
		return rc;
	r = reader_of(data, bytes, size);
	while (byte_reader_left(&r) >= sizeof(uint64_t)) {
		rc = perf_events_add_id(&data->events, byte_reader_u64(&r));
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_attrs(struct perf_data *data, const struct header *header)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size = 0;
	struct byte_reader r;
	int rc;

	if (header->attr_bytes > ATTR_BYTES_MAX ||
	    header->attr_bytes < PERF_ATTR_SIZE_VER0 + SECTION_BYTES)
		return -EINVAL;
	rc = load(data, &header->attrs, &bytes, &size);
	if (rc < 0)
		return rc;
	r = reader_of(data, bytes, size);
	while (byte_reader_left(&r) >= header->attr_bytes) {
		struct section ids;

		rc = perf_events_add(&data->events, &r, header->attr_bytes - SECTION_BYTES);
		if (rc < 0)
			return rc;
		ids = read_section(&r);
		rc = read_ids(data, &ids);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- features ---- */

static int read_feature(struct perf_data *data, uint64_t feature, const struct section *section)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size = 0;
	struct byte_reader r;
	int rc = load(data, section, &bytes, &size);

	if (rc == -E2BIG) {
		loss_add(&data->import->model->losses, LOSS_FILE_CUT, 1);
		return 0;
	}
	if (rc < 0)
		return rc;
	r = reader_of(data, bytes, size);
	return perf_about_read(&data->features, &data->events, feature, &r);
}

static bool is_needed(uint64_t feature)
{
	return (feature >= PERF_ABOUT_BUILD_ID && feature <= PERF_ABOUT_NRCPUS) ||
	       feature == PERF_ABOUT_CMDLINE || feature == PERF_ABOUT_EVENT_DESC ||
	       feature == PERF_ABOUT_DIR_FORMAT || feature == PERF_ABOUT_CLOCK_DATA;
}

/*
 * Reads the features. A table after the records contains the position of each feature whose bit is
 * set in the header. The order of the table is the order of the bits.
 */
static int read_features(struct perf_data *data, const struct header *header)
{
	struct section table = { .offset = header->data.offset + header->data.size_bytes };
	_cleanup_free_ uint8_t *bytes = NULL;
	struct byte_reader r;
	size_t size = 0;
	int rc;

	if (table.offset < header->data.offset)
		return -EINVAL;
	for (size_t i = 0; i < FEATURE_WORDS; i++)
		table.size_bytes += SECTION_BYTES *
				    (uint64_t)__builtin_popcountll(header->features[i]);
	rc = load(data, &table, &bytes, &size);
	if (rc < 0)
		return rc;
	r = reader_of(data, bytes, size);
	for (uint64_t feature = 0; feature < PERF_ABOUT_COUNT; feature++) {
		struct section section;

		if (!(header->features[feature / 64] >> feature % 64 & 1))
			continue;
		section = read_section(&r);
		if (r.failed || !is_needed(feature))
			continue;
		rc = read_feature(data, feature, &section);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- facts ---- */

static void fact(struct model *model, enum fact_id id, const char *value)
{
	if (value[0])
		model_fact_set(model, id, "%s", value);
}

static void tell_date(struct perf_data *data)
{
	const struct perf_about *features = &data->features;
	struct import *import = data->import;
	uint64_t shift_ns = features->clock_wall_ns - features->clock_ns;

	if (!features->clock_wall_ns || !import->first_ns) {
		import_lacks(import, LACK_DATE);
		return;
	}
	model_fact_set_u64(import->model, FACT_START_REALTIME_NS, import->first_ns + shift_ns);
}

static void tell_facts(struct perf_data *data)
{
	const struct perf_about *features = &data->features;
	struct model *model = data->import->model;

	fact(model, FACT_COMMAND, features->command);
	fact(model, FACT_HOST, features->host);
	fact(model, FACT_KERNEL, features->release);
	fact(model, FACT_ARCH, features->arch);
	if (features->cpu_count)
		model_fact_set_u64(model, FACT_CPUS, features->cpu_count);
	model_fact_set(model, FACT_DESCRIBE, "perf record %s", features->version);
	if (!features->host[0] && !features->command[0])
		import_lacks(data->import, LACK_FEATURES);
	tell_date(data);
}

/* ---- the two forms ---- */

static int read_streams(struct perf_data *data, struct perf_stream *stream)
{
	int rc;

	if (data->import->is_directory) {
		rc = perf_dir_read(data, stream);
		if (rc < 0)
			return rc;
	}
	while (!stream->at_end) {
		rc = perf_records_read(data, stream);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_records(struct perf_data *data, uint64_t size_bytes)
{
	struct perf_stream stream = {
		.source = &data->import->source,
		.left_bytes = size_bytes,
	};
	int rc = read_streams(data, &stream);

	perf_unpack_fini(&stream.unpack);
	data->stream = NULL;
	if (rc == 0)
		rc = record_queue_end(&data->queue, perf_session_take, data);
	perf_session_end(data);
	tell_facts(data);
	return rc;
}

static int read_pipe(struct perf_data *data)
{
	byte_source_take(&data->import->source, PIPE_HEADER_BYTES);
	return read_records(data, UINT64_MAX);
}

static void read_header(const struct perf_data *data, const uint8_t *head, struct header *header)
{
	struct byte_reader r = reader_of(data, head, FILE_HEADER_BYTES);

	byte_reader_skip(&r, MAGIC_BYTES);
	header->size_bytes = byte_reader_u64(&r);
	header->attr_bytes = byte_reader_u64(&r);
	header->attrs = read_section(&r);
	header->data = read_section(&r);
	(void)read_section(&r);			/* names of events in old versions of perf */
	for (size_t i = 0; i < FEATURE_WORDS; i++)
		header->features[i] = byte_reader_u64(&r);
}

/* The records come before the features that explain them, so the file must be able to seek. */
static int make_seekable(struct import *import, struct err *err)
{
	const char *directory = import->options.temp_dir;

	if (byte_source_can_seek(&import->source))
		return 0;
	return byte_source_spool(&import->source, import->path, directory ? directory : P_tmpdir,
				 err);
}

static int read_file(struct perf_data *data, const uint8_t *head, struct err *err)
{
	struct header header;
	uint64_t size_bytes;
	int rc;

	read_header(data, head, &header);
	rc = make_seekable(data->import, err);
	if (rc < 0)
		return rc;
	rc = read_attrs(data, &header);
	if (rc == -EINVAL || rc == -E2BIG)
		return cannot(data, rc, "the events of this perf.data are invalid", err);
	size_bytes = header.data.size_bytes ? header.data.size_bytes : UINT64_MAX;
	if (rc == 0 && header.data.size_bytes)
		rc = read_features(data, &header);
	if (rc == -EINVAL)
		/* the feature table is damaged; import the file without the table */
		rc = 0;
	if (rc == 0)
		rc = byte_source_seek(&data->import->source, header.data.offset);
	if (rc == -EINVAL)
		return cannot(data, rc, "the header of this perf.data is invalid", err);
	if (rc == 0 && !data->events.events.count)
		return cannot(data, -EINVAL, "this perf.data has no events", err);
	if (!header.data.size_bytes)
		model_fact_set(data->import->model, FACT_STATE,
			       "perf did not finish the imported file");
	if (rc < 0)
		return rc;
	return read_records(data, size_bytes);
}

static int read_perf_data(struct import *import, struct err *err)
{
	struct perf_data *data = calloc(1, sizeof(*data));
	const uint8_t *head;
	struct byte_reader r;
	size_t size;
	int rc;

	if (!data)
		return err_set(err, -ENOMEM, "%s: no memory to read it", import->path);
	import->reader = data;
	data->import = import;
	rc = byte_source_peek(&import->source, FILE_HEADER_BYTES, &head, &size);
	if (rc < 0)
		return err_sys(err, rc, "%s", import->path);
	data->events.swapped = is_swapped(head);
	r = reader_of(data, head, size);
	byte_reader_skip(&r, MAGIC_BYTES);
	if (byte_reader_u64(&r) == PIPE_HEADER_BYTES)
		rc = read_pipe(data);
	else if (size == FILE_HEADER_BYTES)
		rc = read_file(data, head, err);
	else
		return cannot(data, -EINVAL, "this perf.data ends within its header", err);
	if (rc < 0 && data->err.code)
		return err_set(err, rc, "%s", data->err.text);
	if (rc < 0 && !(err && err->code))
		return err_sys(err, rc, "%s", import->path);
	return rc;
}

static const struct image_file *image_file(struct import *import, uint32_t image)
{
	struct perf_data *data = import->reader;

	return data->session.pins ? pins_file(data->session.pins, image) : NULL;
}

static void free_perf_data(struct import *import)
{
	struct perf_data *data = import->reader;

	if (!data)
		return;
	record_queue_fini(&data->queue);
	perf_session_fini(&data->session);
	perf_about_fini(&data->features);
	perf_events_fini(&data->events);
	free(data);
}

const struct import_format import_perf_data = {
	.name = "perf.data",
	.description = "the output of perf record: a file, a pipe or a directory",
	.matches = matches,
	.read = read_perf_data,
	.image_file = image_file,
	.free = free_perf_data,
};
