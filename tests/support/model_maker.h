/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model_maker.h - a synthetic machine whose totals are all known
 *
 * Two CPUs for 10 seconds at 1000 Hz; each sample weighs 1 ms. The programs and their samples:
 *
 *	cpu 0  burn 100      user: burn_hot 4000, burn_cold 1000, memcpy 5
 *			     syscall: ksys_read 500; exception: handle_mm_fault 200
 *			     softirq: net_rx_action 300; hardirq: tick_handler 100
 *	cpu 1  server 200    user: serve 800, send->sendmsg 200, [stripped.so] 50
 *			     syscall: tcp_sendmsg 600, unlock_irqrestore 400 (380 of them late)
 *			     hardirq: tick_handler 50
 *	       ksoftirqd 12  kthread: run_ksoftirqd 150
 *	       assay 300     user: drain 60, syscall: ksys_read 40	(the profiler)
 *	       swapper 0     idle: cpu_idle 500
 *
 * Measured interrupt time: hardirqs 152 ms on cpu 0 and 90 ms on cpu 1, softirqs 280 ms and 0.4 ms.
 *
 * In total there are 8955 samples, of which 8455 are not idle and 6115 are in user mode. /proc/stat
 * agrees and the ledger balances, with 5 lost samples, which /proc/stat has as user time. Of 6000
 * walks of user stacks, 5900 reached the end, 80 stopped in stripped.so and 20 in generated code.
 * If an allocation fails, abort() ends the test.
 */
#ifndef ASSAY_TESTS_MODEL_MAKER_H
#define ASSAY_TESTS_MODEL_MAKER_H

#include "model/model.h"

#define MAKER_PERIOD_NS 1000000
#define MAKER_START_NS UINT64_C(5000000000)
#define MAKER_LATE_NS 400000	/* lateness of late samples; the others are 2 us late */

struct model_maker {
	struct model model;
	struct sample_batch batch;
	uint64_t now_ns;
};

struct maker_frame {
	const char *image;
	enum image_kind kind;
	const char *function;	/* NULL if unresolved */
	enum quality quality;
	bool root;
};

struct maker_run {
	uint32_t thread, stack;
	uint16_t cpu;
	uint8_t event;
	enum context context;
	unsigned int count, late;	/* number of samples, and how many of them are late */
};

/* Initializes an empty model with one event, cpu-clock, and the facts of a run. */
void model_maker_init(struct model_maker *maker);
void model_maker_fini(struct model_maker *maker);

/* Builds the machine described above. */
void model_maker_machine(struct model_maker *maker);

uint32_t maker_thread(struct model_maker *maker, const char *application, uint32_t tgid,
		      bool kernel_thread);

/* Returns the stack @parent extended by one frame. @parent may be a value of enum stack_root. */
uint32_t maker_stack(struct model_maker *maker, uint32_t parent, const struct maker_frame *frame);
void maker_samples(struct model_maker *maker, const struct maker_run *run);

#endif
