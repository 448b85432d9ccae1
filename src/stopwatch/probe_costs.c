/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/probe_costs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/proc_read.h"
#include "stopwatch/stopwatch-private.h"

#define BATCHES 9
#define CALLS 50	/* of a batch */

/* Functions that do nothing, named after their first instruction. */
#if defined(__x86_64__)
#define MACHINE EM_X86_64
__asm__(".pushsection .text\n"
	"assay_empty_nop5: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\tret\n"
	".balign 16\n"
	"assay_empty_push: push %rbp\n\tpop %rbp\n\tret\n"
	".balign 16\n"
	"assay_empty_xor: xor %eax, %eax\n\tret\n"
	".balign 16\n"
	".popsection\n");
#else
#define MACHINE EM_AARCH64
__asm__(".pushsection .text\n"
	"assay_empty_nop5: nop\n\tret\n"
	"assay_empty_push: nop\n\tret\n"
	"assay_empty_xor: nop\n\tret\n"
	".popsection\n");
#endif

void assay_empty_nop5(void);
void assay_empty_push(void);
void assay_empty_xor(void);

static const struct {
	void (*call)(void);
	uint32_t exit;		/* where it returns, in bytes from its beginning */
} empty[] = {
#if defined(__x86_64__)
	[PROBE_NOP5] = { assay_empty_nop5, 5 },
	[PROBE_EMULATED] = { assay_empty_push, 2 },
	[PROBE_STEPPED] = { assay_empty_xor, 2 },
	[PROBE_UNKNOWN] = { assay_empty_push, 2 },
#else
	[PROBE_NOP5] = { assay_empty_nop5, 4 },
	[PROBE_EMULATED] = { assay_empty_push, 4 },
	[PROBE_STEPPED] = { assay_empty_xor, 4 },
	[PROBE_UNKNOWN] = { assay_empty_push, 4 },
#endif
};

/* A function of this program, and where in its file it is. */
struct place {
	uintptr_t addr;
	uint64_t offset;
};

static int see_mapping(void *context, const struct record_mmap *mapping)
{
	struct place *place = context;

	if (place->addr - mapping->start_addr >= mapping->size_bytes)
		return 0;
	place->offset = place->addr - mapping->start_addr + mapping->offset;
	return -EEXIST;		/* found: do not look further */
}

/* Finds where in our own file a function is. */
static bool own_offset(uintptr_t addr, uint64_t *ret_offset)
{
	struct place place = { .addr = addr };

	if (proc_read_maps((uint32_t)getpid(), see_mapping, &place) != -EEXIST)
		return false;
	*ret_offset = place.offset;
	return true;
}

static int add_own_functions(struct stopwatch *stopwatch)
{
	struct watched_image *image = vec_push(&stopwatch->images);

	if (!image)
		return -ENOMEM;
	*image = (struct watched_image){ .fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC) };
	image->path = strdup("assay");
	image->functions.machine = MACHINE;
	if (image->fd < 0 || !image->path)
		return image->fd < 0 ? -errno : -ENOMEM;
	for (size_t i = 0; i < PROBE_COSTS; i++) {
		struct found_function *function = vec_push(&image->functions.list);
		uint64_t *exit = vec_push(&image->functions.exits);
		uintptr_t addr = (uintptr_t)empty[i].call;

		if (!function || !exit)
			return -ENOMEM;
		if (!own_offset(addr, &function->offset))
			return -ENOENT;
		function->name = "";
		function->is_decoded = true;
		function->first_exit = (uint32_t)i;
		function->exit_count = 1;
		*exit = function->offset + empty[i].exit;
		memcpy(function->code, (const void *)addr, sizeof(function->code));
	}
	stopwatch->function_count = PROBE_COSTS;
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Returns the median, so that an interrupt does not count. */
static uint64_t median(uint64_t values[static BATCHES])
{
	qsort(values, BATCHES, sizeof(*values), compare);
	return values[BATCHES / 2];
}

static void measure(struct stopwatch *stopwatch, struct probe_costs *costs)
{
	for (size_t i = 0; i < PROBE_COSTS; i++) {
		uint64_t inside_ns[BATCHES], call_ns[BATCHES];
		struct span_times before, after;

		for (size_t k = 0; k < BATCHES; k++) {
			uint64_t begin_ns;

			stopwatch_read(stopwatch, i, &before);
			begin_ns = clock_monotonic_ns();
			for (int n = 0; n < CALLS; n++)
				empty[i].call();
			call_ns[k] = (clock_monotonic_ns() - begin_ns) / CALLS;
			stopwatch_read(stopwatch, i, &after);
			inside_ns[k] = (uint64_t)(after.total_ns - before.total_ns) / CALLS;
		}
		costs->inside_ns[i] = median(inside_ns);
		costs->call_ns[i] = median(call_ns);
	}
}

int probe_costs_measure(bool return_probes, struct probe_costs *ret_costs, struct err *err)
{
	uint32_t own_tgid = (uint32_t)getpid();
	struct stopwatch *stopwatch = calloc(1, sizeof(*stopwatch));
	struct probe_costs costs = { 0 };
	int rc;

	if (!stopwatch)
		return err_sys(err, -ENOMEM, "cannot measure the cost of probes");
	stopwatch->options.return_probes = return_probes;
	stopwatch->options.tgids = &own_tgid;
	stopwatch->options.tgid_count = 1;
	rc = add_own_functions(stopwatch);
	if (rc < 0)
		rc = err_sys(err, rc, "cannot measure the cost of probes");
	if (rc == 0)
		rc = stopwatch_load(stopwatch, err);
	if (rc == 0) {
		stopwatch_enable(stopwatch);
		measure(stopwatch, &costs);
		*ret_costs = costs;
	}
	stopwatch_free(stopwatch);
	return rc;
}
