/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run-time compiler whose every step is known.
 *
 *	jitcode map|dump MS PHASE_MS [move]	the dump goes to the working directory
 *
 * Three places hold code: two loops, of which the first gets half of the time, and a function that
 * calls one of this program's own functions. They take turns at random, because a fixed order would
 * be in step with the samples at some speed of the CPU. At the end of each phase one of the places
 * is given to another function; with "move", the loops move to a spare place and back instead. Each
 * line of the perf map, or record of the jitdump, is written before its code runs.
 *
 * Prints the truth:
 *	code TIME_NS ADDR SIZE NAME	from then on; "-": nothing is there
 *	spent NAME NS			CPU time in the function and its callees
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PLACE_BYTES 4096
#define PLACES 5		/* two loops, a caller, and two spare places */
#define NAMES 7
#define SLICE_ROUNDS 40000
#define FIRST_LINE 10

#if defined(__aarch64__)
#define MACHINE 183
static const uint32_t loop_code[] = { 0xa9bf7bfd, 0x910003fd, 0xf1000400,
				      0x54ffffe1, 0xa8c17bfd, 0xd65f03c0 };
static const uint32_t call_code[] = { 0xa9bf7bfd, 0x910003fd, 0xaa0003e9, 0xaa0103e0,
				      0xd63f0120, 0xa8c17bfd, 0xd65f03c0 };
#define LOOP_AT 8
#else
#define MACHINE 62
/* push rbp; mov rbp,rsp; mov rcx,rdi; 1: dec rcx; jnz 1b; pop rbp; ret */
static const uint8_t loop_code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf9,
				     0x48, 0xff, 0xc9, 0x75, 0xfb, 0x5d, 0xc3 };
/* push rbp; mov rbp,rsp; mov rax,rdi; mov rdi,rsi; call rax; pop rbp; ret */
static const uint8_t call_code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8,
				     0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3 };
#define LOOP_AT 7
#endif

static uint8_t *memory;
static int file_fd, is_dump;
static uint64_t spent_ns[2][NAMES];	/* [0] of loops, [1] of callers */
/* number of the name of each place's code, from 1; 0 if none */
static int holds[PLACES];

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void put(const void *bytes, size_t size)
{
	if (write(file_fd, bytes, size) != (ssize_t)size)
		exit(1);
}

/* ---- the perf map or jitdump ---- */

struct record {
	uint32_t id, size;
	uint64_t time_ns;
};

static void name_of(int place, int number, char *name)
{
	sprintf(name, place == 2 ? "caller_%c" : "loop_%c", 'a' + number - 1);
}

static void put_header(void)
{
	struct {
		uint32_t magic, version, size, machine, padding, pid;
		uint64_t time, flags;
	} header = { 0x4a695444, 1, 40, MACHINE, 0, (uint32_t)getpid(), 0, 0 };

	put(&header, sizeof(header));
}

static void put_lines(uint64_t addr, const char *name, uint64_t time_ns)
{
	char bytes[256], *at = bytes + 32;
	struct record record = { .id = 2, .time_ns = time_ns };
	uint64_t count = 2;

	for (uint32_t i = 0; i < 2; i++) {
		uint64_t entry_addr = addr + i * LOOP_AT;
		uint32_t line = FIRST_LINE + i, discriminator = 0;

		memcpy(at, &entry_addr, 8);
		memcpy(at + 8, &line, 4);
		memcpy(at + 12, &discriminator, 4);
		at += 16;
		at += i ? sprintf(at, "\xff") + 1 : sprintf(at, "/src/%s.src", name) + 1;
	}
	record.size = (uint32_t)(at - bytes);
	memcpy(bytes, &record, sizeof(record));
	memcpy(bytes + 16, &addr, 8);
	memcpy(bytes + 24, &count, 8);
	put(bytes, record.size);
}

static void put_load(uint64_t addr, const char *name, uint64_t time_ns, size_t code_bytes)
{
	static uint64_t index;
	struct {
		struct record record;
		uint32_t pid, tid;
		uint64_t vma, addr, size, index;
	} load = { { 0, 0, time_ns },
		   (uint32_t)getpid(),
		   (uint32_t)getpid(),
		   addr,
		   addr,
		   code_bytes,
		   index++ };
	char bytes[256];

	load.record.size = (uint32_t)(sizeof(load) + strlen(name) + 1 + code_bytes);
	memcpy(bytes, &load, sizeof(load));
	strcpy(bytes + sizeof(load), name);
	memcpy(bytes + load.record.size - code_bytes, (void *)addr, code_bytes);
	put(bytes, load.record.size);
}

static void put_move(uint64_t from, uint64_t to, uint64_t time_ns, size_t code_bytes)
{
	struct {
		struct record record;
		uint32_t pid, tid;
		uint64_t vma, from, to, size, index;
	} move = { { 1, sizeof(move), time_ns },
		   (uint32_t)getpid(),
		   (uint32_t)getpid(),
		   to,
		   from,
		   to,
		   code_bytes,
		   0 };

	put(&move, sizeof(move));
}

static void put_line(uint64_t addr, const char *name, size_t code_bytes)
{
	char line[128];

	put(line, (size_t)sprintf(line, "%lx %zx %s\n", (unsigned long)addr, code_bytes, name));
}

static void tell(uint64_t addr, const char *name, size_t code_bytes)
{
	printf("code %lu %lx %zu %s\n", (unsigned long)now_ns(CLOCK_MONOTONIC), (unsigned long)addr,
	       code_bytes, name);
}

/* ---- code ---- */

static size_t code_bytes_of(int place)
{
	return place == 2 ? sizeof(call_code) : sizeof(loop_code);
}

static uint8_t *place_at(int place)
{
	return memory + place * PLACE_BYTES;
}

static void copy_code(int from, int to)
{
	uint8_t *at = place_at(to);
	size_t size = code_bytes_of(from);

	memcpy(at, from == 2 ? (const void *)call_code : (const void *)loop_code, size);
	__builtin___clear_cache((char *)at, (char *)at + size);
}

static void load(int place, int number)
{
	uint64_t addr = (uint64_t)place_at(place), time_ns = now_ns(CLOCK_MONOTONIC);
	size_t size = code_bytes_of(place);
	char name[32];

	name_of(place, number, name);
	copy_code(place, place);
	if (is_dump) {
		put_lines(addr, name, time_ns);
		put_load(addr, name, time_ns, size);
	} else {
		put_line(addr, name, size);
	}
	tell(addr, name, size);
	holds[place] = number;
}

static void move(int from, int to)
{
	size_t size = code_bytes_of(from);
	uint64_t time_ns = now_ns(CLOCK_MONOTONIC);
	char name[32];

	name_of(from, holds[from], name);
	copy_code(from, to);
	memset(place_at(from), 0, size);
	if (is_dump)
		put_move((uint64_t)place_at(from), (uint64_t)place_at(to), time_ns, size);
	else
		put_line((uint64_t)place_at(to), name, size);
	tell((uint64_t)place_at(from), "-", size);
	tell((uint64_t)place_at(to), name, size);
	holds[to] = holds[from];
}

/* ---- work ---- */

/*
 * Taking the frame's address forces a frame pointer, so the function can be unwound by frame
 * pointers. The loop is that of the generated code: some CPUs run simpler ones at twice the speed,
 * but not for a while after each sample, which no sample can show.
 */
static __attribute__((noinline)) void called(uint64_t rounds)
{
	void *volatile frame = __builtin_frame_address(0);

	(void)frame;
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds)::"cc");
#else
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds)::"cc");
#endif
}

static void run(int place, int number, uint64_t rounds)
{
	uint64_t before_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);

	((void (*)(uint64_t))place_at(place))(rounds);
	spent_ns[0][number - 1] += now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
}

static void run_caller(uint64_t rounds)
{
	uint64_t before_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);

	((void (*)(void (*)(uint64_t), uint64_t))place_at(2))(called, rounds);
	spent_ns[1][holds[2] - 1] += now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
}

static void open_file(const char *kind)
{
	char path[64];

	is_dump = strcmp(kind, "dump") == 0;
	sprintf(path, is_dump ? "jit-%d.dump" : "/tmp/perf-%d.map", getpid());
	file_fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
	if (file_fd < 0)
		exit(1);
	if (!is_dump)
		return;
	put_header();
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file_fd, 0) == MAP_FAILED)
		exit(1);
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t phase_ms = argc > 3 ? strtoul(argv[3], NULL, 10) : 1, end_ns, phase_ns;
	int moves = argc > 4, place[2] = { 0, 1 }, next = 0;
	char name[32];

	if (argc < 4)
		return 2;
	open_file(argv[1]);
	memory = mmap(NULL, PLACES * PLACE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	for (int i = 0; i < 3; i++)
		load(i, 1 + next++ % NAMES);
	end_ns = now_ns(CLOCK_MONOTONIC) + ms * 1000000;
	for (int phase = 0; now_ns(CLOCK_MONOTONIC) < end_ns; phase++) {
		phase_ns = now_ns(CLOCK_MONOTONIC) + phase_ms * 1000000;
		while (now_ns(CLOCK_MONOTONIC) < phase_ns) {
			int turn = rand() % 6;

			if (turn < 5)
				run(place[turn / 3], holds[place[turn / 3]], SLICE_ROUNDS);
			else
				run_caller(SLICE_ROUNDS);
		}
		if (moves && phase % 3 < 2) {
			int i = phase % 3, to = place[i] < 2 ? 3 + i : i;

			move(place[i], to);
			place[i] = to;
		} else {
			int which = phase % 3;

			load(which < 2 ? place[which] : 2, 1 + next++ % NAMES);
		}
	}
	for (int i = 0; i < 2 * NAMES; i++) {
		name_of(i < NAMES ? 0 : 2, 1 + i % NAMES, name);
		printf("spent %s %lu\n", name, (unsigned long)spent_ns[i / NAMES][i % NAMES]);
	}
	return 0;
}
