/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system calls of a confined session (guard.h). A call that is not listed fails with ENOSYS, so
 * that the C library tries another one.
 */
#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sanitizer.h"
#include "readers/guard-private.h"

#define PERF_IOCTL_TYPE ('$' << 8)
#define IOCTL_TYPE_MASK 0xff00
#define SOCKET_TYPE_MASK 0xf
#define NAMESPACES                                                                             \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |         \
	 CLONE_NEWPID | CLONE_NEWNET)

/* ---- calls that need no question ---- */

/* clang-format off */
static const int free_calls[] = {
	/* open files */
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(write),
	SCMP_SYS(writev), SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(close),
	SCMP_SYS(close_range), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(flock),
	SCMP_SYS(ftruncate), SCMP_SYS(fallocate), SCMP_SYS(fadvise64), SCMP_SYS(fsync),
	SCMP_SYS(fdatasync), SCMP_SYS(sync_file_range), SCMP_SYS(io_setup), SCMP_SYS(io_submit),
	SCMP_SYS(io_getevents), SCMP_SYS(io_pgetevents), SCMP_SYS(io_destroy),
	SCMP_SYS(getdents64), SCMP_SYS(sendfile),
	/* names of files, only looked at */
	SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(statx),
	SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	SCMP_SYS(getcwd),
	/* files without names, and what is connected */
	SCMP_SYS(memfd_create), SCMP_SYS(pipe2), SCMP_SYS(sendmsg), SCMP_SYS(recvmsg),
	SCMP_SYS(sendto), SCMP_SYS(recvfrom), SCMP_SYS(shutdown),
	/* waiting */
	SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6),
	SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait), SCMP_SYS(signalfd4), SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep), SCMP_SYS(pause), SCMP_SYS(wait4), SCMP_SYS(waitid),
	SCMP_SYS(pidfd_open), SCMP_SYS(restart_syscall), SCMP_SYS(futex),
	/* own memory, signals and identity */
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(msync),
	SCMP_SYS(membarrier), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(sigaltstack),
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getppid), SCMP_SYS(getpgrp),
	SCMP_SYS(getpgid), SCMP_SYS(getsid), SCMP_SYS(setsid), SCMP_SYS(getuid),
	SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(capget),
	SCMP_SYS(capset), SCMP_SYS(seccomp),	/* to give up more, as readers do */
	SCMP_SYS(umask), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	/* facts about the machine */
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	SCMP_SYS(times), SCMP_SYS(getrusage), SCMP_SYS(getrlimit), SCMP_SYS(getpriority),
	SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getcpu), SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_yield), SCMP_SYS(getrandom),
#if HAS_ADDRESS_SANITIZER	/* at the end it traces this process, to find leaks */
	SCMP_SYS(ptrace), SCMP_SYS(clone3), SCMP_SYS(getdents),
#endif
};
/* clang-format on */

/* ---- calls that depend on an argument ---- */

struct rule {
	int call;
	unsigned int argument;
	scmp_datum_t mask, value;	/* the rule holds if the masked argument has this value */
};

#define ONE(call, argument, value) \
	{ \
		SCMP_SYS(call), argument, 0xffffffff, value \
	}

static const struct rule allowed[] = {
	{ SCMP_SYS(openat), 2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY },
	{ SCMP_SYS(access), 1, W_OK, 0 },
	{ SCMP_SYS(faccessat), 2, W_OK, 0 },
	{ SCMP_SYS(faccessat2), 2, W_OK, 0 },
	{ SCMP_SYS(mmap), 2, PROT_EXEC, 0 },
	{ SCMP_SYS(mprotect), 2, PROT_EXEC, 0 },
	{ SCMP_SYS(clone), 0, NAMESPACES, 0 },
	ONE(fcntl, 1, F_DUPFD),
	ONE(fcntl, 1, F_DUPFD_CLOEXEC),
	ONE(fcntl, 1, F_GETFD),
	ONE(fcntl, 1, F_SETFD),
	ONE(fcntl, 1, F_GETFL),
	ONE(fcntl, 1, F_SETFL),
	ONE(fcntl, 1, F_GETLK),
	ONE(fcntl, 1, F_SETLK),
	ONE(fcntl, 1, F_SETLKW),
	ONE(fcntl, 1, F_OFD_GETLK),
	ONE(fcntl, 1, F_OFD_SETLK),
	/* not SOCK_DGRAM, with which any socket that has a name could be reached */
	{ SCMP_SYS(socketpair), 1, SOCKET_TYPE_MASK, SOCK_STREAM },
	{ SCMP_SYS(socketpair), 1, SOCKET_TYPE_MASK, SOCK_SEQPACKET },
	ONE(kill, 1, 0),		/* asks whether a process exists */
	ONE(setpriority, 1, 0),		/* of this process */
	{ SCMP_SYS(prlimit64), 0, 0xffffffff, 0 },
	{ SCMP_SYS(utimensat), 1, ~(scmp_datum_t)0, 0 },	/* of an open file */
	ONE(prctl, 0, PR_SET_PDEATHSIG),
	ONE(prctl, 0, PR_SET_NAME),
	ONE(prctl, 0, PR_GET_DUMPABLE),
	ONE(prctl, 0, PR_CAPBSET_READ),
	ONE(prctl, 0, PR_SET_NO_NEW_PRIVS),
#if HAS_ADDRESS_SANITIZER
	{ SCMP_SYS(open), 1, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY },
	ONE(prctl, 0, PR_SET_DUMPABLE),
	ONE(prctl, 0, PR_SET_PTRACER),
#endif
	{ SCMP_SYS(ioctl), 1, IOCTL_TYPE_MASK, PERF_IOCTL_TYPE },
	ONE(ioctl, 1, TCGETS),
	ONE(ioctl, 1, TCSETS),
	ONE(ioctl, 1, TCSETSW),
	ONE(ioctl, 1, TCSETSF),
	ONE(ioctl, 1, TCFLSH),
	ONE(ioctl, 1, TIOCGWINSZ),
	ONE(ioctl, 1, TIOCGPGRP),
	ONE(ioctl, 1, FIONREAD),
	ONE(bpf, 0, BPF_MAP_CREATE),
	ONE(bpf, 0, BPF_MAP_LOOKUP_ELEM),
	ONE(bpf, 0, BPF_MAP_UPDATE_ELEM),
	ONE(bpf, 0, BPF_MAP_DELETE_ELEM),
	ONE(bpf, 0, BPF_MAP_GET_NEXT_KEY),
	ONE(bpf, 0, BPF_MAP_LOOKUP_BATCH),
	ONE(bpf, 0, BPF_MAP_UPDATE_BATCH),
	ONE(bpf, 0, BPF_MAP_DELETE_BATCH),
	/* with programs that are loaded */
	ONE(bpf, 0, BPF_PROG_TEST_RUN),
	ONE(bpf, 0, BPF_RAW_TRACEPOINT_OPEN),
	ONE(bpf, 0, BPF_LINK_CREATE),
	ONE(bpf, 0, BPF_ITER_CREATE),
	ONE(bpf, 0, BPF_OBJ_GET_INFO_BY_FD),
	ONE(bpf, 0, BPF_PROG_GET_NEXT_ID),
	ONE(bpf, 0, BPF_LINK_GET_NEXT_ID),
};

/* One rule for each bit, because a rule compares all bits of its mask at once. */
static const struct rule asked[] = {
	{ SCMP_SYS(openat), 2, O_ACCMODE, O_WRONLY },  { SCMP_SYS(openat), 2, O_ACCMODE, O_RDWR },
	{ SCMP_SYS(openat), 2, O_ACCMODE, O_ACCMODE }, { SCMP_SYS(openat), 2, O_CREAT, O_CREAT },
	{ SCMP_SYS(openat), 2, O_TRUNC, O_TRUNC },     { SCMP_SYS(access), 1, W_OK, W_OK },
	{ SCMP_SYS(faccessat), 2, W_OK, W_OK },	       { SCMP_SYS(faccessat2), 2, W_OK, W_OK },
};

static const int asked_calls[] = {
	SCMP_SYS(openat2),   SCMP_SYS(unlink), SCMP_SYS(unlinkat),
	SCMP_SYS(rmdir),     SCMP_SYS(rename), SCMP_SYS(renameat),
	SCMP_SYS(renameat2), SCMP_SYS(fchmod), SCMP_SYS(fchown),
};

/* All signals but 0, each bit by itself. */
#define SIGNAL_BITS 7

static int add_kill(scmp_filter_ctx filter)
{
	int rc = 0;

	for (scmp_datum_t bit = 1; rc == 0 && bit < 1 << SIGNAL_BITS; bit <<= 1)
		rc = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(kill), 1,
				      SCMP_A1(SCMP_CMP_MASKED_EQ, bit, bit));
	return rc;
}

static int add_rules(scmp_filter_ctx filter, uint32_t action, const struct rule *rules,
		     size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct scmp_arg_cmp compare = {
			.arg = rules[i].argument,
			.op = SCMP_CMP_MASKED_EQ,
			.datum_a = rules[i].mask,
			.datum_b = rules[i].value,
		};

		rc = seccomp_rule_add_array(filter, action, rules[i].call, 1, &compare);
	}
	return rc;
}

static int add_calls(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = seccomp_rule_add(filter, action, calls[i], 0);
	return rc;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int guard_filter_calls(bool may_open_events)
{
	const struct rule own_signals = ONE(tgkill, 0, (scmp_datum_t)getpid());
	const uint32_t open_events = may_open_events ? SCMP_ACT_ALLOW : SCMP_ACT_NOTIFY;
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int rc = filter ? 0 : -ENOMEM;

	if (rc == 0)
		rc = add_calls(filter, SCMP_ACT_ALLOW, free_calls, COUNT(free_calls));
	if (rc == 0)
		rc = add_rules(filter, SCMP_ACT_ALLOW, allowed, COUNT(allowed));
	if (rc == 0)
		rc = add_rules(filter, SCMP_ACT_ALLOW, &own_signals, 1);
	if (rc == 0)
		rc = add_rules(filter, SCMP_ACT_NOTIFY, asked, COUNT(asked));
	if (rc == 0)
		rc = add_calls(filter, SCMP_ACT_NOTIFY, asked_calls, COUNT(asked_calls));
	if (rc == 0)
		rc = seccomp_rule_add(filter, open_events, SCMP_SYS(perf_event_open), 0);
	if (rc == 0)
		rc = add_kill(filter);
	if (rc == 0) {
		(void)seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);	/* errors */
		/* a search tree instead of a list, and no brake on speculation */
		(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
		(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
		rc = seccomp_load(filter);
	}
	if (rc == 0)
		rc = seccomp_notify_fd(filter);
	if (filter)
		seccomp_release(filter);
	return rc;
}
