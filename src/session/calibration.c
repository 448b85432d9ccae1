/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/calibration.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/small_file.h"

#define FILE_NAME "interrupt-cost"
#define LINE_MAX_BYTES 256
#define BOOT_ID_MAX 64

static int boot_id_read(char id[static BOOT_ID_MAX])
{
	return small_file_read("/proc/sys/kernel/random/boot_id", id, BOOT_ID_MAX);
}

static bool is_possible(const struct interrupt_cost *cost)
{
	return cost->low_ns <= cost->cost_ns && cost->cost_ns <= cost->high_ns &&
	       cost->rate_hz > 0 && cost->pair_count > 0;
}

/* Returns false if no cost is cached or the cached cost is from another boot. */
static bool load(const char *dir, const char *boot_id, struct interrupt_cost *ret_cost)
{
	char path[PATH_MAX + 32], line[LINE_MAX_BYTES], id[BOOT_ID_MAX];
	struct interrupt_cost cost;

	if (!dir)
		return false;
	(void)snprintf(path, sizeof(path), "%s/" FILE_NAME, dir);
	if (small_file_read(path, line, sizeof(line)) < 0 ||
	    sscanf(line, "%63s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32, id,
		   &cost.cost_ns, &cost.low_ns, &cost.high_ns, &cost.rate_hz,
		   &cost.pair_count) != 6)
		return false;
	if (strcmp(id, boot_id) != 0 || !is_possible(&cost))
		return false;
	*ret_cost = cost;
	return true;
}

/* Errors are ignored: a cost that cannot be cached is measured again next time. */
static void keep(const char *dir, const char *boot_id, const struct interrupt_cost *cost)
{
	char path[PATH_MAX + 32], fresh[PATH_MAX + 64], line[LINE_MAX_BYTES];
	_cleanup_close_ int fd = -1;
	int length;

	if (!dir)
		return;
	(void)mkdir(dir, 0700);
	(void)snprintf(path, sizeof(path), "%s/" FILE_NAME, dir);
	(void)snprintf(fresh, sizeof(fresh), "%s.%d", path, getpid());
	length = snprintf(line, sizeof(line),
			  "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32 "\n",
			  boot_id, cost->cost_ns, cost->low_ns, cost->high_ns, cost->rate_hz,
			  cost->pair_count);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, line, (size_t)length) != length || rename(fresh, path) < 0)
		(void)unlink(fresh);
}

int calibration_renew(const char *cache_dir, struct interrupt_cost *ret_cost, struct err *err)
{
	char boot_id[BOOT_ID_MAX];
	int rc = interrupt_cost_measure(ret_cost, err);

	if (rc < 0)
		return rc;
	if (boot_id_read(boot_id) == 0)
		keep(cache_dir, boot_id, ret_cost);
	return 0;
}

int calibration_get(const char *cache_dir, struct interrupt_cost *ret_cost, struct err *err)
{
	char boot_id[BOOT_ID_MAX];

	if (boot_id_read(boot_id) == 0 && load(cache_dir, boot_id, ret_cost))
		return 0;
	return calibration_renew(cache_dir, ret_cost, err);
}
