/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/import_jit.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/jit_dumps.h"
#include "elf/regular_file.h"
#include "symbolize/jitdump.h"

void import_jit_init(struct import_jit *jit, struct model *model, const char *imported)
{
	const struct jit_options options = { .is_past = true };

	*jit = (struct import_jit){ .model = model, .imported = imported };
	if (jit_new(model, &options, &jit->jit) < 0)
		loss_add(&model->losses, LOSS_MEMORY, 1);
}

void import_jit_fini(struct import_jit *jit)
{
	jit_free(TAKE_PTR(jit->jit));
}

/* ---- finding the file ---- */

/*
 * Opens the jitdump at its recorded path, if the file at this path is still the file that the
 * process mapped. The owner of the file is not checked, because the file is certainly the one that
 * the process wrote.
 */
static int open_there(const struct import_jitdump *dump)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!dump->same_host || dump->path[0] != '/' || !dump->inode)
		return -ENOENT;
	fd = regular_file_open(AT_FDCWD, dump->path, 0);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return jit_dumps_is_same(st.st_dev, st.st_ino, dump->dev, dump->inode) ? TAKE_FD(fd)
									       : -ESTALE;
}

/*
 * Returns true if @st describes the file that is now at the jitdump's recorded path. open_there()
 * has already found that the process did not map this file. It must therefore not be accepted as a
 * copy of the jitdump either.
 */
static bool is_replaced(const struct import_jitdump *dump, const struct stat *st)
{
	struct stat there;

	return dump->same_host && dump->inode && dump->path[0] == '/' &&
	       stat(dump->path, &there) == 0 && there.st_dev == st->st_dev &&
	       there.st_ino == st->st_ino;
}

/*
 * Opens a copy of the jitdump in the directory of the imported file. Other users may be able to
 * create files there, so the owner of the copy is checked.
 */
static int open_beside(const char *imported, const struct import_jitdump *dump)
{
	const char *slash = strrchr(imported, '/');
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];
	struct stat st;
	int length;

	/* if @imported is a directory, use the directory that contains it */
	while (slash > imported && !slash[1])
		slash = memrchr(imported, '/', (size_t)(slash - imported));
	length = snprintf(path, sizeof(path), "%.*sjit-%u.dump",
			  slash ? (int)((slash - imported + 1) & INT_MAX) : 0, imported,
			  dump->named_pid);
	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	fd = regular_file_open(AT_FDCWD, path, O_NOFOLLOW);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (is_replaced(dump, &st))
		return -ENOENT;
	return st.st_uid == 0 || st.st_uid == geteuid() ? TAKE_FD(fd) : -EPERM;
}

/* ---- checking its process ---- */

/*
 * Returns why the file cannot be the jitdump of the process, or NULL. A file without any header is
 * one that was not written yet, or a new file with the inode number of the jitdump. For an invalid
 * header this returns NULL, because jit_take_dump() reports it.
 */
static const char *why_not_of(int fd, uint32_t named_pid)
{
	uint8_t bytes[JITDUMP_HEADER_BYTES];
	struct jitdump_header header;
	ssize_t got = pread(fd, bytes, sizeof(bytes), 0);
	int rc = got < 0 ? 0 : jitdump_header_read(bytes, (size_t)got, &header);

	if (rc == -EAGAIN)
		return "the file is empty, or a new file";
	if (got < 0 || rc < 0 || header.pid == named_pid)
		return NULL;
	return "the header of the file names another process";
}

static void refuse(struct import_jit *jit, const struct import_jitdump *dump, const char *why)
{
	loss_add(&jit->model->losses, LOSS_JITDUMP_REFUSED, 1);
	model_fact_set(jit->model, FACT_JITDUMP_REFUSED, "the jitdump of process %u: %s",
		       dump->tgid, why);
}

static const char *why_not(int there, int beside)
{
	if (beside == -EPERM)
		return "the jitdump beside the imported file belongs neither to you "
		       "nor to root";
	if (there == -ESTALE)
		return "a different file is now at the recorded path, and no matching "
		       "jitdump is beside the imported file";
	return "no jitdump was found at the recorded path or beside the "
	       "imported file";
}

void import_jit_see(struct import_jit *jit, const struct import_jitdump *dump)
{
	struct jit_seen_dump seen = {
		.tgid = dump->tgid,
		.named_pid = dump->named_pid,
		.start_ns = dump->start_ns,
		.exec_ns = dump->exec_ns,
	};
	int there = open_there(dump);
	const char *why;

	if (!jit->jit) {
		if (there >= 0)
			(void)close(there);
		return;
	}
	seen.fd = there >= 0 ? there : open_beside(jit->imported, dump);
	if (seen.fd < 0) {
		refuse(jit, dump, why_not(there, seen.fd));
		return;
	}
	why = why_not_of(seen.fd, dump->named_pid);
	if (why) {
		(void)close(seen.fd);
		refuse(jit, dump, why);
		return;
	}
	/*
	 * assign earlier jitdumps to their images first, so that the list of unassigned ones has a
	 * free entry
	 */
	jit_watch(jit->jit);
	jit_take_dump(jit->jit, &seen);
}

void import_jit_settle(struct import_jit *jit, struct sample_batch *batch)
{
	if (jit->jit)
		jit_settle(jit->jit, batch);
}
