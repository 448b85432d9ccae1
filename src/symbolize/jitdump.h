/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump.h - parse jit-<pid>.dump, the log that JIT compilers write about the code they generate
 *
 * Format: linux tools/perf/Documentation/jitdump-specification.txt, version 1. A header is followed
 * by records, each with a timestamp. There are five kinds of records:
 *	CODE_LOAD	a function: its name, address, size and code
 *	CODE_MOVE	a function has moved to another address
 *	CODE_DEBUG_INFO	source lines of the function that is loaded next
 *	CODE_CLOSE	the end
 *	CODE_UNWINDING_INFO  .eh_frame of the function that is loaded next; skipped here
 * The file may have either byte order; the header's magic number shows which.
 *
 * The caller passes a window, which is a part of the file that begins with a record. The parser
 * reads only the head of that record: everything except the code or the line entries. The result
 * contains their offset, so the caller can skip them if it needs only the name. The file may still
 * grow. If a record is not complete yet, the parser returns JITDUMP_MORE. If a record is invalid,
 * the parser returns -EBADMSG, and the records after it cannot be found.
 */
#ifndef ASSAY_SYMBOLIZE_JITDUMP_H
#define ASSAY_SYMBOLIZE_JITDUMP_H

#include "base/byte_reader.h"

#define JITDUMP_HEADER_BYTES 40u
#define JITDUMP_RECORD_BYTES 16u		/* size of the header of every record */
#define JITDUMP_NAME_MAX 4096u			/* in bytes; longer names are truncated */
#define JITDUMP_WINDOW_BYTES (64u << 10)	/* size that is enough for the head of any record */

struct jitdump_header {
	bool swapped;
	bool arch_timestamps;	/* times are from a counter of the CPU, not from a clock */
	uint16_t machine;	/* ELF e_machine */
	uint32_t pid;		/* the creator's pid, in the creator's pid namespace */
	uint32_t size_bytes;	/* size of the header; also the offset of the first record */
	uint32_t line_shift;	/* amount to subtract from the addresses of line entries */
};

enum jitdump_kind {
	JITDUMP_LOAD,
	JITDUMP_MOVE,
	JITDUMP_LINES,
	JITDUMP_CLOSE,
	JITDUMP_OTHER		/* skipped */
};

struct jitdump_record {
	enum jitdump_kind kind;
	uint64_t time_ns;
	/* size of the record, which is also the distance to the next record */
	uint64_t size_bytes;
	uint64_t code_addr;	/* LOAD, LINES: address of the code; MOVE: new address */
	uint64_t old_addr;	/* MOVE: old address */
	uint64_t code_bytes;	/* LOAD, MOVE */
	const char *name;	/* LOAD: points into the window */
	size_t name_length;
	uint64_t body_at;	/* offset of code (LOAD) or line entries (LINES) in the record */
	uint64_t body_bytes;
};

enum jitdump_result {
	JITDUMP_MORE,		/* the record is not complete yet */
	JITDUMP_BLANK,		/* only zeros, so the program may still write a record here */
	JITDUMP_RECORD
};

/*
 * Reads the header. Returns 0, or
 * - -EBADMSG if the file is not a jitdump
 * - -EPROTONOSUPPORT if its version is unknown
 * - -EAGAIN if the header was not written yet. In this case the file has fewer than
 *   JITDUMP_HEADER_BYTES, or only zeros there, because a program can set the size of the file
 *   before it writes the header.
 */
int jitdump_header_read(const void *bytes, size_t size_bytes, struct jitdump_header *ret_header);

/*
 * Reads the record at the start of @window. @left_bytes is the number of bytes from the start of
 * the window to the end of the file. Returns an enum jitdump_result or -EBADMSG. -EBADMSG may also
 * mean that the window is too small. The size of the window is sufficient if it holds
 * JITDUMP_WINDOW_BYTES, or the rest of the file if that is shorter.
 */
int jitdump_record_read(struct byte_reader window, uint64_t left_bytes,
			struct jitdump_record *ret_record);

/*
 * Finds the source line of @addr in the line entries of a CODE_DEBUG_INFO record. Uses the entry
 * with the highest address that is not above @addr and, if several entries have that address, the
 * last of these entries. Returns false if there is no such entry. *@ret_path points into @entries.
 */
bool jitdump_line_at(struct byte_reader entries, uint64_t addr, uint32_t *ret_line,
		     const char **ret_path);

#endif
