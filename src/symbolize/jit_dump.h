/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h - read a growing jitdump and turn its records into claims
 *
 * A claim says that a range of addresses holds a function from some moment on (jit_history.h). The
 * records of a jitdump have timestamps, so that moment is known exactly. Only the heads of records
 * are read. Code and source lines are read later, and only for functions that have samples.
 *
 * A program announces its jitdump by mapping the file, and capture opens the file at that moment.
 * The file is read only if it belongs to the process's user or to root. The timestamps in the file
 * must be from CLOCK_MONOTONIC, because timestamps of any other clock cannot be compared with those
 * of samples.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_DUMP_H
#define ASSAY_SYMBOLIZE_JIT_DUMP_H

#include "base/err.h"
#include "model/code.h"
#include "model/process.h"
#include "symbolize/dump_file.h"
#include "symbolize/jit_history.h"
#include "symbolize/jitdump.h"

/* maximum number of bytes that are read of one file */
#define JIT_DUMP_MAX (UINT64_C(4) << 30)
#define JIT_DUMP_STEP_BYTES (UINT64_C(1) << 20)	/* limit on bytes read per jit_dump_read() */
#define JIT_DUMP_LINES_MAX (256u << 10)		/* limit on bytes of line entries per function */

struct jit_dump {
	struct dump_file file;	/* none if no jitdump was found, or if the file was refused */
	struct jitdump_header header;
	uint64_t at;		/* file offset of the next record; 0: the header was not read yet */
	uint64_t last_ns;	/* latest time of any record that was read */
	bool is_closed;		/* the program wrote the closing record, or reading was given up */
	/* the next record still consists of zeros: the program has not written it yet */
	bool is_blank;
	bool is_behind;		/* the last call stopped before the end of the file */
	/*
	 * The file is from an earlier recording, perhaps from another machine. The code that opened
	 * the file has already checked its owner. The times in the file may be later than the
	 * current time.
	 */
	bool is_past;
	/*
	 * for the function that the next CODE_LOAD loads: file offset of its line entries, and its
	 * address
	 */
	uint64_t lines_at, lines_addr;
	uint32_t lines_bytes;
};

/* Takes ownership of @file. */
void jit_dump_init(struct jit_dump *dump, struct dump_file file);
void jit_dump_fini(struct jit_dump *dump);

/*
 * Reads the header. Returns 1 if the header was read now or earlier, and 0 if the program has not
 * written the header yet. Returns -EPERM or -EPROTONOSUPPORT, with the reason in @err, if the file
 * is refused, or -EFBIG if its file system does not answer.
 */
int jit_dump_begin(struct jit_dump *dump, const struct process *process, struct err *err);

/*
 * Reads the new records. The header must have been read. Reads at most JIT_DUMP_STEP_BYTES, and at
 * most the budget's dump_bytes. If this limit leaves records unread, sets is_behind. @is_last says
 * that the program will write nothing more.
 *
 * Returns 0, or one of these errors with the reason in @err:
 * - -EPERM if the file is refused after all. If its timestamps are not from
 *   CLOCK_MONOTONIC, all its claims are dropped.
 * - -EBADMSG if the file is damaged or cut short
 * - -EFBIG if its file system does not answer
 *
 * If the file is damaged or silent, all code is treated as unknown from the time of the last valid
 * record on. If the file ends in the middle of a record, for example because the program was killed
 * while it wrote, the complete records stay valid. The code is then assumed not to have changed
 * after the last complete record. But if is_past is set, the code is treated as unknown from that
 * record on.
 */
int jit_dump_read(struct jit_dump *dump, struct jit_history *history, bool is_last,
		  struct err *err);

/*
 * Ends reading. Returns 0, or -EFBIG with the reason in @err if records may be left unread. In the
 * case of -EFBIG, all code is treated as unknown from the time of the last record that was read.
 */
int jit_dump_end(struct jit_dump *dump, struct jit_history *history, struct err *err);

/*
 * Reads the code of @claim. Returns 1 on success; the caller then frees *@ret_code with
 * code_fini(). Returns 0 if the code is not available.
 */
int jit_dump_code(struct jit_dump *dump, const struct jit_claim *claim, struct code *ret_code);

/*
 * Returns all line entries of @claim in a buffer that the caller frees, or NULL if @claim has none.
 */
uint8_t *jit_dump_lines(struct jit_dump *dump, const struct jit_claim *claim);

#endif
