/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#define SLOTS 65536
#define FRAMES_MAX 1200
#define NEAR_BYTES 60000
#define PACE_PROBES 16

struct slot {
	struct probe_header header;
	uint64_t first_cfa, last_cfa;
	uint64_t addrs[FRAMES_MAX];
};

__thread uint64_t probe_site;
static struct slot *slots;
static atomic_ulong slot_count;
static unsigned pace_us;
static char trigger;

void probe_begin(void)
{
	const char *pace = getenv("PACE_US"), *wanted = getenv("TRIGGER");

	trigger = wanted ? *wanted : 'c';
	pace_us = pace ? (unsigned)strtoul(pace, NULL, 10) : 0;
	slots = mmap(NULL, SLOTS * sizeof(*slots), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void measure(struct slot *slot, uint64_t cfa)
{
	struct probe_header *header = &slot->header;

	if (header->count == 1)
		slot->first_cfa = slot->last_cfa = cfa;
	if (header->near_count == header->count - 1 && cfa >= slot->last_cfa &&
	    cfa - slot->first_cfa < NEAR_BYTES)
		header->near_count++;
	slot->last_cfa = cfa;
}

/*
 * Called for each frame. The first call is for probe() itself; its address is that of the system
 * call or fault, and is set by probe().
 */
static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *data)
{
	struct slot *slot = data;
	int interrupted = 0;
	uint64_t addr = _Unwind_GetIPInfo(context, &interrupted);

	if (addr == 0 || slot->header.count == FRAMES_MAX)
		return _URC_NORMAL_STOP;
	if (slot->header.count > 0)
		slot->addrs[slot->header.count] = addr | (uint64_t)interrupted << 63;
	slot->header.count++;
	measure(slot, _Unwind_GetCFA(context));
	return _URC_NO_REASON;
}

/* ---- triggers that a recorder can sample ---- */

/* Sets @ret_addr to the address that the system call returns to. */
#define SYSTEM_CALL(number, argument, ret_addr)				\
	do {								\
		long number_ = (number);				\
									\
		__asm__ volatile("lea 1f(%%rip), %1\n\tsyscall\n1:"	\
				 : "+a"(number_), "=&r"(ret_addr)	\
				 : "D"(argument), "S"(0L)		\
				 : "rcx", "r11", "memory");		\
	} while (0)

/* Sets @ret_addr to the instruction that touches the page. */
#define PAGE_FAULT(page, ret_addr)					\
	__asm__ volatile("lea 1f(%%rip), %0\n1:\tmovb $1, (%1)"	\
			 : "=&r"(ret_addr)				\
			 : "r"(page)					\
			 : "memory")

static void *fresh_page(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

NOINLINE void probe(void)
{
	static __thread volatile bool probing;
	static const struct timespec shortest = { 0, 1 };
	unsigned long index;
	void *page = NULL;
	uint64_t addr;

	if (probing || (index = atomic_fetch_add(&slot_count, 1)) >= SLOTS)
		return;
	probing = true;

	struct slot *slot = &slots[index];

	slot->header.tid = (uint64_t)gettid();
	slot->header.site = probe_site;
	if (trigger == 'f')
		page = fresh_page();
	slot->header.before_ns = now_ns();
	if (trigger == 'f')
		PAGE_FAULT(page, addr);
	else if (trigger == 's')
		SYSTEM_CALL(SYS_nanosleep, &shortest, addr);
	else
		SYSTEM_CALL(SYS_getppid, 0L, addr);
	slot->header.after_ns = now_ns();
	slot->addrs[0] = addr;
	_Unwind_Backtrace(take, slot);
	if (page)
		munmap(page, 4096);
	if (pace_us && index % PACE_PROBES == 0)
		usleep(pace_us);
	probing = false;
}

int probe_end(const char *path)
{
	unsigned long count = slot_count < SLOTS ? slot_count : SLOTS;
	FILE *file = fopen(path, "w");

	for (unsigned long i = 0; file && i < count; i++) {
		fwrite(&slots[i].header, sizeof(slots[i].header), 1, file);
		fwrite(slots[i].addrs, sizeof(uint64_t), slots[i].header.count, file);
	}
	if (!file || fclose(file) != 0) {
		perror(path);
		return 1;
	}
	return 0;
}
