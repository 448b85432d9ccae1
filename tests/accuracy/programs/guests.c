/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guests WHAT MILLISECONDS [LIBRARY...]: runs code that enters a process in unusual ways.
 *
 *	family		a child of fork, a child of vfork, and a thread, each under its own name
 *	turns		opens the libraries in turn, and closes each before it opens the next
 *	memory		loads libraries from files in memory
 *	moved		moves the code of a library to another address
 *	lost		a library that is first called by code that cannot be unwound, and then all
 *			libraries
 *
 * A library NAME.so has the function call_NAME(). Prints the address at which each one was called.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "named.h"

#define ROUNDS 8
#define MOVES 2
#define GUESTS_MAX 4

NAMED(child)
NAMED(vchild)
NAMED(thread)
NAMED(parent)

static uint64_t time_ms;

static void *in_thread(void *unused)
{
	run_as("thread", call_thread, time_ms);
	return unused;
}

static int family(void)
{
	pthread_t thread;
	pid_t pid = fork();

	if (pid == 0) {
		run_as("child", call_child, time_ms);
		_exit(0);
	}
	run_as("parent", call_parent, time_ms);
	(void)waitpid(pid, NULL, 0);
	pid = vfork();
	if (pid == 0) {
		run_as("vchild", call_vchild, time_ms);
		_exit(0);
	}
	(void)waitpid(pid, NULL, 0);
	(void)pthread_create(&thread, NULL, in_thread, NULL);
	(void)pthread_join(thread, NULL);
	return 0;
}

/* "dir/alpha.so" is "alpha". */
static void name_of(const char *path, char *ret_name, size_t size)
{
	const char *slash = strrchr(path, '/');

	(void)snprintf(ret_name, size, "%s", slash ? slash + 1 : path);
	*strchrnul(ret_name, '.') = '\0';
}

static call_fn *open_library(const char *path, const char *name, void **ret_library)
{
	char symbol[64];

	(void)snprintf(symbol, sizeof(symbol), "call_%s", name);
	*ret_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!*ret_library) {
		(void)fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return (call_fn *)dlsym(*ret_library, symbol);
}

static void visit(const char *path, const char *name, uint64_t ms)
{
	void *library;
	call_fn *call = open_library(path, name, &library);

	printf("%s %p\n", name, (void *)call);
	run_as(name, call, ms);
	(void)dlclose(library);
}

static int turns(char **paths)
{
	char name[32];

	for (int round = 0; round < ROUNDS; round++)
		for (char **path = paths; *path; path++) {
			name_of(*path, name, sizeof(name));
			visit(*path, name, time_ms / ROUNDS);
		}
	return 0;
}

static int copy_to_memory(const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("guest", 0);
	char bytes[65536];
	ssize_t size;

	while ((size = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)size) != size)
			exit(1);
	(void)close(from);
	return to;
}

static int memory(char **paths)
{
	char name[32], place[64];

	for (char **path = paths; *path; path++) {
		int fd = copy_to_memory(*path);

		name_of(*path, name, sizeof(name));
		(void)snprintf(place, sizeof(place), "/proc/self/fd/%d", fd);
		visit(place, name, time_ms);
		(void)close(fd);
	}
	return 0;
}

/* Finds the mapping that contains @addr; the last argument returns its size. */
static void find_code(uintptr_t addr, uintptr_t *ret_start, size_t *ret_bytes)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && addr >= start && addr < end) {
			*ret_start = start;
			*ret_bytes = end - start;
		}
	(void)fclose(maps);
}

static int moved(char **paths)
{
	char name[32];
	void *library, *place;
	uintptr_t start = 0;
	size_t size = 0;
	call_fn *call;

	name_of(paths[0], name, sizeof(name));
	call = open_library(paths[0], name, &library);
	find_code((uintptr_t)call, &start, &size);
	run_as("parent", call_parent, time_ms);
	for (int move = 0; move < MOVES; move++) {
		uintptr_t offset = (uintptr_t)call - start;

		place = mmap(NULL, size + (1u << 20), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
		place = mremap((void *)start, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place);
		if (place == MAP_FAILED)
			return 1;
		start = (uintptr_t)place;
		call = (call_fn *)(start + offset);
		run_as(name, call, time_ms);
	}
	/* the library's exit handlers would run at addresses that no longer have its code */
	_exit(0);
}

/*
 * push %rbp; mov %rdx, %rbp; call *%rsi; pop %rbp; ret: there is no frame pointer and no unwind
 * table.
 */
static const uint8_t lost_code[] = { 0x55, 0x48, 0x89, 0xd5, 0xff, 0xd6, 0x5d, 0xc3 };

static call_fn *lost_callee;
static uint64_t (*lost_caller)(uint64_t steps, call_fn *call, const void *frame);

/* The memory that looks like a frame has a return address where nothing is mapped. */
static uint64_t call_lost(uint64_t steps)
{
	const volatile uint64_t frame[2] = { 0, 0xdead0000 };

	return lost_caller(steps, lost_callee, (const void *)frame) ^ 1;
}

static int lost(char **paths)
{
	call_fn *calls[GUESTS_MAX];
	char names[GUESTS_MAX][32];
	void *library, *code;
	int count = 0;

	for (; count < GUESTS_MAX && paths[count]; count++) {
		name_of(paths[count], names[count], sizeof(names[count]));
		calls[count] = open_library(paths[count], names[count], &library);
	}
	lost_callee = calls[0];
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (code == MAP_FAILED)
		return 1;
	memcpy(code, lost_code, sizeof(lost_code));
	memcpy(&lost_caller, &code, sizeof(code));
	run_as("parent", call_parent, time_ms);
	run_as("lost", call_lost, time_ms);
	for (int i = 0; i < count; i++)
		run_as(names[i], calls[i], time_ms);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	time_ms = strtoul(argv[2], NULL, 10);
	if (strcmp(argv[1], "family") == 0)
		return family();
	if (strcmp(argv[1], "turns") == 0)
		return turns(argv + 3);
	if (strcmp(argv[1], "memory") == 0)
		return memory(argv + 3);
	if (strcmp(argv[1], "lost") == 0)
		return lost(argv + 3);
	return moved(argv + 3);
}
