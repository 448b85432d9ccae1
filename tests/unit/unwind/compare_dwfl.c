/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_dwfl STOPS MICROSECONDS COMMAND...: stops the command STOPS times, that many microseconds
 * apart, and walks its stack twice: with assay's tables, from its registers and a copy of 64 KiB of
 * its stack; and with elfutils' libdwfl. Only for programs with one thread, on x86_64.
 *
 * Prints a line for each stop: "same FRAMES", "ours-ends REASON FRAMES OF", "theirs-ends FRAMES OF"
 * (the shorter stack is the beginning of the longer one) or "differ DEPTH OURS THEIRS".
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf/image_file.h"
#include "unwind/unwind_table.h"
#include "unwind/walk.h"

#define STACK_BYTES 65536
#define FRAMES_MAX 2048
#define MAPS_MAX 512
#define IMAGES_MAX 256

struct image {
	char path[256];
	struct image_file file;
	struct unwind_table table;
};

struct code {
	uint64_t start, end, bias;
	struct image *image;		/* NULL if no file could be read */
};

struct stack {
	size_t count;
	bool is_exact;		/* libdwfl's flag for the last frame; also set for a signal frame */
	uint64_t addrs[FRAMES_MAX];
};

static struct image images[IMAGES_MAX];
static size_t image_count;
static struct code maps[MAPS_MAX];
static size_t map_count;

/* ---- mappings ---- */

static struct image *image_of(const char *path)
{
	struct err err = { 0 };
	struct image *image;

	for (size_t i = 0; i < image_count; i++)
		if (strcmp(images[i].path, path) == 0)
			return &images[i];
	if (image_count == IMAGES_MAX)
		return NULL;
	image = &images[image_count];
	if (image_file_open(AT_FDCWD, path, &image->file, &err) < 0)
		return NULL;
	(void)unwind_table_build(&image->file, &image->table, &err);
	(void)snprintf(image->path, sizeof(image->path), "%s", path);
	image_count++;
	return image;
}

static void add_map(const char *line)
{
	struct code *code = &maps[map_count];
	uint64_t offset, vaddr;
	char flags[5], path[256] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %255s", &code->start,
		   &code->end, flags, &offset, path) < 4 ||
	    flags[2] != 'x')
		return;
	code->image = path[0] == '/' ? image_of(path) : NULL;
	if (code->image && image_file_vaddr(&code->image->file, offset, &vaddr))
		code->bias = code->start - vaddr;
	else
		code->image = NULL;
	map_count++;
}

static void read_maps(pid_t pid)
{
	char path[64], line[1024];
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	map_count = 0;
	file = fopen(path, "r");
	while (file && map_count < MAPS_MAX && fgets(line, sizeof(line), file))
		add_map(line);
	if (file)
		(void)fclose(file);
}

static bool find_image(void *context, uint64_t addr, struct unwind_image *ret_image)
{
	for (size_t i = 0; i < map_count; i++) {
		const struct code *code = &maps[i];

		if (addr < code->start || addr >= code->end)
			continue;
		ret_image->table = code->image ? &code->image->table : NULL;
		ret_image->bias = code->bias;
		return true;
	}
	return false;
}

/* ---- the two walks ---- */

static enum unwind_stop walk_ours(pid_t pid, struct stack *ret_stack)
{
	static uint8_t bytes[STACK_BYTES];
	struct user_regs_struct regs;
	struct unwind_walk walk = { .image = find_image,
				    .frames = ret_stack->addrs,
				    .frames_max = FRAMES_MAX };
	struct iovec here = { .iov_base = bytes, .iov_len = STACK_BYTES }, there;
	struct unwind_regs start;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0)
		return UNWIND_STOP_COUNT;
	there = (struct iovec){ .iov_base = (void *)(uintptr_t)regs.rsp, .iov_len = STACK_BYTES };
	ssize_t size = process_vm_readv(pid, &here, 1, &there, 1, 0);

	walk.memory = (struct unwind_memory){ .bytes = bytes,
					      .addr = regs.rsp,
					      .size_bytes = size > 0 ? (size_t)size : 0 };
	start = (struct unwind_regs){ .ip = regs.rip,
				      .sp = regs.rsp,
				      .fp = regs.rbp,
				      .extra = regs.r10,
				      .link = regs.rdi,
				      .has_extra = 1,
				      .exact = 1 };
	return unwind_walk(&walk, start, &ret_stack->count);
}

static int take_frame(Dwfl_Frame *frame, void *context)
{
	struct stack *stack = context;
	bool follows_exact = stack->is_exact;
	Dwarf_Addr addr;

	if (stack->count == FRAMES_MAX || !dwfl_frame_pc(frame, &addr, &stack->is_exact))
		return DWARF_CB_ABORT;
	if (addr && stack->count > 1 && follows_exact && stack->is_exact)
		addr++;		/* as assay's walk does with an interrupted address */
	if (addr)
		stack->addrs[stack->count++] = addr;
	return DWARF_CB_OK;
}

static void walk_theirs(pid_t pid, struct stack *ret_stack)
{
	static char *debug_path;
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &debug_path,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	ret_stack->count = 0;
	if (dwfl && dwfl_linux_proc_report(dwfl, pid) == 0 &&
	    dwfl_report_end(dwfl, NULL, NULL) == 0 && dwfl_linux_proc_attach(dwfl, pid, true) == 0)
		(void)dwfl_getthread_frames(dwfl, pid, take_frame, ret_stack);
	dwfl_end(dwfl);
}

static void compare(pid_t pid)
{
	static const char *const reasons[] = {
		[UNWIND_STOP_END] = "end",
		[UNWIND_STOP_NO_IMAGE] = "no-image",
		[UNWIND_STOP_NO_ROW] = "no-row",
		[UNWIND_STOP_UNSUPPORTED] = "unsupported",
		[UNWIND_STOP_UNREADABLE] = "unreadable",
		[UNWIND_STOP_NO_EXTRA] = "no-extra",
		[UNWIND_STOP_STUCK] = "stuck",
		[UNWIND_STOP_DEEP] = "deep",
		[UNWIND_STOP_PAST] = "past",
		[UNWIND_STOP_COUNT] = "gone",
	};
	static struct stack ours, theirs;
	enum unwind_stop stop;
	size_t depth = 0;

	read_maps(pid);
	stop = walk_ours(pid, &ours);
	walk_theirs(pid, &theirs);
	while (depth < ours.count && depth < theirs.count &&
	       ours.addrs[depth] == theirs.addrs[depth])
		depth++;
	if (depth < ours.count && depth < theirs.count)
		printf("differ %zu %" PRIx64 " %" PRIx64 "\n", depth, ours.addrs[depth],
		       theirs.addrs[depth]);
	else if (ours.count < theirs.count)
		printf("ours-ends %s %zu %zu\n", reasons[stop], ours.count, theirs.count);
	else if (theirs.count < ours.count)
		printf("theirs-ends %zu %zu\n", theirs.count, ours.count);
	else
		printf("same %zu\n", depth);
}

/* ---- stops ---- */

static void rest(long us)
{
	nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

/* Returns false if the process has exited. Other signals for the process are passed on. */
static bool stop_it(pid_t pid)
{
	int status;

	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) < 0)
		return false;
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		(void)ptrace(PTRACE_CONT, pid, NULL, (void *)(uintptr_t)WSTOPSIG(status));
	}
	return false;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: compare_dwfl STOPS MICROSECONDS COMMAND...\n");
		return 2;
	}
	long stops = strtol(argv[1], NULL, 10), us = strtol(argv[2], NULL, 10);
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		for (int fd = 0; fd < 3; fd++)
			(void)dup2(null, fd);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	rest(20000);	/* waits until the exec is done */
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL) < 0) {
		perror("compare_dwfl: ptrace");
		return 77;
	}
	for (long i = 0; i < stops; i++) {
		rest(us + i * 7919 % 997);
		if (!stop_it(pid))
			break;
		compare(pid);
		(void)ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	(void)kill(pid, SIGKILL);
	return 0;
}
