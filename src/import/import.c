/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import-private.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

const struct import_format *const import_formats[] = {
#define FORMAT(name) &import_##name,
#include "import/formats.def"
#undef FORMAT
	NULL,
};

const struct import_format *import_format_find(const char *name)
{
	for (size_t i = 0; import_formats[i]; i++)
		if (strcmp(import_formats[i]->name, name) == 0)
			return import_formats[i];
	return NULL;
}

#define LOSS_TEXT_MAX 160u

static const char *const lack_names[LACK_COUNT] = {
	[LACK_TIME] = "times of samples",
	[LACK_CPU] = "CPUs of samples",
	[LACK_CALLERS] = "call graphs",
	[LACK_STACK_COPIES] = "callers (the copied stacks are of another architecture or lack "
			      "registers, so assay cannot unwind them)",
	[LACK_COUNTERS] = "counters of each sample",
	[LACK_WEIGHT] = "weights of samples (how many events each one stands for)",
	[LACK_DATE] = "the date",
	[LACK_OWNERS] = "users and control groups of processes",
	[LACK_LATENESS] = "lateness of samples",
	[LACK_LEDGER] = "idle and stolen time of CPUs",
	[LACK_ENTRY] = "contexts of kernel samples (these need the kernel's symbols)",
	[LACK_BUILD_IDS] = "build-ids of all files",
	[LACK_TASKS] = "processes and threads",
	[LACK_JIT_CLOCK] = "times of CLOCK_MONOTONIC, which jitdumps need (perf record -k "
			   "mono)",
	[LACK_PLACES] = "source lines",
	[LACK_HOST] = "host, kernel and command",
	[LACK_PROCESSES] = "the process of each thread",
	[LACK_FEATURES] = "host, kernel and command (perf did not finish the file)",
};

int import_new(struct model *model, const struct import_options *options,
	       struct import **ret_import)
{
	struct import *import = calloc(1, sizeof(*import));

	if (!import)
		return -ENOMEM;
	import->model = model;
	import->options = *options;
	import->source.fd = -1;
	*ret_import = import;
	return 0;
}

void import_free(struct import *import)
{
	if (!import)
		return;
	if (import->format && import->format->free)
		import->format->free(import);
	byte_source_fini(&import->source);
	sample_batch_fini(&import->batch);
	kallsyms_fini(&import->kallsyms);
	free(import);
}

void import_lacks(struct import *import, enum import_lack what)
{
	import->lacks[what] = true;
}

bool import_loss_text(struct import *import, const char *text)
{
	uint64_t count;
	char name[64];

	if (text[0] < '0' || text[0] > '9' || strnlen(text, LOSS_TEXT_MAX) == LOSS_TEXT_MAX)
		return false;
	if (sscanf(text, "%" SCNu64 " %*31[a-z] lost: %63[-a-z]", &count, name) != 2 ||
	    count > INT64_MAX / 2)
		return false;
	for (int i = 0; i < LOSS_COUNT; i++) {
		if (strcmp(loss_name((enum loss)i), name) != 0)
			continue;
		loss_add(&import->model->losses, (enum loss)i, count);
		return true;
	}
	return false;
}

static void tell_lacks(const struct import *import)
{
	char text[1024] = "";
	size_t length = 0;

	for (size_t i = 0; i < LACK_COUNT; i++) {
		if (!import->lacks[i] || length >= sizeof(text))
			continue;
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
					   length ? ", " : "", lack_names[i]);
	}
	if (length)
		model_fact_set(import->model, FACT_NOT_IN_FILE, "%s", text);
}

static void tell_times(const struct import *import)
{
	if (!import->last_ns)
		return;
	model_fact_set_u64(import->model, FACT_START_NS, import->first_ns);
	model_fact_set_u64(import->model, FACT_END_NS, import->last_ns);
}

/* ---- samples ---- */

static int flush(struct import *import, struct err *err)
{
	struct sample_batch *batch = &import->batch;
	int rc;

	import->sample_count += batch->samples.count;
	rc = import->options.flush(import->options.context, batch, err);
	sample_batch_clear(&import->batch);
	return rc;
}

int import_maybe_flush(struct import *import, struct err *err)
{
	return import->batch.samples.count < IMPORT_BATCH_SAMPLES ? 0 : flush(import, err);
}

/* ---- reading ---- */

/* The first bytes of a file, and those that follow its leading comments and empty lines. */
struct head {
	const uint8_t *bytes, *after_comments;
	size_t size_bytes, after_bytes;
};

/* Returns the size of the comments and empty lines at the beginning of @text. */
static size_t comments_bytes(const char *text, size_t size_bytes)
{
	size_t at = 0;

	while (at < size_bytes) {
		size_t blank = at;
		const char *newline = memchr(text + at, '\n', size_bytes - at);

		while (blank < size_bytes &&
		       (text[blank] == ' ' || text[blank] == '\t' || text[blank] == '\r'))
			blank++;
		if (!newline || (text[at] != '#' && text + blank != newline))
			break;
		at = (size_t)(newline - text) + 1;
	}
	return at;
}

static int read_head(struct import *import, struct head *ret_head)
{
	struct byte_source *source = &import->source;
	struct head *head = ret_head;
	size_t skipped;
	int rc = byte_source_peek(source, IMPORT_HEAD_BYTES, &head->bytes, &head->size_bytes);

	if (rc < 0)
		return rc;
	head->after_comments = head->bytes;
	head->after_bytes = head->size_bytes;
	if (!head->size_bytes || (head->bytes[0] != '#' && !isspace(head->bytes[0])))
		return 0;
	rc = byte_source_peek(source, source->room_bytes, &head->bytes, &head->after_bytes);
	if (rc < 0)
		return rc;
	skipped = comments_bytes((const char *)head->bytes, head->after_bytes);
	head->after_comments = head->bytes + skipped;
	head->after_bytes -= skipped;
	if (head->after_bytes > IMPORT_HEAD_BYTES)
		head->after_bytes = IMPORT_HEAD_BYTES;
	return 0;
}

static bool recognizes(const struct import_format *format, const struct head *head)
{
	return format->matches(head->bytes, head->size_bytes) ||
	       (format->has_comments && format->matches(head->after_comments, head->after_bytes));
}

static const struct import_format *format_of(const struct import *import, const struct head *head)
{
	if (import->options.format)
		return import->options.format;
	for (size_t i = 0; import_formats[i]; i++)
		if (recognizes(import_formats[i], head))
			return import_formats[i];
	return NULL;
}

/*
 * Opens the file. perf record --threads creates a directory instead of a file. In a directory,
 * opens the file "data", which contains the header.
 */
static int open_source(struct import *import, struct err *err)
{
	char within[PATH_MAX];
	struct stat st;

	import->is_directory = stat(import->path, &st) == 0 && S_ISDIR(st.st_mode);
	(void)snprintf(within, sizeof(within), "%s/data", import->path);
	return byte_source_open(&import->source, import->is_directory ? within : import->path,
				BYTE_SOURCE_BUFFER, err);
}

/*
 * Returns true if the file has content but no samples, and therefore seems to be in a different
 * format: it has malformed lines, or the user named a format that it does not look like.
 */
static bool is_senseless(const struct import *import)
{
	const uint64_t *lost = import->model->losses.count;

	if (import->sample_count || import->batch.samples.count)
		return false;
	return lost[LOSS_LINE_MALFORMED] ||
	       (import->options.format && import->format != &import_perf_data &&
		!import->is_recognized && import->source.offset > 0);
}

/* Names the format of the file, or the format to import that its text is most similar to. */
static int of_other_kind(const char *path, const uint8_t *head, size_t head_bytes, struct err *err)
{
	static const struct {
		const char *mark, *name;
	} others[] = {
		{ "# callgrind format", "a callgrind profile" },
		{ "JAVA PROFILE ", "a Java hprof profile" },
		{ "gmon", "a gprof profile" },
		{ "\x7f"
		  "ELF",
		  "an ELF file" },
	};
	size_t lines, stacks;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (head_bytes >= strlen(others[i].mark) &&
		    memcmp(head, others[i].mark, strlen(others[i].mark)) == 0)
			return err_set(err, -EINVAL,
				       "%s: this file is %s, which assay does not import; see "
				       "'assay list formats'",
				       path, others[i].name);
	stacks = folded_count_lines(head, head_bytes, &lines);
	if (stacks)
		return err_set(err, -EINVAL,
			       "%s: unknown file format; it is most similar to folded stacks, but "
			       "only %zu of its first %zu lines are stacks; see 'assay list "
			       "formats'",
			       path, stacks, lines);
	return err_set(err, -EINVAL, "%s: unknown file format; see 'assay list formats'", path);
}

static int of_no_known_kind(const char *path, const uint8_t *head, size_t head_bytes,
			    struct err *err)
{
	static const char database[] = "SQLite format 3";

	if (head_bytes == 0)
		return err_set(err, -EINVAL, "%s: the file is empty", path);
	if (head_bytes >= sizeof(database) && memcmp(head, database, sizeof(database)) == 0)
		return err_set(err, -EINVAL,
			       "%s: this file is an SQLite database, as recordings of assay "
			       "are; a recording needs no import",
			       path);
	return of_other_kind(path, head, head_bytes, err);
}

int import_read(struct import *import, const char *path, struct err *err)
{
	struct head head;
	int rc;

	import->path = path;
	rc = open_source(import, err);
	if (rc < 0)
		return rc;
	rc = read_head(import, &head);
	if (rc < 0)
		return err_sys(err, rc, "%s", path);
	import->format = format_of(import, &head);
	if (!import->format)
		return of_no_known_kind(path, head.bytes, head.size_bytes, err);
	import->is_recognized = recognizes(import->format, &head);
	rc = import->format->read(import, err);
	if (rc < 0)
		return err && err->code ? rc : err_sys(err, rc, "%s", path);
	if (byte_source_is_damaged(&import->source))
		loss_add(&import->model->losses, LOSS_FILE_CUT, 1);
	if (is_senseless(import))
		return err_set(err, -EINVAL, "%s: contains no samples in the format %s", path,
			       import->format->name);
	model_fact_set(import->model, FACT_IMPORTED_FROM, "%s", path);
	model_fact_set(import->model, FACT_IMPORTED_FORMAT, "%s", import->format->name);
	tell_times(import);
	tell_lacks(import);
	return flush(import, err);
}

const struct image_file *import_image_file(void *context, uint32_t image)
{
	struct import *import = context;

	return import->format && import->format->image_file
		       ? import->format->image_file(import, image)
		       : NULL;
}

const struct kallsyms *import_kallsyms(const struct import *import)
{
	return import->kallsyms.symbols.count ? &import->kallsyms : NULL;
}

bool import_is_same_boot(const struct import *import)
{
	return import->same_boot;
}
