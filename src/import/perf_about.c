/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_about.h"

#include <errno.h>
#include <stdio.h>

#include "base/hash.h"

/* a build-id of at most 20 bytes; some records store its size in the byte after that */
#define PERF_RECORD_BUILD_ID_BYTES 24
#define MISC_BUILD_ID_SIZE (1u << 15)

void perf_about_fini(struct perf_about *features)
{
	vec_free(&features->build_ids);
	vec_free(&features->paths);
	intern_fini(&features->build_id_index);
}

/* ---- text ---- */

/*
 * Reads a text that is preceded by its length. The length includes padding. Text that is too long
 * is truncated.
 */
static void read_text(struct byte_reader *r, char *ret_text, size_t room)
{
	size_t length = byte_reader_u32(r);
	const char *text = byte_reader_bytes(r, length);

	if (!text)
		return;
	length = strnlen(text, length);
	if (length >= room)
		length = room - 1;
	memcpy(ret_text, text, length);
	ret_text[length] = '\0';
}

static void read_command(struct byte_reader *r, char *ret_text, size_t room)
{
	uint32_t count = byte_reader_u32(r);
	size_t length = 0;

	for (uint32_t i = 0; i < count && !r->failed && length + 2 < room; i++) {
		if (length)
			ret_text[length++] = ' ';
		ret_text[length] = '\0';
		read_text(r, ret_text + length, room - length);
		length += strlen(ret_text + length);
	}
}

/* ---- build-ids ---- */

struct search {
	const struct perf_about *features;
	const char *path;
};

static const char *path_of(const struct perf_about *features, uint32_t id)
{
	return features->paths.at + features->build_ids.at[id].path;
}

static bool same_path(uint32_t id, const void *arg)
{
	const struct search *search = arg;

	return strcmp(path_of(search->features, id), search->path) == 0;
}

static uint32_t find(const struct perf_about *features, const char *path)
{
	const struct search search = { features, path };

	return intern_find(&features->build_id_index, hash_bytes(path, strlen(path)), same_path,
			   &search);
}

static int add_path(struct perf_about *features, const char *path, uint32_t *ret_offset)
{
	size_t size_bytes = strlen(path) + 1, count = features->paths.count;

	if (count + size_bytes > UINT32_MAX || vec_reserve(&features->paths, count + size_bytes))
		return -ENOMEM;
	memcpy(features->paths.at + count, path, size_bytes);
	features->paths.count += size_bytes;
	*ret_offset = (uint32_t)count;
	return 0;
}

static int add_build_id(struct perf_about *features, const struct perf_build_id *id,
			const char *path)
{
	struct perf_build_id *slot;

	if (find(features, path) || features->build_ids.count > PERF_BUILD_IDS_MAX)
		return 0;
	if (!features->build_ids.count && !vec_push(&features->build_ids))
		return -ENOMEM;
	slot = vec_push(&features->build_ids);
	if (!slot)
		return -ENOMEM;
	*slot = *id;
	if (add_path(features, path, &slot->path) < 0)
		return -ENOMEM;
	return intern_add(&features->build_id_index, hash_bytes(path, strlen(path)),
			  (uint32_t)features->build_ids.count - 1);
}

/*
 * If an entry does not contain the size of the build-id, all 20 bytes are used. If the real
 * build-id is shorter, the remaining bytes are zeros.
 */
int perf_about_add_build_id(struct perf_about *features, uint16_t misc, struct byte_reader *r)
{
	struct perf_build_id id = { .size = BUILD_ID_MAX };
	const uint8_t *bytes;
	const char *path;

	byte_reader_skip(r, sizeof(int32_t));	/* pid of a virtual machine, or -1 for the host */
	bytes = byte_reader_bytes(r, PERF_RECORD_BUILD_ID_BYTES);
	path = byte_reader_string(r, NULL);
	if (r->failed)
		return 0;
	if (misc & MISC_BUILD_ID_SIZE && bytes[BUILD_ID_MAX] <= BUILD_ID_MAX)
		id.size = bytes[BUILD_ID_MAX];
	memcpy(id.bytes, bytes, BUILD_ID_MAX);
	return id.size ? add_build_id(features, &id, path) : 0;
}

static int read_build_ids(struct perf_about *features, struct byte_reader *r)
{
	while (byte_reader_left(r) > sizeof(struct perf_event_header)) {
		uint16_t misc, size_bytes;
		struct byte_reader entry;
		int rc;

		byte_reader_skip(r, sizeof(uint32_t));
		misc = byte_reader_u16(r);
		size_bytes = byte_reader_u16(r);
		if (size_bytes < sizeof(struct perf_event_header))
			break;
		size_bytes = (uint16_t)(size_bytes - sizeof(struct perf_event_header));
		entry = byte_reader_part(r, r->at, size_bytes);
		byte_reader_skip(r, size_bytes);
		rc = entry.failed ? 0 : perf_about_add_build_id(features, misc, &entry);
		if (rc < 0)
			return rc;
	}
	return 0;
}

const struct perf_build_id *perf_about_build_id(const struct perf_about *features, const char *path)
{
	uint32_t id = find(features, path);

	return id ? &features->build_ids.at[id] : NULL;
}

/* ---- events ---- */

/*
 * Reads the names that users gave to events. Each name is followed by the ids of the event that has
 * the name.
 */
static void read_event_names(struct perf_events *events, struct byte_reader *r)
{
	uint32_t count = byte_reader_u32(r), attr_bytes = byte_reader_u32(r);

	for (uint32_t i = 0; i < count && !r->failed; i++) {
		struct perf_event *event = i < events->events.count ? &events->events.at[i] : NULL;
		char name[EVENT_NAME_MAX] = "";
		uint32_t id_count;

		byte_reader_skip(r, attr_bytes);
		id_count = byte_reader_u32(r);
		read_text(r, name, sizeof(name));
		for (uint32_t j = 0; j < id_count && !r->failed; j++) {
			struct perf_event *of_id = perf_events_get(events, byte_reader_u64(r));

			event = of_id ? of_id : event;
		}
		if (event && !r->failed)
			memcpy(event->name, name, sizeof(name));
	}
}

/* ---- one feature ---- */

static void read_clock(struct perf_about *features, struct byte_reader *r)
{
	byte_reader_skip(r, 2 * sizeof(uint32_t));	/* version, clock id */
	features->clock_wall_ns = byte_reader_u64(r);
	features->clock_ns = byte_reader_u64(r);
}

static void read_cpu_count(struct perf_about *features, struct byte_reader *r)
{
	byte_reader_skip(r, sizeof(uint32_t));		/* number of available CPUs */
	features->cpu_count = byte_reader_u32(r);
}

int perf_about_read(struct perf_about *features, struct perf_events *events, uint64_t feature,
		    struct byte_reader *r)
{
	switch (feature) {
	case PERF_ABOUT_BUILD_ID:
		return read_build_ids(features, r);
	case PERF_ABOUT_HOSTNAME:
		read_text(r, features->host, sizeof(features->host));
		break;
	case PERF_ABOUT_OSRELEASE:
		read_text(r, features->release, sizeof(features->release));
		break;
	case PERF_ABOUT_VERSION:
		read_text(r, features->version, sizeof(features->version));
		break;
	case PERF_ABOUT_ARCH:
		read_text(r, features->arch, sizeof(features->arch));
		break;
	case PERF_ABOUT_NRCPUS:
		read_cpu_count(features, r);
		break;
	case PERF_ABOUT_CMDLINE:
		read_command(r, features->command, sizeof(features->command));
		break;
	case PERF_ABOUT_EVENT_DESC:
		read_event_names(events, r);
		break;
	case PERF_ABOUT_DIR_FORMAT:
		features->is_directory = true;
		break;
	case PERF_ABOUT_CLOCK_DATA:
		read_clock(features, r);
		break;
	default:
		break;
	}
	return 0;
}
