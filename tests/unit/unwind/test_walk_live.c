/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over this program's own stacks, compared with _Unwind_Backtrace() at the same place. The
 * walks are made at calls, and at every instruction of some functions, while the processor
 * single-steps. Single-stepping includes the functions' prologues, epilogues and stubs, and what
 * they call in the C library.
 */
#include "support/test.h"

#include <alloca.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unwind.h>

#include "elf/own_vdso.h"
#include "support/kept_frame.h"
#include "unwind/walk.h"

#define FRAMES_MAX 512
#define IMAGES_MAX 64
#define COPY_WORDS (1 << 17)
#define STEPS_MAX 50000
#define NOINLINE __attribute__((noinline))

struct image {
	uint64_t start, end, bias;	/* range and bias of the code */
	struct unwind_table table;
};

struct trace {
	uint64_t frames[FRAMES_MAX];
	size_t count;
};

/*
 * The state is global, because signal handlers and recursive functions use it. This one program is
 * under test.
 */
static struct {
	struct image images[IMAGES_MAX];
	size_t image_count;
	/* range that is copied; if stack_low is 0, the copy begins at sp */
	uint64_t stack_top, stack_low;
	unsigned int checks, steps, unsupported;
	volatile bool is_stepping, stop_stepping;
	/* the first traces that differed, or the last ones */
	struct trace ours, theirs;
	enum unwind_stop stop;
	bool differed;
	uint64_t copy[COPY_WORDS];
} test;

static volatile int sink;

/* ---- images of this process ---- */

static int add_image(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
	struct image *image = &test.images[test.image_count];
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct image_file file;
	int rc;

	assert_true(test.image_count < IMAGES_MAX);
	image->bias = info->dlpi_addr;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];

		if (phdr->p_type == PT_LOAD && (phdr->p_flags & PF_X)) {
			image->start = image->bias + phdr->p_vaddr;
			image->end = image->start + phdr->p_memsz;
		}
	}
	if (image->bias == vdso) {
		size_t size_bytes = 0;
		const void *bytes = own_vdso(&size_bytes);

		rc = unwind_table_build_bytes(bytes, size_bytes, "vdso", &image->table, NULL);
	} else {
		assert_int_equal(image_file_open(AT_FDCWD, path, &file, NULL), 0);
		rc = unwind_table_build(&file, &image->table, NULL);
		image_file_fini(&file);
	}
	assert_int_equal(rc, 0);
	test.image_count++;
	return 0;
}

static bool image_at(void *context, uint64_t addr, struct unwind_image *ret_image)
{
	for (size_t i = 0; i < test.image_count; i++) {
		const struct image *image = &test.images[i];

		if (addr >= image->start && addr < image->end) {
			*ret_image = (struct unwind_image){ &image->table, image->bias };
			return true;
		}
	}
	return false;
}

/* ---- the two unwinders ---- */

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *argument)
{
	struct trace *trace = argument;
	int interrupted = 0;
	uint64_t addr = _Unwind_GetIPInfo(context, &interrupted);

	if (trace->count == FRAMES_MAX || addr == 0)
		return _URC_END_OF_STACK;
	trace->frames[trace->count++] = addr + (interrupted != 0);
	return _URC_NO_REASON;
}

/*
 * Copies words in a loop of its own, because no instrumented function may read the memory between
 * variables.
 */
__attribute__((no_sanitize_address)) static void copy_words(uint64_t *to, const uint64_t *from,
							    size_t count)
{
	while (count--)
		*(volatile uint64_t *)to++ = *from++;
}

static void walk_from(struct unwind_regs regs)
{
	uint64_t from = test.stack_low ? test.stack_low : regs.sp;
	size_t words = (test.stack_top - from) / 8;
	struct unwind_walk walk = {
		.memory = { (uint8_t *)test.copy, from, words * 8 },
		.image = image_at,
		.frames = test.ours.frames,
		.frames_max = FRAMES_MAX,
	};

	if (words > COPY_WORDS)
		abort();
	copy_words(test.copy, (const uint64_t *)from, words);
	test.stop = unwind_walk(&walk, regs, &test.ours.count);
}

/*
 * Checks that all frames are equal, from assay's second frame and frame @skip of
 * _Unwind_Backtrace() on, or that assay's walk ends where it reports an end.
 */
static void compare(size_t skip)
{
	size_t ours = test.ours.count - 1, theirs = test.theirs.count - skip;
	bool cut = test.stop == UNWIND_STOP_UNSUPPORTED || test.stop == UNWIND_STOP_NO_EXTRA;

	test.checks++;
	test.unsupported += cut;
	test.differed = (!cut && test.stop != UNWIND_STOP_END) ||
			(cut ? ours > theirs : ours != theirs) ||
			memcmp(test.ours.frames + 1, test.theirs.frames + skip,
			       ours * sizeof(uint64_t)) != 0;
}

static void show_difference(void)
{
	print_message("check %u, step %u, stop %d\n", test.checks, test.steps, test.stop);
	for (size_t i = 0; i < test.ours.count; i++)
		print_message("ours   %zu %lx\n", i, test.ours.frames[i]);
	for (size_t i = 0; i < test.theirs.count; i++)
		print_message("theirs %zu %lx\n", i, test.theirs.frames[i]);
}

/* ---- walks at calls ---- */

/* The two walks begin at different instructions of this function, and agree from its caller on. */
static NOINLINE void check_here(void)
{
	struct unwind_regs regs = { .exact = 1, .has_extra = 1 };

	if (test.differed || test.is_stepping)
		return;
	__asm__ volatile("mov %%rsp, %1\n\tmov %%rbp, %2\n\tmov %%r10, %3\n\tmov %%rbx, %4\n\t"
			 "lea 0(%%rip), %0"
			 : "=a"(regs.ip), "=m"(regs.sp), "=m"(regs.fp), "=m"(regs.extra),
			   "=m"(regs.kept));
	walk_from(regs);
	test.theirs.count = 0;
	(void)_Unwind_Backtrace(add_frame, &test.theirs);
	compare(1);
	sink++;
}

static NOINLINE int recurse(int depth)
{
	if (depth == 0)
		check_here();
	else
		return recurse(depth - 1) + sink;
	return sink;
}

static NOINLINE int with_alloca(size_t size_bytes)
{
	volatile char *bytes = alloca(size_bytes);

	bytes[0] = 1;
	bytes[size_bytes - 1] = 2;
	sink += bytes[0];
	recurse(3);
	return bytes[size_bytes - 1];
}

/*
 * Arguments on the stack are relative to the CFA. So the compiler keeps the CFA where rbp leads to
 * (DRAP).
 */
static NOINLINE int realigned(int a, int b, int c, int d, int e, int f, int g, size_t size_bytes)
{
	volatile char aligned[64] __attribute__((aligned(64)));
	volatile char *bytes = alloca(size_bytes);

	memset((char *)aligned, a, sizeof(aligned));
	bytes[0] = aligned[sink & 63];
	recurse(2);
	return aligned[g & 63] + bytes[0] + b + c + d + e + f;
}

static int compare_ints(const void *left, const void *right)
{
	const int *a = left, *b = right;

	if (*a == 5 && *b != 5)
		check_here();
	return *a < *b ? -1 : *a > *b;
}

static NOINLINE void call_back(void)
{
	int numbers[] = { 9, 3, 5, 1, 8, 2, 7, 4, 6 };

	qsort(numbers, sizeof(numbers) / sizeof(*numbers), sizeof(*numbers), compare_ints);
	sink += numbers[3];
}

static void recurse_twice(void *unused)
{
	recurse(2);
	sink++;
}

static void hide_and_recurse(void *unused)
{
	kept_frame_hide(recurse_twice, unused);
	sink++;
}

static void call_back_from_libc(void *unused)
{
	call_back();
	sink++;
}

static void in_handler(int number)
{
	recurse(4);
}

/* The other stack is part of this one, so that one copy contains both. */
static NOINLINE void raise_on_another_stack(void)
{
	struct sigaction action = { .sa_handler = in_handler, .sa_flags = SA_ONSTACK };
	size_t size_bytes = 256 << 10;
	stack_t other = { .ss_size = size_bytes, .ss_sp = alloca(size_bytes) }, old;

	test.stack_low = (uint64_t)other.ss_sp - 4096;	/* includes the frame of raise() */
	assert_int_equal(sigaltstack(&other, &old), 0);
	assert_int_equal(sigaction(SIGUSR2, &action, NULL), 0);
	assert_int_equal(raise(SIGUSR2), 0);
	assert_int_equal(sigaltstack(&old, NULL), 0);
	test.stack_low = 0;
}

static void assert_same(unsigned int checks)
{
	if (test.differed)
		show_difference();
	assert_false(test.differed);
	assert_true(test.checks >= checks);
	assert_int_equal(test.unsupported, 0);
}

static void at_calls(void **state)
{
	recurse(0);
	recurse(200);
	with_alloca(100);
	with_alloca(5000);
	realigned(1, 2, 3, 4, 5, 6, 7, 100);
	call_back();
	assert_same(6);
}

static void counted_from_the_kept_register(void **state)
{
	kept_frame(recurse_twice, NULL);
	kept_frame(hide_and_recurse, NULL);
	assert_same(2);
}

/*
 * The C library's tables do not say where it saved the register. The walk must not report a wrong
 * frame; it must end.
 */
static void the_kept_register_behind_another_image(void **state)
{
#if defined(__SANITIZE_ADDRESS__)
	skip();		/* the sanitizer's runtime replaces the C library function there */
#endif
	kept_frame(call_back_from_libc, NULL);
	assert_false(test.differed);
	assert_true(test.checks > 0);
	assert_int_equal(test.unsupported, test.checks);
}

static void behind_signals(void **state)
{
	raise_on_another_stack();
	assert_same(1);
}

static void *in_thread(void *argument)
{
	pthread_attr_t attr;
	void *addr;
	size_t size_bytes;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
	assert_int_equal(pthread_attr_getstack(&attr, &addr, &size_bytes), 0);
	assert_int_equal(pthread_attr_destroy(&attr), 0);
	test.stack_top = (uint64_t)addr + size_bytes;
	recurse(5);
	sink++;
	return NULL;
}

static void of_threads(void **state)
{
	uint64_t stack_top = test.stack_top;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	test.stack_top = stack_top;
	assert_same(1);
}

/* ---- walks at every instruction ---- */

#define TRAP_FLAG 0x100

static void start_stepping(int number, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void at_step(int number, siginfo_t *info, void *context)
{
	greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct unwind_regs regs = {
		.ip = (uint64_t)gregs[REG_RIP],
		.sp = (uint64_t)gregs[REG_RSP],
		.fp = (uint64_t)gregs[REG_RBP],
		.extra = (uint64_t)gregs[REG_R10],
		.link = (uint64_t)gregs[REG_RDI],
		.kept = (uint64_t)gregs[REG_RBX],
		.has_extra = 1,
		.exact = 1,
	};
	size_t i = 0;

	if (test.differed || test.stop_stepping || ++test.steps == STEPS_MAX) {
		gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		return;
	}
	walk_from(regs);
	test.theirs.count = 0;
	(void)_Unwind_Backtrace(add_frame, &test.theirs);
	while (i < test.theirs.count && test.theirs.frames[i] != regs.ip + 1)
		i++;
	compare(i + 1);
}

/*
 * Calls a function for the first time, which is when a lazily bound program looks the function up.
 */
static NOINLINE void bind(void)
{
	sink += (int)a64l("assay");
}

static NOINLINE void work(void)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%d %s %f", sink, "text", (double)sink);
	sink += (int)strlen(text);
	call_back();
	with_alloca(200);
	realigned(1, 2, 3, 4, 5, 6, 7, 50);
	free(malloc((size_t)sink % 2000));
	kept_frame(hide_and_recurse, NULL);
	if (test.is_stepping)
		bind();
}

static void at_every_instruction(void **state)
{
	struct sigaction start = { .sa_sigaction = start_stepping, .sa_flags = SA_SIGINFO };
	struct sigaction step = { .sa_sigaction = at_step, .sa_flags = SA_SIGINFO };

	work();		/* binds most stubs beforehand */
	test.differed = false;
	test.checks = 0;
	assert_int_equal(sigaction(SIGUSR1, &start, NULL), 0);
	assert_int_equal(sigaction(SIGTRAP, &step, NULL), 0);
	test.is_stepping = true;
	assert_int_equal(raise(SIGUSR1), 0);
	work();
	test.stop_stepping = true;
	print_message("%u steps, %u of them with a rule that cannot be said\n", test.steps,
		      test.unsupported);
	if (test.differed)
		show_difference();
	assert_false(test.differed);
	assert_in_range(test.steps, 2000, STEPS_MAX - 1);
	assert_true(test.unsupported <= test.steps / 100);
}

static int reset(void **state)
{
	test.differed = false;
	test.checks = test.steps = test.unsupported = 0;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(at_calls, reset),
		cmocka_unit_test_setup(counted_from_the_kept_register, reset),
		cmocka_unit_test_setup(the_kept_register_behind_another_image, reset),
		cmocka_unit_test_setup(behind_signals, reset),
		cmocka_unit_test_setup(of_threads, reset),
		cmocka_unit_test_setup(at_every_instruction, reset),
	};

	test.stack_top = getauxval(AT_EXECFN) & ~7ul;
	(void)dl_iterate_phdr(add_image, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
