/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/proc_stat.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define PROC_STAT "/proc/stat"

/*
 * Columns after the CPU's name, up to steal. The guest columns that follow are already part of user
 * and nice.
 */
static const enum cpu_time columns[] = {
	CPU_TIME_USER,	 CPU_TIME_NICE, CPU_TIME_SYSTEM,  CPU_TIME_IDLE,
	CPU_TIME_IOWAIT, CPU_TIME_IRQ,	CPU_TIME_SOFTIRQ, CPU_TIME_STEAL,
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

static bool parse_cpu_line(const char *line, uint32_t *ret_cpu, uint64_t ret_ticks[COLUMN_COUNT])
{
	char *end;

	if (strncmp(line, "cpu", 3) != 0 || !isdigit((unsigned char)line[3]))
		return false;
	*ret_cpu = (uint32_t)strtoul(line + 3, &end, 10);
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		const char *start = end;

		ret_ticks[i] = strtoull(start, &end, 10);
		if (end == start)
			return false;
	}
	return true;
}

int proc_stat_parse(FILE *file, uint64_t now_ns, struct ledger *ledger)
{
	uint64_t tick_ns = NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	_cleanup_free_ char *line = NULL;
	size_t line_bytes = 0;

	while (getline(&line, &line_bytes, file) > 0) {
		uint64_t ticks[COLUMN_COUNT];
		struct cpu_ledger *entry;
		uint32_t cpu;

		if (!parse_cpu_line(line, &cpu, ticks))
			continue;
		entry = ledger_cpu(ledger, cpu);
		if (!entry)
			return -ENOMEM;
		for (size_t i = 0; i < COLUMN_COUNT; i++)
			entry->last_ns[columns[i]] = ticks[i] * tick_ns;
		if (entry->start_ns == 0) {
			entry->start_ns = now_ns;
			memcpy(entry->first_ns, entry->last_ns, sizeof(entry->first_ns));
		}
		entry->end_ns = now_ns;
	}
	return ferror(file) ? -EIO : 0;
}

int proc_stat_read(struct ledger *ledger, struct err *err)
{
	_cleanup_fclose_ FILE *file = fopen(PROC_STAT, "re");
	int rc;

	if (!file)
		return err_sys(err, -errno, "cannot open " PROC_STAT);
	rc = proc_stat_parse(file, clock_monotonic_ns(), ledger);
	return rc < 0 ? err_sys(err, rc, "cannot read " PROC_STAT) : 0;
}
