/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failing.so, for LD_PRELOAD: makes allocations or writes fail. The environment says which:
 *
 *	FAIL=memory	malloc(), calloc(), realloc(), reallocarray() fail with ENOMEM
 *	FAIL=write	write() and pwrite() to files, ftruncate(), fsync(), fdatasync() with EIO
 *	FAIL_AT=N	the first call that fails, counted from 1
 *	FAIL_COUNT=N	how many calls fail from there on
 *	FAIL_REPORT=F	at the end, the number of all such calls is written to the file F
 *
 * Only the first process with this environment is meant, not those that it forks.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The names under which the C library exports its own functions, for callers such as this one. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *at, size_t size);

enum { NOTHING, MEMORY, WRITE };

static int kind;
static unsigned long calls, first, last;
static pid_t process;

static unsigned long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *what = getenv("FAIL");

	first = number("FAIL_AT");
	last = first + number("FAIL_COUNT");
	process = getpid();
	if (what)
		kind = strcmp(what, "memory") == 0 ? MEMORY : WRITE;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_REPORT");
	FILE *file = path && getpid() == process ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%lu\n", calls);
	fclose(file);
}

static bool fails(int what, int error)
{
	unsigned long call;

	if (kind != what || getpid() != process)
		return false;
	call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (call < first || call >= last)
		return false;
	errno = error;
	return true;
}

void *malloc(size_t size)
{
	return fails(MEMORY, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(MEMORY, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *at, size_t size)
{
	return fails(MEMORY, ENOMEM) ? NULL : __libc_realloc(at, size);
}

void *reallocarray(void *at, size_t count, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(count, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(at, all);
}

static bool is_file(int fd)
{
	struct stat status;

	return kind == WRITE && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	return is_file(fd) && fails(WRITE, EIO) ? -1 : syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
	return is_file(fd) && fails(WRITE, EIO) ? -1 : syscall(SYS_pwrite64, fd, bytes, size, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	return pwrite64(fd, bytes, size, at);
}

int ftruncate64(int fd, off64_t size)
{
	return is_file(fd) && fails(WRITE, EIO) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}

int fsync(int fd)
{
	return is_file(fd) && fails(WRITE, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return is_file(fd) && fails(WRITE, EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}
