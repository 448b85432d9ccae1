/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A confined process changes its own files and ends its own children, and nothing else. It reads as
 * before.
 */
#include "support/test.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/sanitizer.h"
#include "readers/guard.h"
#include "support/forbidden_call.h"
#include "support/temp.h"

static const struct forbidden_call forbidden[] = {
	FORBIDDEN(openat, AT_FDCWD, (long)"/etc/passwd", O_RDWR),
	FORBIDDEN(openat, AT_FDCWD, (long)"/etc/passwd", O_WRONLY | O_APPEND),
	FORBIDDEN(openat, AT_FDCWD, (long)"/etc/passwd", O_RDONLY | O_TRUNC),
	FORBIDDEN(openat, AT_FDCWD, (long)"/etc/assay-test", O_RDONLY | O_CREAT, 0600),
	FORBIDDEN(openat, AT_FDCWD, (long)"/proc/self/mem", O_RDWR),
	FORBIDDEN(openat, AT_FDCWD, (long)"/proc/sys/kernel/core_pattern", O_WRONLY),
	FORBIDDEN(truncate, (long)"/etc/assay-test", 0),
	FORBIDDEN(unlinkat, AT_FDCWD, (long)"/etc/assay-test", 0),
	FORBIDDEN(renameat2, AT_FDCWD, (long)"/etc/assay-a", AT_FDCWD, (long)"/etc/assay-b", 0),
	FORBIDDEN(linkat, AT_FDCWD, (long)"/etc/passwd", AT_FDCWD, (long)"/tmp/passwd", 0),
	FORBIDDEN(symlinkat, (long)"/etc/passwd", AT_FDCWD, (long)"/tmp/passwd"),
	FORBIDDEN(mkdirat, AT_FDCWD, (long)"/tmp/assay-test-directory", 0700),
	FORBIDDEN(mknodat, AT_FDCWD, (long)"/tmp/assay-test-pipe", S_IFIFO),
	FORBIDDEN(fchmodat, AT_FDCWD, (long)"/etc/passwd", 0644),
	FORBIDDEN(fchownat, AT_FDCWD, (long)"/etc/passwd", 0, 0, 0),
	FORBIDDEN(setxattr, (long)"/etc/passwd", (long)"user.a", (long)"b", 1, 0),
	FORBIDDEN(socket, AF_INET, SOCK_STREAM, 0),
	FORBIDDEN(socket, AF_UNIX, SOCK_STREAM, 0),
	FORBIDDEN(socket, AF_NETLINK, SOCK_RAW, 0),
	FORBIDDEN(connect, 0, 0, 0),
	FORBIDDEN(execve, (long)"/bin/true", 0, 0),
	FORBIDDEN(execveat, AT_FDCWD, (long)"/bin/true", 0, 0, 0),
	FORBIDDEN(unshare, CLONE_NEWUSER),
	FORBIDDEN(clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0),
	FORBIDDEN(setns, 0, 0),
	FORBIDDEN(mount, (long)"none", (long)"/mnt", (long)"tmpfs", 0, 0),
	FORBIDDEN(chroot, (long)"/"),
	FORBIDDEN(setuid, 0),
	FORBIDDEN(kill, 1, SIGCONT),
	FORBIDDEN(tgkill, 1, 1, 0),
	FORBIDDEN(tkill, 1, 0),
	FORBIDDEN(pidfd_send_signal, 0, 0, 0, 0),
	FORBIDDEN(fcntl, 0, F_SETOWN, 1),
	FORBIDDEN(process_vm_writev, 1, 0, 0, 0, 0, 0),
#if !HAS_ADDRESS_SANITIZER
	FORBIDDEN(ptrace, PTRACE_SEIZE, 1, 0, 0),
#endif
	FORBIDDEN(bpf, BPF_PROG_LOAD, 0, 0),
	FORBIDDEN(bpf, BPF_PROG_ATTACH, 0, 0),
	FORBIDDEN(bpf, BPF_PROG_GET_FD_BY_ID, 0, 0),
	FORBIDDEN(io_uring_setup, 1, 0),
	FORBIDDEN(userfaultfd, 0),
	FORBIDDEN(finit_module, 0, (long)"", 0),
	FORBIDDEN(kexec_load, 0, 0, 0, 0),
	FORBIDDEN(keyctl, 0, 0, 0, 0, 0),
	FORBIDDEN(syslog, 5, 0, 0),
	FORBIDDEN(setpriority, PRIO_PROCESS, 1, 0),
	FORBIDDEN(mprotect, 0, 4096, PROT_READ | PROT_EXEC),
	FORBIDDEN(mmap, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	FORBIDDEN(ioctl, 0, TIOCSTI, (long)"x"),
	FORBIDDEN(personality, 0),
	FORBIDDEN(reboot, 0, 0, 0, 0),
};

#define FORBIDDEN_COUNT (sizeof(forbidden) / sizeof(forbidden[0]))

struct scene {
	struct temp_dir dir;
	char own[PATH_MAX], other[PATH_MAX];
};

static int allow_own(struct guard *guard, const struct scene *scene)
{
	return guard_allow(guard, scene->own);
}

static int allow_new(struct guard *guard, const struct scene *scene)
{
	return guard_allow_new(guard, scene->dir.path);
}

/*
 * Runs @act in a child that is confined to what @allow allows. @act returns 0, or the number of a
 * line at which it found something wrong. Returns that, modulo 256, or -1 if it is not confined.
 */
static int confined_by(const struct scene *scene,
		       int (*allow)(struct guard *guard, const struct scene *scene),
		       int (*act)(const struct scene *scene))
{
	struct guard *guard;
	pid_t pid = fork();
	int status = 0, rc;

	assert_true(pid >= 0);
	if (pid > 0) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
	}
	rc = guard_new(&guard);
	if (rc == 0)
		rc = allow(guard, scene);
	if (rc == 0)
		rc = guard_confine(guard, GUARD_OBSERVES);
	if (rc < 0) {
		print_message("not confined: %s\n", strerror(-rc));
		_exit(255);
	}
	rc = act(scene);
	_exit(rc ? rc : 0);
}

static int confined(const struct scene *scene, int (*act)(const struct scene *scene))
{
	return confined_by(scene, allow_own, act);
}

static int set_up(void **state)
{
	struct scene *scene = test_calloc(1, sizeof(*scene));

	scene->dir = temp_dir_make();
	(void)snprintf(scene->own, sizeof(scene->own), "%s/own", scene->dir.path);
	(void)snprintf(scene->other, sizeof(scene->other), "%s",
		       temp_file(&scene->dir, "other", "text", 4));
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	temp_dir_remove(&scene->dir);
	test_free(scene);
	return 0;
}

/* This process has no rights to lose, or the kernel has no seccomp that asks (before 5.9). */
static void skip_if_not_confined(int rc)
{
	if (rc < 0)
		skip();
}

/* ---- what is refused ---- */

static int try_all(const struct scene *scene)
{
	int wrong = 0;

	for (size_t i = 0; i < FORBIDDEN_COUNT; i++) {
		int rc = forbidden_call_try(&forbidden[i]);

		if (rc == ENOSYS || rc == EPERM || rc == EACCES)
			continue;
		print_message("%zu: %s: %s\n", i, forbidden[i].name, strerror(rc));
		wrong = 1;
	}
	return wrong;
}

static void escapes_are_refused(void **state)
{
	int rc = confined(*state, try_all);

	skip_if_not_confined(rc);
	assert_int_equal(rc, 0);
	assert_int_equal(access("/tmp/assay-test-directory", F_OK), -1);
}

/* Names that do not begin as allowed, or that lead out of the directory. */
static int try_other_names(const struct scene *scene)
{
	char path[PATH_MAX + 16];
	int fd;

	if (open(scene->other, O_RDWR) >= 0)
		return __LINE__;
	if (unlink(scene->other) == 0)
		return __LINE__;
	(void)snprintf(path, sizeof(path), "%s/../own", scene->own);
	if (open(path, O_RDWR | O_CREAT, 0600) >= 0)
		return __LINE__;
	(void)snprintf(path, sizeof(path), "%s-link", scene->own);
	if (open(path, O_RDWR) >= 0)
		return __LINE__;
	(void)snprintf(path, sizeof(path), "%s-a", scene->own);
	if (rename(scene->other, path) == 0 || rename(path, scene->other) == 0)
		return __LINE__;
	/* one that is open for reading only */
	fd = open(scene->other, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, 0666) == 0 || fchown(fd, 1, 1) == 0)
		return __LINE__;
	return 0;
}

static void files_of_others_stay_as_they_are(void **state)
{
	struct scene *scene = *state;
	char link[PATH_MAX + 16];
	struct stat st;
	int rc;

	(void)snprintf(link, sizeof(link), "%s-link", scene->own);
	assert_int_equal(symlink(scene->other, link), 0);
	rc = confined(scene, try_other_names);
	assert_int_equal(unlink(link), 0);
	skip_if_not_confined(rc);
	assert_int_equal(rc, 0);
	assert_int_equal(stat(scene->other, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(st.st_mode & 0022, 0);
}

static int read_rights(const struct scene *scene)
{
	unsigned long long rights = ~0ull;
	int seccomp = 0, no_new = 0;
	char line[256];
	_cleanup_fclose_ FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file)) {
		(void)sscanf(line, "CapEff: %llx", &rights);
		(void)sscanf(line, "Seccomp: %d", &seccomp);
		(void)sscanf(line, "NoNewPrivs: %d", &no_new);
	}
	/* of those before CAP_PERFMON: DAC_READ_SEARCH, IPC_LOCK, SYS_PTRACE, SYSLOG; ADMIN */
	if (rights & ((1ull << 38) - 1) & ~(1ull << 2 | 1ull << 14 | 1ull << 19 | 1ull << 34))
		return __LINE__;
	return seccomp == 2 && no_new == 1 ? 0 : __LINE__;
}

static void few_rights_are_left(void **state)
{
	int rc = confined(*state, read_rights);

	skip_if_not_confined(rc);
	assert_int_equal(rc, 0);
}

/* ---- what still works ---- */

/* SQLite and importers use them. */
static int use_nameless_file(const struct scene *scene)
{
	int fd = open(scene->dir.path, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == EOPNOTSUPP ? 0 : __LINE__;
	return write(fd, "text", 4) == 4 && linkat(fd, "", AT_FDCWD, scene->own, AT_EMPTY_PATH) < 0
		       ? 0
		       : __LINE__;
}

static void files_without_names_can_be_written(void **state)
{
	int rc = confined(*state, use_nameless_file);

	skip_if_not_confined(rc);
	assert_int_equal(rc, 0);
}

static int use_own_files(const struct scene *scene)
{
	char other[PATH_MAX + 16];
	struct stat st;
	int fd = open(scene->own, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	(void)snprintf(other, sizeof(other), "%s-journal", scene->own);
	if (fd < 0 || write(fd, "text", 4) != 4)
		return __LINE__;
	if (access(scene->own, R_OK | W_OK) < 0 || access(scene->other, W_OK) == 0)
		return __LINE__;
	if (access(scene->dir.path, R_OK | W_OK | X_OK) < 0 || access("/etc", W_OK) == 0)
		return __LINE__;
	if (fchmod(fd, 0640) < 0 || fstat(fd, &st) < 0 || (st.st_mode & 0777) != 0640)
		return __LINE__;
	if (fcntl(fd, F_GETFD) != FD_CLOEXEC)
		return __LINE__;
	if (rename(scene->own, other) < 0 || access(scene->own, F_OK) == 0)
		return __LINE__;
	if (unlink(other) < 0 || fstat(fd, &st) < 0 || st.st_nlink)
		return __LINE__;
	if (unlink(other) == 0 || errno != ENOENT)
		return __LINE__;
	return 0;
}

static void own_files_can_be_changed(void **state)
{
	int rc = confined(*state, use_own_files);

	skip_if_not_confined(rc);
	assert_int_equal(rc, 0);
}

static int read_others(const struct scene *scene)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED };
	char text[8];
	int fd = open(scene->other, O_RDONLY | O_CLOEXEC), place;

	if (fd < 0 || read(fd, text, sizeof(text)) != 4)
		return __LINE__;
	place = (int)syscall(SYS_openat2, AT_FDCWD, scene->other, &how, sizeof(how));
	if (place >= 0 || errno != ENOSYS)
		return __LINE__;
	how.flags = O_RDWR;
	how.resolve = 0;
	if (syscall(SYS_openat2, AT_FDCWD, scene->other, &how, sizeof(how)) >= 0)
		return __LINE__;
	return 0;
}

static void reading_goes_on(void **state)
{
	int rc = confined(*state, read_others);

	skip_if_not_confined(rc);
	assert_int_equal(rc, 0);
}

static int end_a_child(const struct scene *scene)
{
	pid_t pid;
	int status;

	(void)prctl(PR_SET_NAME, "a) R 1 (b", 0, 0, 0);
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		(void)pause();
		_exit(0);
	}
	if (pid < 0 || kill(pid, 0) < 0 || kill(pid, SIGKILL) < 0)
		return __LINE__;
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		return __LINE__;
	return kill(getppid(), SIGTERM) < 0 ? 0 : __LINE__;
}

/* A child has the same filter, but cannot ask the guard. */
static int ask_in_a_child(const struct scene *scene)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (open(scene->own, O_RDWR | O_CREAT | O_CLOEXEC, 0600) >= 0)
			_exit(1);
		if (syscall(SYS_openat2, AT_FDCWD, scene->other, &how, sizeof(how)) >= 0 ||
		    errno != ENOSYS)
			_exit(2);
		_exit(open(scene->other, O_RDONLY | O_CLOEXEC) < 0 ? 3 : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return __LINE__;
	return status == 0 ? 0 : __LINE__;
}

static void children_cannot_ask(void **state)
{
	int rc = confined(*state, ask_in_a_child);

	skip_if_not_confined(rc);
	assert_int_equal(rc, 0);
}

static void children_can_be_ended(void **state)
{
	int rc = confined(*state, end_a_child);

	skip_if_not_confined(rc);
	assert_int_equal(rc, 0);
}

static int create_only(const struct scene *scene)
{
	int fd = open(scene->own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return __LINE__;
	return open(scene->other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0 &&
			       unlink(scene->other) < 0 && unlink(scene->own) < 0
		       ? 0
		       : __LINE__;
}

static void new_files_can_be_created(void **state)
{
	struct scene *scene = *state;
	int rc = confined_by(scene, allow_new, create_only);

	skip_if_not_confined(rc);
	assert_int_equal(rc, 0);
	assert_int_equal(unlink(scene->own), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_are_refused),
		cmocka_unit_test(files_of_others_stay_as_they_are),
		cmocka_unit_test(few_rights_are_left),
		cmocka_unit_test(own_files_can_be_changed),
		cmocka_unit_test(files_without_names_can_be_written),
		cmocka_unit_test(reading_goes_on),
		cmocka_unit_test(children_can_be_ended),
		cmocka_unit_test(children_cannot_ask),
		cmocka_unit_test(new_files_can_be_created),
	};

	return cmocka_run_group_tests_name("guard", tests, set_up, tear_down);
}
