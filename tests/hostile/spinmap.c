/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spinmap MILLISECONDS FILE OFFSET [unlink | replace OTHER]
 *
 * Maps all of FILE executable ("-": anonymous memory). After a line on stdin it spins at OFFSET in
 * the mapping until it has used that much CPU time. Before that, FILE can be removed, or OTHER
 * renamed over it. The file must already have the spinning instruction at OFFSET.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__x86_64__)
static const unsigned char spin[] = { 0xeb, 0xfe };
#elif defined(__aarch64__)
static const unsigned char spin[] = { 0x00, 0x00, 0x00, 0x14 };
#endif

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static char *map_file(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &status) < 0)
		return MAP_FAILED;
	return mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
}

static char *map_anonymous(unsigned long offset)
{
	char *code = mmap(NULL, offset + sizeof(spin), PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code != MAP_FAILED)
		memcpy(code + offset, spin, sizeof(spin));
	return code;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;

	const char *path = argv[2], *then = argc > 4 ? argv[4] : "";
	long run_ms = strtol(argv[1], NULL, 10);
	unsigned long offset = strtoul(argv[3], NULL, 0);
	char *code = strcmp(path, "-") == 0 ? map_anonymous(offset) : map_file(path);
	struct itimerval limit = { .it_value = { run_ms / 1000, run_ms % 1000 * 1000 } };

	if (code == MAP_FAILED)
		return fail("spinmap: mmap");
	if (strcmp(then, "unlink") == 0 && unlink(path) < 0)
		return fail("spinmap: unlink");
	if (strcmp(then, "replace") == 0 && (argc < 6 || rename(argv[5], path) < 0))
		return fail("spinmap: rename");
	getchar();
	setitimer(ITIMER_PROF, &limit, NULL); /* SIGPROF ends the process */
	((void (*)(void))(code + offset))();
	return 1;
}
