/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/proc_read.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define PROC_NAME_MAX 64
#define STAT_MAX_BYTES 2048
#define CLOCK_READINGS 3

/* Task flags of include/linux/sched.h. */
#define TASK_FLAG_KTHREAD 0x00200000u
#define TASK_FLAG_WORKER 0x00000020u

/*
 * Inode of the initial pid namespace, which is the same on every kernel: PROC_PID_INIT_INO in
 * include/linux/proc_ns.h.
 */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu

/*
 * Numbers of the fields in /proc/PID/stat that follow the comm. The first one, the state, has
 * number 0.
 */
enum {
	STAT_PARENT = 1,
	STAT_FLAGS = 6,
	STAT_START = 19,
	STAT_CODE = 23,
	STAT_STACK = 25,
	STAT_COUNT
};

static void format_name(char name[PROC_NAME_MAX], uint32_t tgid, const char *file)
{
	(void)snprintf(name, PROC_NAME_MAX, "/proc/%u/%s", tgid, file);
}

/* ---- stat ---- */

/*
 * /proc appends the current work item to the comm of a kernel worker. Removes it, because perf
 * records contain only the worker's own name.
 */
static void cut_worker(char *comm)
{
	char *colon = strchr(comm, ':');

	if (colon)
		colon[strcspn(colon, "+-")] = '\0';
}

/*
 * Returns the difference between CLOCK_BOOTTIME and CLOCK_MONOTONIC, the time that the machine was
 * suspended. Reads the monotonic clock first, so that the difference is never negative. A
 * preemption between the two reads makes the difference too large, so the minimum of several
 * attempts is returned.
 */
static uint64_t asleep_ns(void)
{
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < CLOCK_READINGS; i++) {
		uint64_t now_ns = clock_monotonic_ns();
		uint64_t ahead_ns = clock_read_ns(CLOCK_BOOTTIME) - now_ns;

		if (ahead_ns < least_ns)
			least_ns = ahead_ns;
	}
	return least_ns;
}

static uint64_t monotonic_of_boot_ticks(uint64_t ticks)
{
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t boot_ns = ticks / hz * NS_PER_SEC + ticks % hz * (NS_PER_SEC / hz);
	uint64_t ahead_ns = asleep_ns();

	return boot_ns > ahead_ns ? boot_ns - ahead_ns : 1;
}

uint64_t proc_ticks(uint64_t boot_ns)
{
	return boot_ns / (NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
}

static bool parse_fields(const char *text, uint64_t fields[STAT_COUNT])
{
	for (size_t i = 1; i < STAT_COUNT; i++) {
		char *end;

		fields[i] = strtoull(text, &end, 10);
		if (end == text && i <= STAT_START)
			return false;
		text = end;
	}
	return true;
}

int proc_parse_task(const char *line, size_t length, struct proc_task *ret_task)
{
	const char *open = memchr(line, '(', length);
	const char *close = memrchr(line, ')', length);
	uint64_t fields[STAT_COUNT];

	if (!open || !close || close < open || line + length - close < 4 ||
	    !parse_fields(close + 3, fields))
		return -EINVAL;
	*ret_task = (struct proc_task){
		.state = close[2],
		.parent_tgid = (uint32_t)fields[STAT_PARENT],
		.kernel_thread = fields[STAT_FLAGS] & TASK_FLAG_KTHREAD,
		.start_ns = monotonic_of_boot_ticks(fields[STAT_START]),
		.start_ticks = fields[STAT_START],
	};
	if (fields[STAT_CODE] && fields[STAT_STACK]) {
		ret_task->start_code = fields[STAT_CODE];
		ret_task->start_stack = fields[STAT_STACK];
	}
	(void)snprintf(ret_task->comm, sizeof(ret_task->comm), "%.*s", (int)(close - open - 1),
		       /* taken from stat, where the comm is not escaped as it is in status */
		       open + 1);
	if (fields[STAT_FLAGS] & TASK_FLAG_WORKER)
		cut_worker(ret_task->comm);
	return 0;
}

int proc_read_task(uint32_t tgid, uint32_t tid, struct proc_task *ret_task)
{
	char name[PROC_NAME_MAX], line[STAT_MAX_BYTES];
	_cleanup_close_ int fd = -1;
	ssize_t length;

	(void)snprintf(name, sizeof(name), "/proc/%u/task/%u/stat", tgid, tid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = read(fd, line, sizeof(line) - 1);
	if (length < 0)
		return -errno;
	line[length] = '\0';
	return proc_parse_task(line, (size_t)length, ret_task);
}

/* ---- exe, status, cgroup ---- */

void proc_strip_deleted(char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path), mark_length = sizeof(mark) - 1;

	if (length > mark_length && strcmp(path + length - mark_length, mark) == 0)
		path[length - mark_length] = '\0';
}

int proc_read_exe(uint32_t tgid, char ret_path[static PROC_PATH_MAX])
{
	char name[PROC_NAME_MAX];
	ssize_t length;

	format_name(name, tgid, "exe");
	length = readlink(name, ret_path, PROC_PATH_MAX - 1);
	if (length < 0)
		return -errno;
	ret_path[length] = '\0';
	proc_strip_deleted(ret_path);
	return 0;
}

int proc_read_status(uint32_t tgid, uint32_t *ret_uid, uint32_t *ret_inner_tgid)
{
	char name[PROC_NAME_MAX];
	_cleanup_free_ char *line = NULL;
	_cleanup_fclose_ FILE *file = NULL;
	size_t line_bytes = 0;
	bool has_uid = false;

	format_name(name, tgid, "status");
	file = fopen(name, "re");
	if (!file)
		return -errno;
	*ret_inner_tgid = tgid;
	while (getline(&line, &line_bytes, file) > 0) {
		if (strncmp(line, "Uid:", 4) == 0) {
			*ret_uid = (uint32_t)strtoul(line + 4, NULL, 10);
			has_uid = true;
		} else if (strncmp(line, "NStgid:\t", 8) == 0) {
			*ret_inner_tgid = (uint32_t)strtoul(strrchr(line, '\t') + 1, NULL, 10);
		}
	}
	return has_uid ? 0 : -ESRCH;
}

bool proc_is_in_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != INITIAL_PID_NAMESPACE;
}

int proc_check_namespace(struct err *err)
{
	char text[32] = "";

	if (readlink("/proc/self", text, sizeof(text) - 1) > 0 &&
	    strtoul(text, NULL, 10) == (unsigned long)getpid())
		return 0;
	return err_set(err, -ENOENT,
		       "/proc is missing or shows another pid namespace, so assay cannot tell "
		       "which process is which; mount -t proc proc /proc or unshare "
		       "--mount-proc gives this namespace its own /proc");
}

/*
 * Parses a line "hierarchy:controllers:path" of /proc/TGID/cgroup. If @v2 is true, returns the path
 * if the line describes the v2 hierarchy. If @v2 is false, returns the path if the line describes
 * the v1 perf_event hierarchy. Returns NULL for all other lines.
 */
static char *cgroup_path(char *line, bool v2)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	*path++ = '\0';
	if (v2 ? strcmp(line, "0:") != 0 : !strstr(controllers, "perf_event"))
		return NULL;
	return path;
}

bool proc_is_gone(uint32_t tgid)
{
	return kill((pid_t)tgid, 0) < 0 && errno == ESRCH;
}

int proc_read_cgroup(uint32_t tgid, char ret_path[static PROC_PATH_MAX])
{
	char name[PROC_NAME_MAX];
	_cleanup_free_ char *line = NULL;
	_cleanup_fclose_ FILE *file = NULL;
	size_t line_bytes = 0;
	int rc = -ESRCH;

	format_name(name, tgid, "cgroup");
	file = fopen(name, "re");
	if (!file)
		return -errno;
	while (getline(&line, &line_bytes, file) > 0) {
		bool v2 = strncmp(line, "0::", 3) == 0;
		const char *path = cgroup_path(line, v2);

		if (!path || (v2 && rc == 0 && strcmp(path, "/") == 0))
			continue;
		(void)snprintf(ret_path, PROC_PATH_MAX, "%s", path);
		rc = 0;
		if (v2 && strcmp(path, "/") != 0)
			break;
	}
	return rc;
}

bool proc_has_cgroup_v1(void)
{
	_cleanup_free_ char *line = NULL;
	_cleanup_fclose_ FILE *file = fopen("/proc/self/cgroup", "re");
	size_t line_bytes = 0;
	bool found = false;

	while (file && !found && getline(&line, &line_bytes, file) > 0)
		found = cgroup_path(line, false) != NULL;
	return found;
}

/* ---- maps ---- */

/* Undoes the escaping of seq_path(), which writes a newline in a path as \012. */
static void unescape_path(char *path)
{
	char *to = path;

	for (const char *from = path; *from; from++) {
		if (strncmp(from, "\\012", 4) == 0) {
			*to++ = '\n';
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/*
 * Parses a number at @at. The character after the number must be @end_char. Returns the text after
 * @end_char, or NULL if there is no such number.
 */
static char *parse_number(char *at, int base, char end_char, uint64_t *ret_value)
{
	char *end;

	*ret_value = strtoull(at, &end, base);
	return end > at && *end == end_char ? end + 1 : NULL;
}

bool proc_parse_mapping(char *line, struct record_mmap *ret_mapping)
{
	struct record_mmap mapping = { 0 };
	uint64_t end_addr = 0, dev_major = 0, dev_minor = 0;
	char *at = parse_number(line, 16, '-', &mapping.start_addr);

	if (at)
		at = parse_number(at, 16, ' ', &end_addr);
	if (!at || strnlen(at, 5) < 5 || at[2] != 'x' || end_addr <= mapping.start_addr)
		return false;
	at = parse_number(at + 5, 16, ' ', &mapping.offset);
	if (at)
		at = parse_number(at, 16, ':', &dev_major);
	if (at)
		at = parse_number(at, 16, ' ', &dev_minor);
	if (!at)
		return false;
	mapping.inode = strtoull(at, &at, 10);
	at += strspn(at, " ");
	at[strcspn(at, "\n")] = '\0';
	unescape_path(at);
	mapping.dev = makedev((unsigned int)dev_major, (unsigned int)dev_minor);
	mapping.size_bytes = end_addr - mapping.start_addr;
	mapping.path = at;
	*ret_mapping = mapping;
	return true;
}

int proc_read_maps(uint32_t tgid, proc_mapping_fn visit, void *context)
{
	char name[PROC_NAME_MAX];
	_cleanup_free_ char *line = NULL;
	_cleanup_fclose_ FILE *file = NULL;
	size_t line_bytes = 0;

	format_name(name, tgid, "maps");
	file = fopen(name, "re");
	if (!file)
		return -errno;
	while (getline(&line, &line_bytes, file) > 0) {
		struct record_mmap mapping;
		int rc;

		if (!proc_parse_mapping(line, &mapping))
			continue;
		rc = visit(context, &mapping);
		if (rc < 0)
			return rc;
	}
	return ferror(file) ? -ESRCH : 0;
}

/* ---- directories of ids ---- */

int proc_each_id(uint32_t tgid, proc_id_fn visit, void *context)
{
	char name[PROC_NAME_MAX] = "/proc";
	_cleanup_closedir_ DIR *dir = NULL;
	const struct dirent *entry;

	if (tgid)
		format_name(name, tgid, "task");
	dir = opendir(name);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		int rc;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		rc = visit(context, (uint32_t)strtoul(entry->d_name, NULL, 10));
		if (rc < 0)
			return rc;
	}
	return 0;
}
