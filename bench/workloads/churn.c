/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * churn SECONDS DIRECTORY: makes much that is soon over. Each of two workers starts one child after
 * another. A child loads a copy of churn_plugin.so (beside this program) that nobody loaded before,
 * from DIRECTORY, and runs it; then it generates code, names it in DIRECTORY/perf-PID.map and runs
 * it, too. Prints the number of children and the children per second.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

#define WORKERS 2
#define BURN_US 200

extern char **environ;

static void die(const char *what)
{
	fprintf(stderr, "churn: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct stat stat;

	if (in < 0 || out < 0 || fstat(in, &stat) < 0 ||
	    sendfile(out, in, NULL, (size_t)stat.st_size) != stat.st_size)
		die(from);
	close(in);
	close(out);
}

static void run_plugin(const char *directory, const char *plugin, unsigned long steps)
{
	void (*run)(unsigned long);
	char copy[PATH_MAX];
	void *handle;

	snprintf(copy, sizeof(copy), "%s/plugin-%d.so", directory, getpid());
	unlink(copy);	/* of a process of this number that was killed */
	copy_file(plugin, copy);
	handle = dlopen(copy, RTLD_NOW);
	unlink(copy);
	if (!handle)
		die(dlerror());
	*(void **)&run = dlsym(handle, "churn_plugin");
	run(steps);
	dlclose(handle);
}

/* A loop of RDI steps: "1: dec %rdi; jnz 1b; ret". */
static const unsigned char loop_code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };

static void run_generated(const char *directory, unsigned long steps)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[PATH_MAX];
	void (*run)(unsigned long);
	FILE *map;

	if (code == MAP_FAILED)
		die("memory");
	memcpy(code, loop_code, sizeof(loop_code));
	snprintf(path, sizeof(path), "%s/perf-%d.map", directory, getpid());
	map = fopen(path, "we");
	if (!map)
		die(path);
	fprintf(map, "%lx %zx generated_loop\n", (unsigned long)code, sizeof(loop_code));
	fclose(map);
	*(void **)&run = code;
	run(steps);
	unlink(path);
}

static void work(char **child, uint64_t end_ns, unsigned long *ret_count)
{
	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		pid_t pid;
		int status, r = posix_spawn(&pid, child[0], NULL, NULL, child, environ);

		if (r != 0 || waitpid(pid, &status, 0) != pid || status != 0)
			die("child");
		++*ret_count;
	}
	_exit(0);
}

static int be_child(char **argv)
{
	unsigned long steps = strtoul(argv[3], NULL, 10);

	run_plugin(argv[1], argv[2], steps);
	run_generated(argv[1], steps);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long *counts = mmap(NULL, WORKERS * sizeof(*counts), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char self[PATH_MAX], plugin[PATH_MAX + 32], steps[32], *folder;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argc == 4)
		return be_child(argv);
	if (argc != 3 || length < 0 || counts == MAP_FAILED) {
		fprintf(stderr, "usage: churn SECONDS DIRECTORY\n");
		return 2;
	}
	self[length] = '\0';
	folder = strdup(self);
	snprintf(plugin, sizeof(plugin), "%s/churn_plugin.so", dirname(folder));
	snprintf(steps, sizeof(steps), "%lu", (unsigned long)burn_steps_per_us() * BURN_US);

	char *child[] = { self, argv[2], plugin, steps, NULL };
	double seconds = strtod(argv[1], NULL);
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
	unsigned long total = 0;
	int status, failed = 0;

	for (int i = 0; i < WORKERS; i++)
		if (fork() == 0)
			work(child, end_ns, &counts[i]);
	while (wait(&status) > 0)
		failed |= status;
	for (int i = 0; i < WORKERS; i++)
		total += counts[i];
	printf("%lu %.0f\n", total, (double)total / seconds);
	return failed != 0;
}
