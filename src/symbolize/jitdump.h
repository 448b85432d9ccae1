/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump.h - the records of jit-<pid>.dump, in which run-time compilers log what they generate
 *
 * Format: linux tools/perf/Documentation/jitdump-specification.txt, version 1.  A header, then
 * records with a time each, of which there are five:
 *	CODE_LOAD	a function by name, address and size, and its code
 *	CODE_MOVE	it stands elsewhere from now on
 *	CODE_DEBUG_INFO	source lines of the function that is loaded next
 *	CODE_CLOSE	the end
 *	CODE_UNWINDING_INFO  .eh_frame of the function that is loaded next; passed over here
 * Either byte order; the header's magic number tells.
 *
 * The parser is given a window of the file and looks only at the head of a record, which names
 * where in the file the rest is: code is never copied to read a name.  A record that is not whole
 * yet (the file grows while it is read) is JITDUMP_MORE, one that cannot be is -EBADMSG, and
 * nothing behind that can be found.
 */
#ifndef ASSAY_SYMBOLIZE_JITDUMP_H
#define ASSAY_SYMBOLIZE_JITDUMP_H

#include "base/byte_reader.h"

#define JITDUMP_HEADER_BYTES 40u
#define JITDUMP_RECORD_BYTES 16u		/* before what differs by kind */
#define JITDUMP_NAME_MAX 4096u			/* of a name, more is not looked at */
#define JITDUMP_WINDOW_BYTES (64u << 10)	/* that hold any head of a record */

struct jitdump_header {
	bool swapped;
	bool arch_timestamps;	/* times are the CPU's own counter */
	uint16_t machine;	/* ELF e_machine */
	uint32_t pid;		/* who began it, in his pid namespace */
	uint32_t size_bytes;	/* where the first record is */
	uint32_t line_shift;	/* what addresses of lines are too high by */
};

enum jitdump_kind {
	JITDUMP_LOAD,
	JITDUMP_MOVE,
	JITDUMP_LINES,
	JITDUMP_CLOSE,
	JITDUMP_OTHER		/* passed over */
};

struct jitdump_record {
	enum jitdump_kind kind;
	uint64_t time_ns;
	uint64_t size_bytes;	/* to the next record */
	uint64_t code_addr;	/* LOAD, LINES; MOVE: where to */
	uint64_t old_addr;	/* MOVE */
	uint64_t code_bytes;	/* LOAD, MOVE */
	const char *name;	/* LOAD: in the window */
	size_t name_length;
	uint64_t body_at;	/* from the record's start: LOAD: its code, LINES: its entries */
	uint64_t body_bytes;
};

enum jitdump_result {
	JITDUMP_MORE,		/* to come */
	JITDUMP_BLANK,		/* zeros, which may be written over */
	JITDUMP_RECORD
};

/*
 * 0, or -EBADMSG when this is no jitdump, -EPROTONOSUPPORT for a version that is not known; -EAGAIN
 * while there are fewer than JITDUMP_HEADER_BYTES, or only zeros: the file got its size first.
 */
int jitdump_header_read(const void *bytes, size_t size_bytes, struct jitdump_header *ret_header);

/*
 * The record at the start of @window, which is as long as the file or JITDUMP_WINDOW_BYTES allow;
 * @left_bytes of the file lie behind the window's start.
 */
int jitdump_record_read(struct byte_reader window, uint64_t left_bytes,
			struct jitdump_record *ret_record);

/*
 * The line of @addr among the entries of a LINES record: of the entries that begin at or before it
 * the nearest, of several at one address the last.  False where there is none.
 * *ret_path: in @entries.
 */
bool jitdump_line_at(struct byte_reader entries, uint64_t addr, uint32_t *ret_line,
		     const char **ret_path);

#endif
