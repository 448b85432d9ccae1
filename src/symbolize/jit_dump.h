/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h - read a growing jitdump and turn its records into claims
 *
 * The records have times, so each claim is in force from an exact moment on. Only the heads of
 * records are read. Code and source lines are fetched later, for functions that were sampled.
 *
 * The program maps the file to announce it, and capture opens the file at that moment. The file is
 * read only if it belongs to the process's user or to root, and if its times are from
 * CLOCK_MONOTONIC, because other times cannot be compared with the times of samples.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_DUMP_H
#define ASSAY_SYMBOLIZE_JIT_DUMP_H

#include "base/err.h"
#include "model/code.h"
#include "model/process.h"
#include "symbolize/jit_history.h"
#include "symbolize/jitdump.h"

#define JIT_DUMP_MAX (UINT64_C(4) << 30)	/* limit on the bytes of one file that are read */
#define JIT_DUMP_STEP_BYTES (UINT64_C(1) << 20)	/* limit per call of jit_dump_read() */
#define JIT_DUMP_LINES_MAX (256u << 10)		/* bytes of line entries per function */

struct jit_dump {
	int fd;			/* -1: refused or given up; the claims read so far stay */
	struct jitdump_header header;
	uint64_t at;		/* file offset of the next record; 0: the header was not read yet */
	uint64_t last_ns;	/* latest time of any record that was read */
	bool is_closed;		/* the program wrote the closing record, or reading was given up */
	bool is_blank;		/* the bytes at the next record are still zeros */
	bool is_behind;		/* reading stopped before the end of the file */
	/*
	 * The file is from an earlier recording, perhaps from another machine. The code that opened
	 * it has checked its owner, and its times may exceed the current time.
	 */
	bool is_past;
	uint64_t lines_at, lines_addr;	/* for the function loaded next: file offset, address */
	uint32_t lines_bytes;
};

/* Takes ownership of @fd. */
void jit_dump_init(struct jit_dump *dump, int fd);
void jit_dump_fini(struct jit_dump *dump);

/*
 * Reads the header. Returns 1 if the header is known, 0 if it was not written yet, or -EPERM or
 * -EPROTONOSUPPORT if the file is refused, with the reason in @err.
 */
int jit_dump_begin(struct jit_dump *dump, const struct process *process, struct err *err);

/*
 * Reads the new records, once the header is known. Reads at most JIT_DUMP_STEP_BYTES and at most
 * the budget's dump_bytes; if that was not enough, sets is_behind. @is_last: the program will write
 * nothing more.
 *
 * Returns 0, or with the reason in @err
 * - -EPERM if the file is refused after all; all its claims are dropped
 * - -EBADMSG if the file is damaged or cut short
 *
 * After damage all code is unknown. If a program was killed while it wrote a record, the whole
 * records before that one stay valid and the code is assumed to be unchanged after them. The
 * exception is is_past, where the code after the last whole record is unknown too.
 */
int jit_dump_read(struct jit_dump *dump, struct jit_history *history, bool is_last,
		  struct err *err);

/*
 * Ends reading. Returns 0, or -EFBIG with the reason in @err if unread records are left. In that
 * case all code is unknown from the last record that was read.
 */
int jit_dump_end(struct jit_dump *dump, struct jit_history *history, struct err *err);

/*
 * Reads the code of @claim. Returns 1 on success, and the caller calls code_fini() later; returns 0
 * if the code is not available.
 */
int jit_dump_code(const struct jit_dump *dump, const struct jit_claim *claim,
		  struct code *ret_code);

/* Returns all line entries of @claim on the heap, or NULL if it has none. */
uint8_t *jit_dump_lines(const struct jit_dump *dump, const struct jit_claim *claim);

#endif
