/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_lines FILE [DEBUG_DIR] - source lines of the addresses of standard input
 *
 * Reads one hex vaddr a line.  Prints for each what addr2line -a -f -i would: "0x" and the vaddr,
 * then a line with the linkage name and one with path:line for each frame of its chain, innermost
 * first; "??" for what is not known.  Before that, the health where it is not good.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/strpool.h"
#include "dwarf/debug_lines.h"

struct dump {
	struct strpool texts;
	VEC(uint64_t) vaddrs;
	char **chains;
};

static uint32_t intern(void *context, const char *text)
{
	struct dump *dump = context;
	uint32_t id = 0;

	(void)strpool_intern(&dump->texts, text, strlen(text), &id);
	return id;
}

static const char *text_of(const struct dump *dump, uint32_t id)
{
	return id ? strpool_get(&dump->texts, id) : "??";
}

static int keep(void *context, size_t index, const struct debug_frame *frames, size_t count)
{
	struct dump *dump = context;
	size_t size_bytes;
	FILE *out = open_memstream(&dump->chains[index], &size_bytes);

	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%s\n%s:%" PRIu32 "\n", text_of(dump, frames[i].name),
			      text_of(dump, frames[i].path), frames[i].line);
	return fclose(out);
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

int main(int argc, char **argv)
{
	const char *const dirs[] = { argc > 2 ? argv[2] : "/nonexistent", NULL };
	const struct debug_lines_options options = { .debug_dirs = dirs };
	struct dump dump = { 0 };
	const struct debug_lines_sink sink = { &dump, intern, intern, keep };
	struct debug_lines_health health;
	struct image_file file;
	char line[64];
	int rc;

	if (argc < 2 || strpool_init(&dump.texts) < 0 ||
	    image_file_open(AT_FDCWD, argv[1], &file, NULL) < 0)
		return 2;
	while (fgets(line, sizeof(line), stdin))
		*vec_push(&dump.vaddrs) = strtoull(line, NULL, 16);
	qsort(dump.vaddrs.at, dump.vaddrs.count, sizeof(uint64_t), compare);
	dump.chains = calloc(dump.vaddrs.count + 1, sizeof(char *));
	rc = debug_lines_resolve(&file, &options, dump.vaddrs.at, dump.vaddrs.count, &sink,
				 &health);
	if (rc < 0)
		printf("failed %s\n", strerror(-rc));
	if (health.damaged_units || health.missing_splits || health.missing_shared ||
	    health.exhausted)
		printf("health damaged=%" PRIu64 " missing=%" PRIu64 " shared=%d exhausted=%d\n",
		       health.damaged_units, health.missing_splits, health.missing_shared,
		       health.exhausted);
	for (size_t i = 0; i < dump.vaddrs.count; i++)
		printf("0x%" PRIx64 "\n%s", dump.vaddrs.at[i],
		       dump.chains[i] ? dump.chains[i] : "");
	for (size_t i = 0; i < dump.vaddrs.count; i++)
		free(dump.chains[i]);
	free(dump.chains);
	vec_free(&dump.vaddrs);
	strpool_fini(&dump.texts);
	image_file_fini(&file);
	return 0;
}
