/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/disk_sync.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define REQUESTS_MAX 2		/* the file and its log */

static void request(struct disk_sync *sync, int fd)
{
	struct iocb block = { .aio_fildes = (uint32_t)fd, .aio_lio_opcode = IOCB_CMD_FDSYNC };
	struct iocb *blocks[] = { &block };

	if (syscall(SYS_io_submit, sync->context, 1, blocks) != 1)
		return;
	sync->request_count++;
	sync->unanswered_count++;
}

static bool is_answered(struct disk_sync *sync)
{
	struct io_event events[REQUESTS_MAX];
	struct timespec no_time = { 0 };
	long count;

	if (!sync->unanswered_count)
		return true;
	count = syscall(SYS_io_getevents, sync->context, 0, REQUESTS_MAX, events, &no_time);
	if (count > 0)
		sync->unanswered_count -= (unsigned int)count;
	return !sync->unanswered_count;
}

static bool set_up(struct disk_sync *sync, const char *path)
{
	char name[PATH_MAX];

	if (!sync->context && syscall(SYS_io_setup, REQUESTS_MAX, &sync->context) < 0)
		return false;
	if (sync->log_fd)
		return true;
	(void)snprintf(name, sizeof(name), "%s-wal", path);
	sync->log_fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (sync->log_fd < 0)
		sync->log_fd = 0;
	return sync->log_fd != 0;
}

void disk_sync_start(struct disk_sync *sync, const char *path, int file_fd)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns - sync->last_ns < DISK_SYNC_NS || !is_answered(sync) || !set_up(sync, path))
		return;
	if (!sync->last_ns)
		request(sync, file_fd);
	request(sync, sync->log_fd);
	sync->last_ns = now_ns;
}

void disk_sync_fini(struct disk_sync *sync)
{
	if (sync->context)
		(void)syscall(SYS_io_destroy, sync->context);
	if (sync->log_fd)
		(void)close(sync->log_fd);
	*sync = (struct disk_sync){ 0 };
}
