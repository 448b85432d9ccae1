/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing jitdump: first its first half, then all of it, then the code and lines of its claims.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/jitdump_writer.h"
#include "symbolize/jit_dump.h"

static void grow(int fd, const uint8_t *bytes, size_t size_bytes)
{
	if (write(fd, bytes, size_bytes) != (ssize_t)size_bytes)
		abort();
}

static void read_some(struct jit_dump *dump, struct jit_history *history, bool is_last)
{
	const struct process process = { .uid = getuid() };
	struct err err;

	if (dump->file.fd >= 0 && (dump->at || jit_dump_begin(dump, &process, &err) > 0))
		(void)jit_dump_read(dump, history, is_last, &err);
}

/* The lines that a claim has must lie inside its function. */
static void look_at_claims(struct jit_dump *dump, const struct jit_history *history)
{
	for (size_t i = 0; i < history->claims.count; i++) {
		const struct jit_claim *claim = &history->claims.at[i];
		uint8_t *lines = jit_dump_lines(dump, claim);
		struct byte_reader entries = byte_reader_of(lines, lines ? claim->lines_bytes : 0);
		struct code code;
		const char *path;
		uint32_t line;

		if (claim->end_addr <= claim->start_addr)
			abort();
		entries.swapped = dump->header.swapped;
		if (lines && jitdump_line_at(entries, claim->lines_addr, &line, &path) &&
		    strlen(path) >= claim->lines_bytes)
			abort();
		free(lines);
		if (jit_dump_code(dump, claim, &code))
			code_fini(&code);
	}
}

/* @is_past: as for a jitdump that accompanies an imported recording. */
static void read_all(const uint8_t *bytes, size_t size_bytes, bool is_past)
{
	int fd = memfd_create("jitdump", MFD_CLOEXEC);
	struct jit_budget budget = { .bytes_max = 4096, .dump_bytes = JIT_DUMP_STEP_BYTES };
	struct jit_history history;
	struct jit_dump dump;

	if (fd < 0)
		abort();
	jit_history_init(&history, &budget);
	jit_dump_init(&dump, dump_file_of(fd, NULL, NULL));
	dump.is_past = is_past;
	grow(fd, bytes, size_bytes / 2);
	read_some(&dump, &history, false);
	grow(dump.file.fd >= 0 ? fd : STDERR_FILENO, bytes + size_bytes / 2,
	     dump.file.fd >= 0 ? size_bytes - size_bytes / 2 : 0);
	read_some(&dump, &history, true);
	look_at_claims(&dump, &history);
	jit_dump_fini(&dump);
	jit_history_fini(&history);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	read_all(bytes, size_bytes, false);
	read_all(bytes, size_bytes, true);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static struct jitdump_writer w;

	if (i >= 4)
		return -1;
	jitdump_begin(&w, i == 1);
	jitdump_lines(&w, 0x1000, 10, 3, "/src/a.js");
	jitdump_load(&w, 100, 0x1000, 16, "first");
	jitdump_load(&w, 200, 0x1000, 32, "second");
	jitdump_move(&w, 300, 0x1000, 0x2000, 16);
	if (i == 2)
		jitdump_raw(&w, 4, 16 + 30, 30);
	else
		jitdump_close(&w, 400);
	for (int k = 0; i == 3 && k < 100; k++)		/* the last record is not complete yet */
		w.bytes[w.size_bytes - 16 + (size_t)k] = 0;
	w.size_bytes += i == 3 ? 84 : 0;
	*ret_size_bytes = w.size_bytes;
	*ret_bytes = malloc(w.size_bytes);
	if (!*ret_bytes)
		abort();
	memcpy(*ret_bytes, w.bytes, w.size_bytes);
	return 0;
}
