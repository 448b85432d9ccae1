/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h - a jitdump as it grows, into claims
 *
 * Its records have times, so each claim is in force from its moment on.  Only the heads of records
 * are read; code and source lines are fetched when something in them turned out to be hit.
 *
 * The program maps the file to say that it is there, and capture opens it then.  It is read only if
 * it belongs to the process's user or to root, and if its times are of CLOCK_MONOTONIC: what they
 * are not, no sample could be set beside.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_DUMP_H
#define ASSAY_SYMBOLIZE_JIT_DUMP_H

#include "base/err.h"
#include "model/code.h"
#include "model/process.h"
#include "symbolize/jit_history.h"
#include "symbolize/jitdump.h"

#define JIT_DUMP_MAX (UINT64_C(4) << 30)	/* bytes of one file that are looked at, */
#define JIT_DUMP_STEP_BYTES (UINT64_C(1) << 20)	/* and at one time */
#define JIT_DUMP_LINES_MAX (256u << 10)		/* bytes of lines of one function */

struct jit_dump {
	int fd;			/* -1: refused or given up; what was learned stays */
	struct jitdump_header header;
	uint64_t at;		/* the next record; 0: the header was not read yet */
	uint64_t last_ns;	/* of the last record */
	bool is_closed;		/* the program said so */
	bool is_blank;		/* where the next record will stand are zeros */
	bool is_behind;		/* more was there when reading stopped */
	bool is_past;		/* of a recording made before, perhaps elsewhere: whose it is was
				   settled by who opened it, and now is no limit to its times */
	uint64_t lines_at, lines_addr;	/* of the function that is loaded next */
	uint32_t lines_bytes;
};

/* Takes @fd over. */
void jit_dump_init(struct jit_dump *dump, int fd);
void jit_dump_fini(struct jit_dump *dump);

/*
 * Reads the header: 1 when it is known, 0 while it is not there yet; -EPERM or -EPROTONOSUPPORT
 * when the file is refused, with the reason in @err.
 */
int jit_dump_begin(struct jit_dump *dump, const struct process *process, struct err *err);

/*
 * Takes the records that are new, once the header is known, as long as a step and the budget's
 * dump_bytes allow: else it is_behind.  @is_last: nothing is to come.  0;
 * -EPERM when the file is refused after all, with no claims left, -EBADMSG when it is damaged or
 * cut short, both with the reason in @err.  Behind damage everything is unknown; behind the last
 * whole record of a program that was killed nothing is said to have changed, unless it is_past:
 * then all is unknown there, too.
 */
int jit_dump_read(struct jit_dump *dump, struct jit_history *history, bool is_last,
		  struct err *err);

/*
 * Nothing more will be read: 0, or -EFBIG with the reason in @err when records are left, which
 * makes all from the last one on unknown.
 */
int jit_dump_end(struct jit_dump *dump, struct jit_history *history, struct err *err);

/* The code of the claim: 1, and code_fini() later; 0 when it is not there. */
int jit_dump_code(const struct jit_dump *dump, const struct jit_claim *claim,
		  struct code *ret_code);

/* All line entries of the claim, on the heap; NULL when there are none. */
uint8_t *jit_dump_lines(const struct jit_dump *dump, const struct jit_claim *claim);

#endif
