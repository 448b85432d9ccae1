/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hex.h"
#include "elf/regular_file.h"

#define BUFFER_BYTES (256 * 1024)
#define LINE_MAX_BYTES 4096
#define NAMES_MAX_BYTES (UINT32_C(256) << 20)

/*
 * Limit on the size of a module's last function. No symbol follows it in the module's text, so its
 * end is unknown. Without the limit, an address far after a module would get the name of the
 * module's last function.
 */
#define LAST_SYMBOL_MAX_BYTES (UINT64_C(64) << 10)

/*
 * State of reading the file. During reading, each name is stored with its type letter in front. If
 * several symbols have the same address, the letter helps to decide which of them comes first.
 */
struct reading {
	struct kallsyms *kallsyms;
	uint64_t any_addr;	/* bitwise OR of all addresses; 0 if the kernel hides them */
	size_t line_count;
	/* offset of the name of the last module; a module's symbols are consecutive */
	uint32_t last_module;
};

static bool starts_with(const char *name, size_t length, const char *prefix)
{
	size_t prefix_length = strlen(prefix);

	return length >= prefix_length && memcmp(name, prefix, prefix_length) == 0;
}

static bool ends_with(const char *name, size_t length, const char *suffix)
{
	size_t suffix_length = strlen(suffix);

	return length >= suffix_length &&
	       memcmp(name + length - suffix_length, suffix, suffix_length) == 0;
}

static bool is_name(const char *name, size_t length, const char *wanted)
{
	return length == strlen(wanted) && memcmp(name, wanted, length) == 0;
}

/*
 * Returns the rank of a name among the names of one address. The name with the lowest rank
 * describes the code best.
 */
static unsigned int rank(const char *name)
{
	size_t length = strlen(name);
	char type = name[-1];
	unsigned int binding = type == 'T' ? 0 : type == 'W' ? 1 : type == 't' ? 2 : 3;
	bool marker = ends_with(name, length, "_start") || ends_with(name, length, "_end") ||
		      starts_with(name, length, "__pfx_") || is_name(name, length, "_text") ||
		      is_name(name, length, "_stext") || is_name(name, length, "_etext");

	return (marker ? 4 : 0) + binding;
}

static int add_name(struct kallsyms *kallsyms, const char *name, size_t length,
		    uint32_t *ret_offset)
{
	size_t start = kallsyms->names.count;

	if (start + length + 1 > NAMES_MAX_BYTES)
		return -EFBIG;
	if (vec_reserve(&kallsyms->names, start + length + 1) < 0)
		return -ENOMEM;
	memcpy(kallsyms->names.at + start, name, length);
	kallsyms->names.at[start + length] = '\0';
	kallsyms->names.count += length + 1;
	*ret_offset = (uint32_t)start;
	return 0;
}

static int add_module(struct reading *reading, const char *name, size_t length)
{
	const char *last = kallsyms_string(reading->kallsyms, reading->last_module);

	if (strlen(last) == length && memcmp(last, name, length) == 0)
		return 0;
	return add_name(reading->kallsyms, name, length, &reading->last_module);
}

/* @name must point into the line: the symbol's type is read from name[-2], before a space. */
static int add_symbol(struct reading *reading, uint64_t addr, const char *name, size_t length)
{
	struct kernel_symbol *symbol = vec_push(&reading->kallsyms->symbols);
	int rc;

	if (!symbol)
		return -ENOMEM;
	symbol->addr = addr;
	reading->any_addr |= addr;
	rc = add_name(reading->kallsyms, name - 1, length + 1, &symbol->name);
	if (rc < 0)
		return rc;
	reading->kallsyms->names.at[symbol->name++] = name[-2];
	return 0;
}

static void note_text_bounds(struct kallsyms *kallsyms, uint64_t addr, const char *name,
			     size_t length)
{
	if (is_name(name, length, "_stext"))
		kallsyms->text_start_addr = addr;
	else if (is_name(name, length, "_etext"))
		kallsyms->text_end_addr = addr;
}

/* Parses "ffffffff81000300 T name\t[module]", without the newline. */
static int read_line(struct reading *reading, const char *line, const char *end)
{
	struct kallsyms *kallsyms = reading->kallsyms;
	uint64_t addr;
	const char *at = hex_parse(line, end, &addr);
	const char *name, *tab;
	size_t length;
	char type;
	int rc;

	reading->line_count++;
	if (!at || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return -EINVAL;
	type = at[1];
	name = at + 3;
	tab = memchr(name, '\t', (size_t)(end - name));
	length = (size_t)((tab ? tab : end) - name);
	if (!tab)
		note_text_bounds(kallsyms, addr, name, length);
	if (type != 't' && type != 'T' && type != 'w' && type != 'W')
		return 0;
	rc = add_symbol(reading, addr, name, length);
	if (rc < 0 || !tab)
		return rc;
	if (end - tab < 4 || tab[1] != '[' || end[-1] != ']')
		return -EINVAL;
	rc = add_module(reading, tab + 2, (size_t)(end - tab) - 3);
	if (rc < 0)
		return rc;
	kallsyms->symbols.at[kallsyms->symbols.count - 1].module = reading->last_module;
	return 0;
}

/* Parses all complete lines of the buffer. *@ret_used is the total size of these lines in bytes. */
static int read_lines(struct reading *reading, const char *buffer, size_t size_bytes,
		      size_t *ret_used)
{
	const char *line = buffer, *end = buffer + size_bytes, *newline;

	while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
		int rc = read_line(reading, line, newline);

		if (rc < 0)
			return rc;
		line = newline + 1;
	}
	*ret_used = (size_t)(line - buffer);
	return size_bytes - *ret_used > LINE_MAX_BYTES ? -EINVAL : 0;
}

static int read_file(struct reading *reading, int fd)
{
	_cleanup_free_ char *buffer = malloc(BUFFER_BYTES);
	size_t filled = 0, used;
	uint32_t empty;
	int rc;

	if (!buffer)
		return -ENOMEM;
	rc = add_name(reading->kallsyms, "", 0, &empty);
	if (rc < 0)
		return rc;
	for (;;) {
		ssize_t n = read(fd, buffer + filled, BUFFER_BYTES - filled);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return filled ? -EINVAL : 0;	/* the last line is incomplete */
		filled += (size_t)n;
		rc = read_lines(reading, buffer, filled, &used);
		if (rc < 0)
			return rc;
		filled -= used;
		memmove(buffer, buffer + used, filled);
	}
}

static int compare_symbols(const void *left, const void *right, void *arg)
{
	const struct kernel_symbol *a = left, *b = right;
	const char *names = arg;
	unsigned int rank_a, rank_b;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	rank_a = rank(names + a->name);
	rank_b = rank(names + b->name);
	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static int explain(int rc, const char *path, const struct reading *reading, struct err *err)
{
	if (rc == -EINVAL)
		return err_set(err, rc, "%s: line %zu is not \"address type name [module]\"", path,
			       reading->line_count);
	if (rc < 0)
		return err_sys(err, rc, "cannot read %s", path);
	if (reading->kallsyms->symbols.count == 0)
		return err_set(err, -EINVAL, "%s: contains no text symbols", path);
	return err_set(err, -EACCES,
		       "%s: the kernel hides its addresses (all read as zero); lower the sysctl "
		       "kernel.kptr_restrict to 1 with CAP_SYSLOG, or to 0",
		       path);
}

static int open_regular(const char *path, struct err *err)
{
	int fd = regular_file_open(AT_FDCWD, path, 0);

	if (fd == -EINVAL)
		return err_set(err, fd, "%s: not a regular file", path);
	return fd < 0 ? err_sys(err, fd, "cannot open %s", path) : fd;
}

int kallsyms_read(const char *path, struct kallsyms *ret_kallsyms, struct err *err)
{
	struct kallsyms kallsyms = { 0 };
	struct reading reading = { .kallsyms = &kallsyms };
	_cleanup_close_ int fd = open_regular(path, err);
	int rc;

	if (fd < 0)
		return fd;
	rc = read_file(&reading, fd);
	if (rc < 0 || !reading.any_addr) {
		rc = explain(rc, path, &reading, err);
		kallsyms_fini(&kallsyms);
		return rc;
	}
	qsort_r(kallsyms.symbols.at, kallsyms.symbols.count, sizeof(*kallsyms.symbols.at),
		compare_symbols, kallsyms.names.at);
	*ret_kallsyms = kallsyms;
	return 0;
}

void kallsyms_fini(struct kallsyms *kallsyms)
{
	vec_free(&kallsyms->symbols);
	vec_free(&kallsyms->names);
}

uint64_t kallsyms_addr(const struct kallsyms *kallsyms, const char *name)
{
	for (size_t i = 0; i < kallsyms->symbols.count; i++)
		if (strcmp(kallsyms_string(kallsyms, kallsyms->symbols.at[i].name), name) == 0)
			return kallsyms->symbols.at[i].addr;
	return 0;
}

/*
 * Returns the index of the first symbol whose address is at least @addr. If @above is true, the
 * address must be greater than @addr. Returns symbols.count if there is no such symbol.
 */
static size_t first_from(const struct kallsyms *kallsyms, uint64_t addr, bool above)
{
	size_t low = 0, high = kallsyms->symbols.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t here = kallsyms->symbols.at[middle].addr;

		if (here < addr || (above && here == addr))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns the highest address at which @symbol can end, which is the address of @next. If @next is
 * NULL or in another module, @symbol has at most LAST_SYMBOL_MAX_BYTES. A symbol of the kernel
 * itself ends at _etext at the latest.
 */
static uint64_t text_limit(const struct kallsyms *kallsyms, const struct kernel_symbol *symbol,
			   const struct kernel_symbol *next)
{
	bool same_text = next && strcmp(kallsyms_string(kallsyms, symbol->module),
					kallsyms_string(kallsyms, next->module)) == 0;
	uint64_t limit = next ? next->addr : UINT64_MAX;

	if (!same_text && limit - symbol->addr > LAST_SYMBOL_MAX_BYTES)
		limit = symbol->addr + LAST_SYMBOL_MAX_BYTES;
	if (symbol->addr < kallsyms->text_end_addr && limit > kallsyms->text_end_addr)
		limit = kallsyms->text_end_addr;
	return limit;
}

const struct kernel_symbol *kallsyms_lookup(const struct kallsyms *kallsyms, uint64_t addr,
					    uint64_t *ret_end_addr)
{
	size_t above = first_from(kallsyms, addr, true);
	const struct kernel_symbol *symbol, *next = NULL;
	uint64_t end_addr;

	if (above == 0)
		return NULL;
	if (above < kallsyms->symbols.count)
		next = &kallsyms->symbols.at[above];
	symbol = &kallsyms->symbols.at[above - 1];
	symbol = &kallsyms->symbols.at[first_from(kallsyms, symbol->addr, false)];
	end_addr = text_limit(kallsyms, symbol, next);
	if (addr >= end_addr)
		return NULL;
	*ret_end_addr = end_addr;
	return symbol;
}
