/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/jit_dump.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"

/*
 * The current time is read before the records, so the time of a record may be slightly later than
 * the current time.
 */
#define CLOCK_SLACK_NS NS_PER_SEC

#define NO_ANSWER "its file system does not answer"

void jit_dump_init(struct jit_dump *dump, struct dump_file file)
{
	*dump = (struct jit_dump){ .file = file };
}

void jit_dump_fini(struct jit_dump *dump)
{
	dump_file_close(&dump->file);
}

/* ---- the header ---- */

static int refuse(struct jit_dump *dump, int rc, struct err *err, const char *why)
{
	jit_dump_fini(dump);
	return err_set(err, rc, "%s", why);
}

static int read_header(struct jit_dump *dump, struct err *err)
{
	uint8_t bytes[JITDUMP_HEADER_BYTES];
	size_t have = dump_file_read(&dump->file, bytes, sizeof(bytes), 0);
	int rc = jitdump_header_read(bytes, have, &dump->header);

	if (rc == -EAGAIN)
		return 0;
	if (rc == -EBADMSG)
		return refuse(dump, -EPERM, err,
			      "the file does not begin with the header of a jitdump");
	if (rc < 0)
		return refuse(dump, rc, err, "the format version of the file is not 1");
	if (dump->header.arch_timestamps)
		return refuse(dump, -EPERM, err,
			      "the file has times of the CPU's cycle counter, which cannot be "
			      "compared with the times of samples; make the JIT compiler use "
			      "CLOCK_MONOTONIC");
	dump->at = dump->header.size_bytes;
	return 1;
}

static bool is_acceptable(const struct dump_file_state *state, const struct process *process)
{
	return S_ISREG(state->mode) && (state->uid == 0 || state->uid == process->uid);
}

int jit_dump_begin(struct jit_dump *dump, const struct process *process, struct err *err)
{
	struct dump_file_state state;
	int rc = dump->is_past ? 0 : dump_file_look(&dump->file, &state);

	if (rc == -ETIMEDOUT)
		return refuse(dump, -EFBIG, err, NO_ANSWER);
	if (!dump->is_past && (rc < 0 || !is_acceptable(&state, process)))
		return refuse(dump, -EPERM, err,
			      "the file is not a regular file owned by root or the process's "
			      "user");
	return dump->at ? 1 : read_header(dump, err);
}

/* ---- records ---- */

static void load(struct jit_dump *dump, struct jit_history *history,
		 const struct jitdump_record *record)
{
	struct jit_claim claim = {
		.start_addr = record->code_addr,
		.end_addr = record->code_addr + record->code_bytes,
		.from_ns = record->time_ns,
		.by_ns = record->time_ns,
	};

	if (dump->lines_bytes && dump->lines_addr == record->code_addr) {
		claim.lines_at = dump->lines_at;
		claim.lines_bytes = dump->lines_bytes;
		claim.lines_addr = record->code_addr;
	}
	dump->lines_bytes = 0;
	if (record->body_bytes)
		claim.code_at = dump->at + record->body_at;
	if (record->code_bytes)
		(void)jit_history_claim(history, &claim, record->name, record->name_length);
}

/*
 * Makes a claim for the new address from the claim for the old address. The new claim has no code,
 * because the move may have changed the code. If there is no claim for the old address, the
 * function at the new address is unknown, too.
 */
static void move(struct jit_history *history, const struct jitdump_record *record)
{
	uint32_t id = jit_history_claim_at(history, record->old_addr);
	struct jit_claim left = {
		.start_addr = record->old_addr,
		.end_addr = record->old_addr + record->code_bytes,
		.from_ns = record->time_ns,
		.by_ns = record->time_ns,
	};
	struct jit_claim moved = id == JIT_NO_CLAIM ? left : history->claims.at[id];
	char name[JITDUMP_NAME_MAX + 1];

	moved.start_addr = record->code_addr;
	moved.end_addr = record->code_addr + record->code_bytes;
	moved.from_ns = moved.by_ns = record->time_ns;
	moved.code_at = 0;
	(void)snprintf(name, sizeof(name), "%s", jit_history_name(history, &moved));
	(void)jit_history_claim(history, &left, "", 0);
	(void)jit_history_claim(history, &moved, name, strlen(name));
}

static void apply(struct jit_dump *dump, struct jit_history *history,
		  const struct jitdump_record *record)
{
	switch (record->kind) {
	case JITDUMP_LOAD:
		load(dump, history, record);
		break;
	case JITDUMP_MOVE:
		move(history, record);
		break;
	case JITDUMP_LINES:
		dump->lines_addr = record->code_addr;
		dump->lines_at = dump->at + record->body_at;
		dump->lines_bytes = record->body_bytes <= JIT_DUMP_LINES_MAX
					    ? (uint32_t)record->body_bytes
					    : 0;
		break;
	case JITDUMP_CLOSE:
		dump->is_closed = true;
		break;
	case JITDUMP_OTHER:
		break;
	}
	if (record->time_ns > dump->last_ns)
		dump->last_ns = record->time_ns;
	dump->at += record->size_bytes;
}

/* A buffer with the bytes of the file that begin at offset @at. */
struct window {
	uint8_t *bytes;		/* a buffer of JITDUMP_WINDOW_BYTES */
	size_t size_bytes;
	uint64_t at;
};

static void slide(struct jit_dump *dump, struct window *window, uint64_t size_bytes,
		  struct jit_budget *budget)
{
	uint64_t left = size_bytes - dump->at;

	window->at = dump->at;
	window->size_bytes = dump_file_read(
		&dump->file, window->bytes,
		left < JITDUMP_WINDOW_BYTES ? (size_t)left : JITDUMP_WINDOW_BYTES, dump->at);
	budget->dump_bytes -= window->size_bytes < budget->dump_bytes ? window->size_bytes
								      : budget->dump_bytes;
}

static int parse(const struct jit_dump *dump, const struct window *window, uint64_t size_bytes,
		 struct jitdump_record *ret_record)
{
	size_t offset = (size_t)(dump->at - window->at);
	struct byte_reader r = byte_reader_of(window->bytes + offset, window->size_bytes - offset);

	r.swapped = dump->header.swapped;
	return jitdump_record_read(r, size_bytes - dump->at, ret_record);
}

/* Reads the next record. If its head is not entirely in the window, moves the window first. */
static int next_record(struct jit_dump *dump, struct window *window, uint64_t size_bytes,
		       struct jit_budget *budget, struct jitdump_record *ret_record)
{
	int rc = -EBADMSG;

	if (dump->at >= window->at && dump->at - window->at < window->size_bytes)
		rc = parse(dump, window, size_bytes, ret_record);
	if (rc == -EBADMSG) {
		slide(dump, window, size_bytes, budget);
		rc = parse(dump, window, size_bytes, ret_record);
	}
	return rc;
}

static int give_up(struct jit_dump *dump, struct jit_history *history, int rc, struct err *err,
		   const char *why)
{
	jit_history_lose(history, dump->last_ns);
	dump->is_closed = true;
	dump->is_behind = false;
	return err_set(err, rc, "%s", why);
}

static int damaged(struct jit_dump *dump, struct jit_history *history, struct err *err,
		   const char *what)
{
	return give_up(dump, history, -EBADMSG, err, what);
}

static int read_records(struct jit_dump *dump, struct jit_history *history, uint64_t size_bytes,
			struct err *err)
{
	_cleanup_free_ uint8_t *bytes = malloc(JITDUMP_WINDOW_BYTES);
	struct window window = { .bytes = bytes };
	uint64_t now_ns = clock_monotonic_ns(), begin = dump->at;
	struct jitdump_record record;
	int rc = JITDUMP_RECORD;

	if (!bytes)
		return damaged(dump, history, err, "assay has no memory to read the file");
	dump->is_behind = dump->is_blank = false;
	while (dump->at < size_bytes && !dump->is_closed) {
		dump->is_behind = dump->at - begin >= JIT_DUMP_STEP_BYTES ||
				  !history->budget->dump_bytes;
		if (dump->is_behind)
			break;
		rc = next_record(dump, &window, size_bytes, history->budget, &record);
		if (dump->file.is_silent)
			return give_up(dump, history, -EFBIG, err, NO_ANSWER);
		dump->is_blank = rc == JITDUMP_BLANK;
		if (rc == JITDUMP_MORE || rc == JITDUMP_BLANK)
			break;
		if (rc < 0)
			return damaged(dump, history, err, "the file contains an invalid record");
		if (!dump->is_past && record.time_ns > now_ns + CLOCK_SLACK_NS) {
			jit_history_clear(history);
			return refuse(dump, -EPERM, err,
				      "the times in the file are not times of CLOCK_MONOTONIC");
		}
		apply(dump, history, &record);
	}
	return 0;
}

int jit_dump_read(struct jit_dump *dump, struct jit_history *history, bool is_last, struct err *err)
{
	struct dump_file_state state;
	uint64_t size_bytes;
	int rc;

	if (dump->file.fd < 0 || !dump->at || dump->is_closed)
		return 0;
	rc = dump_file_look(&dump->file, &state);
	if (rc == -ETIMEDOUT)
		return give_up(dump, history, -EFBIG, err, NO_ANSWER);
	if (rc < 0)
		return refuse(dump, -EPERM, err, "the file cannot be read any more");
	size_bytes = state.size_bytes;
	if (size_bytes < dump->at || dump->at > JIT_DUMP_MAX)
		return damaged(dump, history, err,
			       size_bytes < dump->at
				       ? "the file became shorter while assay was reading it"
				       : "the file is too large");
	rc = read_records(dump, history, size_bytes, err);
	if (rc < 0)
		return rc;
	if (!is_last || dump->at == size_bytes || dump->is_closed || dump->is_behind ||
	    dump->is_blank)
		return 0;
	dump->is_closed = true;
	/* it is unknown which records the missing part of the copy contained */
	if (dump->is_past)
		jit_history_lose(history, dump->last_ns);
	return err_set(err, -EBADMSG, "the last record of the file is incomplete");
}

/*
 * Called when no more records can be read. An incomplete record at the end is normal, because the
 * program may have been writing the record. But if the unread bytes are more than the head of any
 * record takes, they may contain complete records.
 */
int jit_dump_end(struct jit_dump *dump, struct jit_history *history, struct err *err)
{
	struct dump_file_state state;
	int rc;

	if (dump->file.fd < 0 || !dump->at || dump->is_closed)
		return 0;
	if (!dump->is_behind && dump->is_blank)
		return 0;
	rc = dump_file_look(&dump->file, &state);
	if (!dump->is_behind && rc == 0 && state.size_bytes >= dump->at &&
	    state.size_bytes - dump->at <= JITDUMP_WINDOW_BYTES)
		return 0;
	return give_up(dump, history, -EFBIG, err,
		       rc == -ETIMEDOUT ? NO_ANSWER : "the file grew faster than assay reads it");
}

/* ---- code and lines of a claim ---- */

int jit_dump_code(struct jit_dump *dump, const struct jit_claim *claim, struct code *ret_code)
{
	struct code code = {
		.machine = dump->header.machine,
		.vaddr = claim->start_addr,
		.size_bytes = (size_t)(claim->end_addr - claim->start_addr),
	};

	if (dump->file.fd < 0 || !claim->code_at || code.size_bytes > CODE_KEPT_EACH_BYTES_MAX)
		return 0;
	code.bytes = malloc(code.size_bytes);
	if (!code.bytes)
		return 0;
	if (dump_file_read(&dump->file, code.bytes, code.size_bytes, claim->code_at) !=
	    code.size_bytes) {
		code_fini(&code);
		return 0;
	}
	*ret_code = code;
	return 1;
}

uint8_t *jit_dump_lines(struct jit_dump *dump, const struct jit_claim *claim)
{
	uint8_t *bytes = NULL;

	if (dump->file.fd >= 0 && claim->lines_bytes)
		bytes = malloc(claim->lines_bytes);
	if (bytes && dump_file_read(&dump->file, bytes, claim->lines_bytes, claim->lines_at) !=
			     claim->lines_bytes) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}
