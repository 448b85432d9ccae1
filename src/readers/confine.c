/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readers/confine.h"

#include <errno.h>
#include <grp.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/sanitizer.h"

#define NOBODY 65534u

/*
 * What a reader needs: to talk with its session (recvmsg, sendmsg), to read files and write the
 * reply, and memory. mmap is added with a condition.
 */
static const int allowed_calls[] = {
	SCMP_SYS(recvmsg),     SCMP_SYS(sendmsg),      SCMP_SYS(pread64),   SCMP_SYS(write),
	SCMP_SYS(fstat),       SCMP_SYS(newfstatat),   SCMP_SYS(lseek),	    SCMP_SYS(ftruncate),
	SCMP_SYS(close),       SCMP_SYS(brk),	       SCMP_SYS(munmap),    SCMP_SYS(mremap),
	SCMP_SYS(madvise),     SCMP_SYS(futex),	       SCMP_SYS(getrandom), SCMP_SYS(clock_gettime),
	SCMP_SYS(exit_group),  SCMP_SYS(rt_sigreturn),
#if HAS_ADDRESS_SANITIZER	/* it looks at the stack when a function does not return */
	SCMP_SYS(sigaltstack), SCMP_SYS(gettid),
#endif
};

bool confine_is_useful(void)
{
	cap_t none = cap_init(), now = cap_get_proc();
	bool has_any = !none || !now || cap_compare(none, now) != 0;

	(void)cap_free(none);
	(void)cap_free(now);
	return has_any;
}

static void drop_capabilities(void)
{
	cap_t none = cap_init();

	if (none)
		(void)cap_set_proc(none);
	(void)cap_free(none);
}

/* Keeps the capabilities of the list that this process has, and sets no_new_privs. */
static void keep_capabilities(const cap_value_t *kept, size_t count)
{
	cap_t now = cap_get_proc(), then = cap_init();

	for (size_t i = 0; now && then && i < count; i++) {
		cap_flag_value_t has = CAP_CLEAR;

		if (cap_get_flag(now, kept[i], CAP_PERMITTED, &has) == 0 && has == CAP_SET) {
			(void)cap_set_flag(then, CAP_PERMITTED, 1, &kept[i], CAP_SET);
			(void)cap_set_flag(then, CAP_EFFECTIVE, 1, &kept[i], CAP_SET);
		}
	}
	if (now && then)
		(void)cap_set_proc(then);
	(void)cap_free(now);
	(void)cap_free(then);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where the kernel does not know all of CAP_PERFMON, CAP_BPF and CAP_CHECKPOINT_RESTORE. */
static size_t count_of_old(size_t count)
{
	return CAP_IS_SUPPORTED(CAP_CHECKPOINT_RESTORE) ? count - 1 : count;
}

void confine_to_observing(void)
{
	static const cap_value_t observing[] = {
		CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH,	CAP_SYSLOG,    CAP_IPC_LOCK, CAP_PERFMON,
		CAP_BPF,	CAP_CHECKPOINT_RESTORE, CAP_SYS_ADMIN,
	};

	keep_capabilities(observing, count_of_old(COUNT(observing)));
}

void confine_to_reading(void)
{
	static const cap_value_t reading[] = { CAP_DAC_READ_SEARCH, CAP_SYSLOG };

	keep_capabilities(reading, COUNT(reading));
}

void confine_to_opening(void)
{
	static const cap_value_t opening[] = {
		CAP_SYS_PTRACE,
		CAP_DAC_READ_SEARCH,
		CAP_CHECKPOINT_RESTORE,
		CAP_SYS_ADMIN,
	};

	keep_capabilities(opening, count_of_old(COUNT(opening)));
}

void confine_to_guarding(void)
{
	static const cap_value_t guarding[] = {
		CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE, CAP_CHOWN, CAP_FOWNER,
		CAP_KILL,	CAP_PERFMON,	     CAP_SYS_ADMIN,
	};

	keep_capabilities(guarding, COUNT(guarding));
}

void confine_to_socket(int socket)
{
	if (dup2(socket, CONFINED_SOCKET) < 0 || close_range(CONFINED_SOCKET + 1, ~0u, 0) < 0)
		_exit(1);
}

/* The root is a directory of /proc about this process: nothing in it can be opened or made. */
void confine_rights(void)
{
	if (chroot("/proc/self/fdinfo") == 0)
		(void)!chdir("/");
	if (setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0)
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
	drop_capabilities();
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void limit(__rlimit_resource_t which, uint64_t soft, uint64_t hard)
{
	struct rlimit now;

	if (getrlimit(which, &now) < 0)
		return;
	now.rlim_max = lower(hard, now.rlim_max);
	now.rlim_cur = lower(soft, now.rlim_max);
	(void)setrlimit(which, &now);
}

void confine_limits(uint64_t memory_bytes, uint64_t file_bytes, uint64_t cpu_seconds)
{
	limit(RLIMIT_CORE, 0, 0);
	limit(RLIMIT_FSIZE, file_bytes, file_bytes);
	limit(RLIMIT_CPU, cpu_seconds, cpu_seconds + 1);	/* SIGXCPU, then SIGKILL */
	/* Counts the memory that can be written and is not shared, which is what a reader uses. */
	if (!HAS_ADDRESS_SANITIZER)
		limit(RLIMIT_DATA, memory_bytes, memory_bytes);
}

int confine_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc = filter ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < sizeof(allowed_calls) / sizeof(*allowed_calls); i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_calls[i], 0);
	if (rc == 0)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
				      SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc;
}
