/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/mapped_files.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "perf/cpus.h"
#include "perf/perf_open.h"
#include "perf/ring.h"
#include "process/proc_read.h"

#define RING_BYTES ((size_t)256 << 10)	/* of each CPU */
#define RING_LEAST_BYTES ((size_t)32 << 10)

/* overlayfs has a device without a driver */
#define OVERLAY_MAJOR 0u

/*
 * A file by its device and inode, or by process and address. A process may have two files at an
 * address, one after the other.
 */
struct mapped_file {
	uint64_t key[2];
	uint32_t pin;
	struct pin_user user;
	bool is_ambiguous;
};

struct mapped_files {
	struct pins *pins;
	VEC(struct mapped_file) files;	/* [0] is none */
	struct intern by_inode, by_address;	/* -> file */
	VEC(int) fds;
	VEC(struct ring) rings;
	struct record_layout layout;
};

/* ---- files ---- */

struct search {
	const struct mapped_file *files;
	uint64_t key[2];
};

static bool same_file(uint32_t id, const void *arg)
{
	const struct search *search = arg;
	const uint64_t *key = search->files[id].key;

	return key[0] == search->key[0] && key[1] == search->key[1];
}

/* Returns the number of a file, or 0. */
static uint32_t find_file(const struct mapped_files *files, const struct intern *index,
			  uint64_t first, uint64_t second)
{
	const struct search search = { files->files.at, { first, second } };

	return intern_find(index, hash_pair(first, second), same_file, &search);
}

static int put_file(struct mapped_files *files, struct intern *index, uint64_t first,
		    uint64_t second, uint32_t pin, struct pin_user user)
{
	uint32_t id = find_file(files, index, first, second);
	struct mapped_file *file = id ? &files->files.at[id] : NULL;

	if (!file) {
		id = (uint32_t)files->files.count;
		file = vec_push(&files->files);
		if (!file || intern_add(index, hash_pair(first, second), id) < 0)
			return -ENOMEM;
		*file = (struct mapped_file){ .key = { first, second }, .pin = pin };
	}
	file->is_ambiguous |= index == &files->by_address && file->pin != pin;
	file->pin = pin;
	file->user = user;
	return 0;
}

static void forget_files(struct mapped_files *files)
{
	intern_fini(&files->by_inode);
	intern_fini(&files->by_address);
	files->files.count = 1;
	pins_sweep(files->pins);
}

static int see(struct mapped_files *files, struct pin_user user, const struct record_mmap *mmap)
{
	uint32_t pin;
	int rc;

	if (!mmap->inode)
		return 0;
	if (pins_are_many(files->pins) || files->files.count > PINS_MAX)
		forget_files(files);
	pin = pins_see(files->pins, user, mmap);
	rc = put_file(files, &files->by_inode, mmap->dev, mmap->inode, pin, user);
	if (rc == 0 && major(mmap->dev) == OVERLAY_MAJOR)
		rc = put_file(files, &files->by_address, user.tgid, mmap->start_addr, pin, user);
	return rc;
}

bool mapped_files_find(const struct mapped_files *files, const struct mapped_place *place,
		       uint32_t *ret_pin, struct pin_user *ret_user)
{
	uint32_t id = find_file(files, &files->by_inode, place->dev, place->inode);

	if (!id)
		id = find_file(files, &files->by_address, place->user.tgid, place->start_addr);
	if (!id)
		id = find_file(files, &files->by_address, place->user.parent_tgid,
			       place->start_addr);
	if (!id || files->files.at[id].is_ambiguous)
		return false;
	*ret_pin = files->files.at[id].pin;
	*ret_user = files->files.at[id].user;
	return true;
}

/* ---- /proc ---- */

struct scan {
	struct mapped_files *files;
	struct pin_user user;
};

static int see_mapping(void *context, const struct record_mmap *mmap)
{
	const struct scan *scan = context;

	return see(scan->files, scan->user, mmap);
}

static int scan_process(void *context, uint32_t tgid)
{
	struct scan scan = { context, { .tgid = tgid } };

	return proc_read_maps(tgid, see_mapping, &scan) == -ENOMEM ? -ENOMEM : 0;
}

int mapped_files_scan(struct mapped_files *files)
{
	return proc_each_id(0, scan_process, files) == -ENOMEM ? -ENOMEM : 0;
}

/* ---- records ---- */

static int read_ring(struct mapped_files *files, struct ring *ring)
{
	size_t size_bytes;
	const void *bytes;
	int rc = 0;

	ring_refresh(ring);
	while (rc == 0 && (bytes = ring_peek(ring, &size_bytes)) != NULL) {
		struct perf_record record;

		if (size_bytes && record_decode(bytes, size_bytes, &files->layout, &record) == 0 &&
		    record.kind == RECORD_MMAP)
			rc = see(files, (struct pin_user){ .tgid = record.tgid }, &record.mmap);
		ring_consume(ring, size_bytes);
	}
	ring_release(ring);
	return rc;
}

int mapped_files_read(struct mapped_files *files)
{
	int rc = 0;

	for (size_t i = 0; i < files->rings.count && rc == 0; i++)
		rc = read_ring(files, &files->rings.at[i]);
	return rc;
}

static int keep_ring(struct mapped_files *files, int fd, struct err *err)
{
	int *slot = vec_push(&files->fds);
	struct ring *ring;

	if (!slot) {
		(void)close(fd);
		return err_sys(err, -ENOMEM, "mapped files");
	}
	*slot = fd;
	ring = vec_push(&files->rings);
	if (!ring)
		return err_sys(err, -ENOMEM, "mapped files");
	*ring = (struct ring){ 0 };
	return ring_map(ring, fd, RING_BYTES, RING_LEAST_BYTES, err);
}

static int follow(struct mapped_files *files, int cpu, struct err *err)
{
	static const struct event_spec what = { .name = "mappings" };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
	};
	struct perf_features features = { 0 };
	int fd = perf_open(&attr, &(struct perf_place){ .pid = -1, .cpu = cpu, .group_fd = -1 },
			   &features);

	if (fd == -ENODEV)	/* the CPU has just gone offline */
		return 0;
	return fd < 0 ? perf_explain(err, fd, &what, true) : keep_ring(files, fd, err);
}

static int follow_all(struct mapped_files *files, struct err *err)
{
	_cleanup_(cpus_fini) struct cpus cpus = VEC_INIT;
	int rc = cpus_online(&cpus, err);

	files->layout = (struct record_layout){ .no_build_ids = true };
	for (size_t i = 0; i < cpus.count && rc == 0; i++)
		rc = follow(files, cpus.at[i], err);
	return rc;
}

/* ---- all ---- */

int mapped_files_new(struct pins *pins, struct mapped_files **ret_files, struct err *err)
{
	struct mapped_files *files = calloc(1, sizeof(*files));
	struct mapped_file *none = files ? vec_push(&files->files) : NULL;
	int rc;

	if (!none) {
		free(files);
		return err_sys(err, -ENOMEM, "mapped files");
	}
	*none = (struct mapped_file){ 0 };
	files->pins = pins;
	rc = follow_all(files, err);
	if (rc == 0 && mapped_files_scan(files) < 0)
		rc = err_sys(err, -ENOMEM, "mapped files");
	if (rc < 0) {
		mapped_files_free(files);
		return rc;
	}
	*ret_files = files;
	return 0;
}

void mapped_files_free(struct mapped_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->rings.count; i++)
		ring_unmap(&files->rings.at[i]);
	for (size_t i = 0; i < files->fds.count; i++)
		(void)close(files->fds.at[i]);
	vec_free(&files->rings);
	vec_free(&files->fds);
	vec_free(&files->files);
	intern_fini(&files->by_inode);
	intern_fini(&files->by_address);
	free(files);
}
