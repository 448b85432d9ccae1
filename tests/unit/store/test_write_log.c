/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording after a power cut, made from a log of all its writes.
 *
 * What a file system promises is little: data that fdatasync(2) has written stays. Of what was
 * written later, any part may be on the disk, in any order, each sector new or old. The recording
 * must then have each flush that was written before the last fdatasync(2), and no half of one.
 */
#include "support/test.h"

#include <dlfcn.h>
#include <linux/aio_abi.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "fixture.h"
#include "store/recording-private.h"
#include "support/temp.h"

#define FLUSH_COUNT 120
#define SAMPLES_PER_FLUSH 400
#define FLUSHES_PER_SYNC 9
#define CUT_COUNT 500
#define SECTOR_BYTES 512

/* ---- the log ---- */

enum op_kind { OP_WRITE, OP_CUT, OP_SYNC_BEGIN, OP_SYNC_END, OP_FLUSH };

struct op {
	enum op_kind kind;
	ino_t file;
	size_t begin;		/* OP_SYNC_END: index of its OP_SYNC_BEGIN */
	uint64_t at;		/* OP_WRITE: offset; OP_CUT: new size of the file */
	size_t size_bytes;
	uint8_t *bytes;		/* OP_WRITE */
};

static VEC(struct op) ops;
static bool is_logging;

static size_t note(enum op_kind kind, int fd, uint64_t at, const void *bytes, size_t size_bytes)
{
	struct op *op;
	struct stat st = { 0 };

	if (!is_logging || (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))))
		return 0;
	op = vec_push(&ops);
	if (!op)
		abort();
	*op = (struct op){ .kind = kind, .file = st.st_ino, .at = at, .size_bytes = size_bytes };
	if (bytes) {
		op->bytes = malloc(size_bytes);
		if (!op->bytes)
			abort();
		memcpy(op->bytes, bytes, size_bytes);
	}
	return ops.count - 1;
}

static void note_end(size_t begin)
{
	size_t end = note(OP_SYNC_END, -1, 0, NULL, 0);

	if (!is_logging)
		return;
	ops.at[end].begin = begin;
	ops.at[end].file = ops.at[begin].file;
}

/*
 * These functions take the place of those of the C library in SQLite, too, and do the same. (The
 * parameters of the headers have other names.)
 */
ssize_t pwrite64(int fd, const void *bytes, size_t size_bytes, off64_t at)
{
	(void)note(OP_WRITE, fd, (uint64_t)at, bytes, size_bytes);
	return syscall(SYS_pwrite64, fd, bytes, size_bytes, at);
}

ssize_t write(int fd, const void *bytes, size_t size_bytes)
{
	off_t at = lseek(fd, 0, SEEK_CUR);

	if (at >= 0)
		(void)note(OP_WRITE, fd, (uint64_t)at, bytes, size_bytes);
	return syscall(SYS_write, fd, bytes, size_bytes);
}

int ftruncate64(int fd, off64_t size_bytes)
{
	(void)note(OP_CUT, fd, (uint64_t)size_bytes, NULL, 0);
	return (int)syscall(SYS_ftruncate, fd, size_bytes);
}

int fdatasync(int fd)
{
	size_t begin = note(OP_SYNC_BEGIN, fd, 0, NULL, 0);

	note_end(begin);
	return 0;
}

/* The recording asks for fdatasync() in the background by system calls without a function. */
long syscall(long number, ...)
{
	static long (*real)(long number, ...);
	long a[6], result;
	va_list list;

	if (!real)
		real = (__typeof__(real))dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_io_submit) {
		struct iocb *block = *(struct iocb **)a[2];

		block->aio_data = note(OP_SYNC_BEGIN, (int)block->aio_fildes, 0, NULL, 0);
	}
	result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	for (long i = 0; number == SYS_io_getevents && i < result; i++)
		note_end(((struct io_event *)a[3])[i].data);
	return result;
}

/* ---- the run ---- */

struct run {
	struct temp_dir dir;
	const char *path;
	ino_t file, journal;
	struct seen after[FLUSH_COUNT + 1];	/* what each number of flushes has */
};

static ino_t inode_of(const char *path, const char *suffix)
{
	char name[256];
	struct stat st;

	(void)snprintf(name, sizeof(name), "%s%s", path, suffix);
	assert_int_equal(stat(name, &st), 0);
	return st.st_ino;
}

static void wait_for_answers(struct recording *recording)
{
	struct io_event event;

	while (recording->sync.unanswered_count) {
		assert_int_equal(
			syscall(SYS_io_getevents, recording->sync.context, 1, 1, &event, NULL), 1);
		recording->sync.unanswered_count--;
	}
}

/* Records, and stops logging before the end, which is as if the power had been cut by then. */
static void record(struct run *run)
{
	struct recording *recording;
	struct fixture fixture;
	struct err err = { 0 };

	run->dir = temp_dir_make();
	run->path = temp_file(&run->dir, "run.assay", "", 0);
	(void)unlink(run->path);
	is_logging = true;
	recording = create_recording(run->path);
	fixture_init(&fixture, 11, 0);
	for (size_t i = 1; i <= FLUSH_COUNT; i++) {
		fixture_grow(&fixture, SAMPLES_PER_FLUSH);
		if (i % FLUSHES_PER_SYNC == 0)
			recording->sync.last_ns -= DISK_SYNC_NS;
		if (i % FLUSHES_PER_SYNC == 4)
			wait_for_answers(recording);
		if (recording_append(recording, &fixture.model, &fixture.batch, &err) < 0)
			fail_msg("%s", err.text);
		run->after[i] = run->after[i - 1];
		seen_add(&run->after[i], &fixture.batch);
		(void)note(OP_FLUSH, -1, i, NULL, 0);
	}
	is_logging = false;
	run->file = inode_of(run->path, "");
	run->journal = inode_of(run->path, "-wal");
	recording_close(recording);
	fixture_fini(&fixture);
}

/* ---- the cuts ---- */

struct disk {
	VEC(uint8_t) bytes;
};

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void resize(struct disk *disk, size_t size_bytes)
{
	if (vec_reserve(&disk->bytes, size_bytes + 1) < 0)
		abort();
	if (size_bytes > disk->bytes.count)
		memset(disk->bytes.at + disk->bytes.count, 0, size_bytes - disk->bytes.count);
	disk->bytes.count = size_bytes;
}

static void write_part(struct disk *disk, const struct op *op, size_t from, size_t size_bytes)
{
	if (op->at + from + size_bytes > disk->bytes.count)
		resize(disk, op->at + from + size_bytes);
	memcpy(disk->bytes.at + op->at + from, op->bytes + from, size_bytes);
}

static void apply(struct disk *disk, const struct op *op)
{
	if (op->kind == OP_WRITE)
		write_part(disk, op, 0, op->size_bytes);
	else
		resize(disk, op->at);
}

/* Applies all, nothing, or some sectors of what was not yet on the disk for certain. */
static void apply_by_chance(struct disk *disk, const struct op *op, uint64_t mode)
{
	uint64_t luck = mode ? mode : 1 + random_below(3);

	if (luck == 1 || (luck == 3 && op->kind == OP_CUT && random_below(2)))
		apply(disk, op);
	for (size_t from = 0; luck == 3 && from < op->size_bytes; from += SECTOR_BYTES) {
		size_t left = op->size_bytes - from;

		if (random_below(2))
			write_part(disk, op, from, left < SECTOR_BYTES ? left : SECTOR_BYTES);
	}
}

/* Returns the index of the last write of @file that is on the disk for certain, plus 1. */
static size_t safe_before(ino_t file, size_t cut)
{
	size_t safe = 0;

	for (size_t i = 0; i < cut; i++)
		if (ops.at[i].kind == OP_SYNC_END && ops.at[i].file == file &&
		    ops.at[i].begin > safe)
			safe = ops.at[i].begin;
	return safe;
}

static size_t flushes_before(size_t index)
{
	size_t count = 0;

	for (size_t i = 0; i < index; i++)
		if (ops.at[i].kind == OP_FLUSH)
			count = ops.at[i].at;
	return count;
}

static void put_file(const struct run *run, ino_t file, const char *name, size_t cut)
{
	size_t safe = safe_before(file, cut);
	uint64_t mode = random_below(4);	/* 0: each write has its own luck */
	struct disk disk = { 0 };
	FILE *out;

	for (size_t i = 0; i < cut; i++) {
		const struct op *op = &ops.at[i];

		if (op->file != file || (op->kind != OP_WRITE && op->kind != OP_CUT))
			continue;
		if (i < safe)
			apply(&disk, op);
		else
			apply_by_chance(&disk, op, mode);
	}
	out = fopen(name, "we");
	assert_non_null(out);
	assert_int_equal(fwrite(disk.bytes.at, 1, disk.bytes.count, out), disk.bytes.count);
	assert_int_equal(fclose(out), 0);
	vec_free(&disk.bytes);
}

/* Returns the number of flushes that the recording has. */
static size_t flushes_in(const struct run *run, const char *path, size_t cut)
{
	struct model model;
	struct seen seen = read_recording(path, &model);
	size_t i = 0;

	model_fini(&model);
	while (i <= FLUSH_COUNT && memcmp(&run->after[i], &seen, sizeof(seen)) != 0)
		i++;
	if (i > FLUSH_COUNT)
		fail_msg("cut before write %zu: %llu samples, which no flush ended with", cut,
			 (unsigned long long)seen.samples);
	return i;
}

static void each_synced_flush_survives(void **state)
{
	struct run run = { 0 };
	char path[128], journal[160];
	size_t first, lost = 0;

	record(&run);
	for (first = 0; !safe_before(run.file, first) || !safe_before(run.journal, first); first++)
		assert_true(first < ops.count);
	(void)snprintf(path, sizeof(path), "%s/cut.assay", run.dir.path);
	(void)snprintf(journal, sizeof(journal), "%s-wal", path);
	for (int i = 0; i < CUT_COUNT; i++) {
		size_t cut = first + random_below(ops.count - first);
		size_t promised = flushes_before(safe_before(run.journal, cut)), have;

		put_file(&run, run.file, path, cut);
		put_file(&run, run.journal, journal, cut);
		have = flushes_in(&run, path, cut);
		if (have < promised)
			fail_msg("cut before write %zu: %zu flushes instead of %zu", cut, have,
				 promised);
		lost += have < flushes_before(cut);
		(void)unlink(path);
		(void)unlink(journal);
	}
	/* Otherwise the cuts were not where writes were under way. */
	assert_in_range(lost, CUT_COUNT / 10, CUT_COUNT * 9 / 10);
	for (size_t i = 0; i < ops.count; i++)
		free(ops.at[i].bytes);
	vec_free(&ops);
	temp_dir_remove(&run.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_synced_flush_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
