/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/irq_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "base/small_file.h"

/*
 * Reads the label at the beginning of @line, which ends at a colon. Returns false if the line has
 * no label, or if the label and its NUL do not fit in @size_bytes.
 */
static bool read_label(const char *line, char *ret_label, size_t size_bytes)
{
	size_t start = strspn(line, " "), length = strcspn(line + start, ":\n");

	if (length == 0 || length >= size_bytes || line[start + length] != ':')
		return false;
	memcpy(ret_label, line + start, length);
	ret_label[length] = '\0';
	return true;
}

void irq_name_of_softirq(FILE *file, uint32_t number, char ret_name[static IRQ_NAME_MAX])
{
	_cleanup_free_ char *line = NULL;
	char label[IRQ_LABEL_MAX];
	size_t line_bytes = 0;
	uint32_t at = 0;

	(void)snprintf(ret_name, IRQ_NAME_MAX, "softirq %u", number);
	if (file)
		rewind(file);
	while (file && getline(&line, &line_bytes, file) > 0) {
		if (!read_label(line, label, sizeof(label)) || at++ != number)
			continue;
		(void)snprintf(ret_name, IRQ_NAME_MAX, "%s", label);
		break;
	}
}

void irq_name_of_device(uint32_t number, char ret_name[static IRQ_NAME_MAX])
{
	char path[64], actions[IRQ_NAME_MAX];

	(void)snprintf(path, sizeof(path), "/sys/kernel/irq/%u/actions", number);
	if (small_file_read(path, actions, sizeof(actions)) == 0 && actions[0])
		(void)snprintf(ret_name, IRQ_NAME_MAX, "%s", actions);
	else
		(void)snprintf(ret_name, IRQ_NAME_MAX, "irq %u", number);
}

/* ---- /proc/interrupts, /proc/softirqs ---- */

struct columns {
	VEC(uint32_t) cpus;
};

static void columns_fini(struct columns *columns)
{
	vec_free(&columns->cpus);
}

/* Parses the header, "           CPU0       CPU1", which lists online CPUs only. */
static int read_header(const char *line, struct columns *columns)
{
	while ((line = strstr(line, "CPU")) != NULL) {
		char *end;
		unsigned long cpu = strtoul(line + 3, &end, 10);
		uint32_t *slot;

		if (end == line + 3 || cpu > UINT16_MAX)
			return -EIO;
		slot = vec_push(&columns->cpus);
		if (!slot)
			return -ENOMEM;
		*slot = (uint32_t)cpu;
		line = end;
	}
	return columns->cpus.count ? 0 : -EIO;
}

/*
 * Reads the first @count numbers of @text. Returns the text after these numbers, or NULL if there
 * are fewer numbers.
 */
static const char *read_numbers(const char *text, uint64_t *ret_counts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *end;

		text += strspn(text, " ");
		if (!isdigit((unsigned char)*text))
			return NULL;
		ret_counts[i] = strtoull(text, &end, 10);
		text = end;
	}
	return text + strspn(text, " ");
}

struct interrupt_line {
	const struct columns *columns;
	uint64_t *counts;
	uint32_t number;
	irq_count_fn visit;
	void *context;
};

static int visit_line(const struct interrupt_line *line, const char *text)
{
	char label[IRQ_LABEL_MAX], what[IRQ_NAME_MAX];
	const char *behind;

	if (!read_label(text, label, sizeof(label)))
		return 0;
	behind = read_numbers(strchr(text, ':') + 1, line->counts, line->columns->cpus.count);
	if (!behind)
		return 0;
	(void)snprintf(what, sizeof(what), "%.*s", (int)strcspn(behind, "\n"), behind);
	for (size_t i = 0; i < line->columns->cpus.count; i++) {
		int rc = line->visit(line->context, label, what, line->number,
				     line->columns->cpus.at[i], line->counts[i]);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int visit_lines(FILE *file, struct interrupt_line *line)
{
	_cleanup_free_ char *text = NULL;
	size_t text_bytes = 0;

	while (getline(&text, &text_bytes, file) > 0) {
		int rc = visit_line(line, text);

		line->number++;
		if (rc != 0)
			return rc;
	}
	return ferror(file) ? -EIO : 0;
}

int irq_counts_each(FILE *file, irq_count_fn visit, void *context)
{
	_cleanup_free_ char *header = NULL;
	_cleanup_free_ uint64_t *counts = NULL;
	_cleanup_(columns_fini) struct columns columns = { 0 };
	struct interrupt_line line = { .columns = &columns, .visit = visit, .context = context };
	size_t header_bytes = 0;
	int rc;

	if (getline(&header, &header_bytes, file) <= 0)
		return -EIO;
	rc = read_header(header, &columns);
	if (rc < 0)
		return rc;
	line.counts = counts = calloc(columns.cpus.count, sizeof(*counts));
	return counts ? visit_lines(file, &line) : -ENOMEM;
}
