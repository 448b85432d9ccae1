/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <sys/stat.h>

#include "import/perf_data-private.h"
#include "import/perf_swap.h"

static struct byte_reader body_of(const struct perf_data *data, const uint8_t *bytes, size_t size)
{
	struct byte_reader r = byte_reader_of(bytes, size);

	r.swapped = data->events.swapped;
	r.at = sizeof(struct perf_event_header);
	return r;
}

static struct perf_event_header header_of(const struct perf_data *data, const uint8_t *bytes)
{
	struct perf_event_header header;

	memcpy(&header, bytes, sizeof(header));
	if (data->events.swapped)
		perf_swap_header(&header);
	return header;
}

static void count_malformed(struct perf_data *data)
{
	loss_add(&data->import->model->losses, LOSS_RECORD_MALFORMED, 1);
}

/* ---- records that perf writes ---- */

static int take_attr(struct perf_data *data, struct byte_reader *r)
{
	struct byte_reader size = *r;
	uint32_t attr_bytes;
	int rc;

	byte_reader_skip(&size, sizeof(uint32_t));
	attr_bytes = byte_reader_u32(&size);
	rc = perf_events_add(&data->events, r, attr_bytes ? attr_bytes : PERF_ATTR_SIZE_VER0);
	while (rc == 0 && byte_reader_left(r) >= sizeof(uint64_t))
		rc = perf_events_add_id(&data->events, byte_reader_u64(r));
	if (rc == -EINVAL || rc == -E2BIG)
		count_malformed(data);
	return rc == -ENOMEM ? rc : 0;
}

static void take_event_update(struct perf_data *data, struct byte_reader *r)
{
	const uint64_t is_name = 2;
	uint64_t what = byte_reader_u64(r);
	struct perf_event *event = perf_events_get(&data->events, byte_reader_u64(r));
	const char *name = byte_reader_string(r, NULL);

	if (what == is_name && event && !r->failed)
		(void)snprintf(event->name, sizeof(event->name), "%s", name);
}

static int take_feature(struct perf_data *data, struct byte_reader *r)
{
	uint64_t feature = byte_reader_u64(r);
	struct byte_reader content = byte_reader_part(r, r->at, byte_reader_left(r));

	return r->failed ? 0 : perf_about_read(&data->features, &data->events, feature, &content);
}

/*
 * Some records are followed by data that is not itself a record. Returns the size of that data, or
 * 0.
 */
static uint64_t bytes_behind(const struct perf_event_header *header, struct byte_reader *r)
{
	if (header->type == PERF_OWN_TRACING_DATA)
		return ((uint64_t)byte_reader_u32(r) + 7) & ~UINT64_C(7);
	return header->type == PERF_OWN_AUXTRACE ? byte_reader_u64(r) : 0;
}

static int unpack(struct perf_data *data, const struct perf_event_header *header,
		  struct byte_reader *r);

static int take_own(struct perf_data *data, const struct perf_event_header *header,
		    struct byte_reader *r)
{
	switch (header->type) {
	case PERF_OWN_ATTR:
		return take_attr(data, r);
	case PERF_OWN_EVENT_UPDATE:
		take_event_update(data, r);
		return 0;
	case PERF_OWN_FEATURE:
		return take_feature(data, r);
	case PERF_OWN_BUILD_ID:
		return perf_about_add_build_id(&data->features, header->misc, r);
	case PERF_OWN_FINISHED_ROUND:
		return data->no_rounds ? 0
				       : record_queue_round(&data->queue, perf_session_take, data);
	case PERF_OWN_COMPRESSED:
	case PERF_OWN_COMPRESSED2:
		return unpack(data, header, r);
	default:
		return 0;
	}
}

/* ---- records that the kernel writes ---- */

/*
 * Returns true if the kernel wrote a record without a time although samples have times. Earlier
 * records without times come from perf.
 */
static bool is_untimed(const struct perf_data *data, const struct queued_record *queued)
{
	const struct record_layout *layout = &data->events.events.at[queued->event].layout;

	return layout->sample_type & PERF_SAMPLE_TIME && !layout->sample_id_all &&
	       data->stream->youngest_ns;
}

static int take_late(struct perf_data *data, const struct queued_record *queued)
{
	int rc;

	/*
	 * Records that perf synthesizes have no timestamp. They are not queued but processed at
	 * once, and so precede the queued records.
	 */
	if (queued->time_ns)
		rc = record_queue_add(&data->queue, queued);
	else if (is_untimed(data, queued))
		rc = record_queue_add_untimed(&data->queue, queued);
	else
		return perf_session_take(data, queued);
	if (rc < 0 || !record_queue_is_full(&data->queue))
		return rc;
	return record_queue_halve(&data->queue, perf_session_take, data);
}

/*
 * Stores in queued->time_ns the timestamp by which the record is sorted. Returns false if the
 * record is malformed. Sets *ret_is_of_use to false if the reader ignores records of this kind.
 */
static bool read_time(const struct perf_event_header *header, const struct perf_event *event,
		      struct queued_record *queued, bool *ret_is_of_use)
{
	struct perf_record record;
	uint64_t time_ns;
	int rc;

	*ret_is_of_use = true;
	if (header->type == PERF_RECORD_SAMPLE) {
		rc = record_sample_time(queued->bytes, queued->size_bytes, &event->layout,
					&time_ns);
	} else {
		rc = record_decode(queued->bytes, queued->size_bytes, &event->layout, &record);
		if (rc < 0)
			return false;
		time_ns = record.time_ns;
		*ret_is_of_use = record.kind != RECORD_OTHER;
	}
	if (rc < 0 || time_ns > INT64_MAX)	/* no clock reaches this value */
		return false;
	/* If samples have no timestamps, time_ns stays 0 and records keep the order of the file. */
	if (event->layout.sample_type & PERF_SAMPLE_TIME)
		queued->time_ns = time_ns;
	return true;
}

static int take_kernel(struct perf_data *data, const struct perf_event_header *header,
		       const uint8_t *bytes)
{
	uint8_t *room = record_queue_room(&data->queue, header->size);
	struct queued_record queued = { .bytes = room, .size_bytes = header->size };
	const struct perf_event *event;
	bool is_of_use;

	if (!room)
		return -ENOMEM;
	memcpy(room, bytes, header->size);
	memcpy(room, header, sizeof(*header));
	event = perf_events_of(&data->events, room, header->size);
	if (!event) {
		count_malformed(data);
		return 0;
	}
	queued.event = (uint32_t)(event - data->events.events.at);
	if (data->events.swapped)
		perf_swap_record(room, header->size, &event->layout);
	if (!read_time(header, event, &queued, &is_of_use)) {
		count_malformed(data);
		return 0;
	}
	if (queued.time_ns > data->stream->youngest_ns)
		data->stream->youngest_ns = queued.time_ns;
	return is_of_use ? take_late(data, &queued) : 0;
}

/* ---- a series of records ---- */

/*
 * Processes all complete records in @bytes and stores in *ret_taken the number of bytes used.
 * Returns -EBADMSG if the next bytes are not a valid record. In that case no later record can be
 * found either.
 */
static int take_records(struct perf_data *data, const uint8_t *bytes, size_t size_bytes,
			uint64_t *skip_bytes, size_t *ret_taken)
{
	*ret_taken = 0;
	while (*ret_taken < size_bytes) {
		const uint8_t *at = bytes + *ret_taken;
		size_t left = size_bytes - *ret_taken;
		struct perf_event_header header;
		struct byte_reader r;
		int rc;

		if (*skip_bytes) {
			size_t skipped = *skip_bytes < left ? (size_t)*skip_bytes : left;

			*skip_bytes -= skipped;
			*ret_taken += skipped;
			continue;
		}
		if (left < sizeof(header))
			break;
		header = header_of(data, at);
		if (header.size < sizeof(header))
			return -EBADMSG;
		if (header.size > left)
			break;
		r = body_of(data, at, header.size);
		*skip_bytes = bytes_behind(&header, &r);
		r.at = sizeof(header);
		rc = header.type < PERF_OWN_FIRST ? take_kernel(data, &header, at)
						  : take_own(data, &header, &r);
		if (rc < 0)
			return rc;
		*ret_taken += header.size;
	}
	return 0;
}

static int take_unpacked(void *context, const uint8_t *bytes, size_t size_bytes, size_t *ret_taken)
{
	struct perf_data *data = context;

	return take_records(data, bytes, size_bytes, &data->stream->skip_unpacked, ret_taken);
}

/*
 * Decompresses a record. Rejects a compressed record inside a compressed record: perf writes no
 * such records, and the nesting could be endless.
 */
static int unpack(struct perf_data *data, const struct perf_event_header *header,
		  struct byte_reader *r)
{
	uint64_t size_bytes = byte_reader_left(r);

	if (data->stream->unpack.is_busy)
		return -EBADMSG;
	if (header->type == PERF_OWN_COMPRESSED2)
		size_bytes = byte_reader_u64(r);
	if (r->failed || size_bytes > byte_reader_left(r))
		return -EBADMSG;
	return perf_unpack_add(&data->stream->unpack, r->bytes + r->at, (size_t)size_bytes,
			       take_unpacked, data);
}

/*
 * Counts @size_bytes bytes as lost because they cannot be used. If the file ends early, there are
 * no such bytes (@size_bytes is 0), and 1 is counted.
 */
static void count_cut(struct perf_data *data, uint64_t size_bytes)
{
	loss_add(&data->import->model->losses, LOSS_FILE_CUT, size_bytes ? size_bytes : 1);
}

/*
 * Returns the number of the stream's remaining bytes that the file really contains. The header may
 * claim more.
 */
static uint64_t bytes_there(const struct perf_stream *stream)
{
	uint64_t offset = stream->source->offset, end = 0;
	struct stat st;

	if (fstat(stream->source->fd, &st) == 0 && st.st_size > 0)
		end = (uint64_t)st.st_size;
	end = end > offset ? end - offset : 0;
	return end < stream->left_bytes ? end : stream->left_bytes;
}

/* Called when a stream cannot be read any further. Counts its remaining bytes as lost. */
static int give_up(struct perf_data *data, struct perf_stream *stream)
{
	uint64_t skipped = 0;

	if (stream->left_bytes == UINT64_MAX) {
		int rc = byte_source_skip(stream->source, stream->left_bytes, &skipped);

		if (rc < 0)
			return rc;
	} else {
		skipped = bytes_there(stream);
	}
	count_cut(data, skipped);
	return 0;
}

static bool is_damage(int rc)
{
	return rc == -EBADMSG || rc == -E2BIG;
}

/*
 * Returns true if the stream ended too early: before the size given in the header was reached,
 * within data to be skipped, or within a decompressed record.
 */
static bool is_cut(const struct perf_stream *stream)
{
	return (stream->left_bytes && stream->left_bytes != UINT64_MAX) || stream->skip_bytes ||
	       stream->unpack.size_bytes;
}

int perf_records_read(struct perf_data *data, struct perf_stream *stream)
{
	size_t room_bytes = stream->source->room_bytes, size, taken;
	size_t wanted = stream->left_bytes < room_bytes ? (size_t)stream->left_bytes : room_bytes;
	const uint8_t *bytes;
	int rc = byte_source_peek(stream->source, wanted, &bytes, &size);

	if (rc < 0)
		return rc;
	if (size == 0) {
		stream->at_end = true;
		if (is_cut(stream))
			count_cut(data, 0);
		return 0;
	}
	data->stream = stream;
	rc = take_records(data, bytes, size, &stream->skip_bytes, &taken);
	byte_source_take(stream->source, taken);
	if (stream->left_bytes != UINT64_MAX)
		stream->left_bytes -= taken;
	if (is_damage(rc) || (rc == 0 && taken == 0)) {
		stream->at_end = true;
		rc = give_up(data, stream);
	}
	return rc;
}
