/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "base/small_file.h"

#define ONLINE_PATH "/sys/devices/system/cpu/online"

struct cpu_bits {
	uint64_t word[CPUS_MAX / 64];
};

static bool bit_is_set(const struct cpu_bits *bits, unsigned int cpu)
{
	return bits->word[cpu / 64] >> (cpu % 64) & 1;
}

void cpus_fini(struct cpus *cpus)
{
	vec_free(cpus);
}

/* Reads a number below CPUS_MAX at *@text and moves *@text past it. */
static bool take_cpu(const char **text, unsigned int *ret_cpu)
{
	unsigned int cpu = 0;
	const char *at = *text;

	for (; isdigit((unsigned char)*at); at++) {
		cpu = cpu * 10 + (unsigned int)(*at - '0');
		if (cpu >= CPUS_MAX)
			return false;
	}
	if (at == *text)
		return false;
	*text = at;
	*ret_cpu = cpu;
	return true;
}

/* Reads "3" or "0-3", which must end at a comma or at the end of the text. */
static bool take_range(const char **text, struct cpu_bits *bits)
{
	unsigned int first, last;

	if (!take_cpu(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		++*text;
		if (!take_cpu(text, &last) || last < first)
			return false;
	}
	for (unsigned int cpu = first; cpu <= last; cpu++)
		bits->word[cpu / 64] |= UINT64_C(1) << (cpu % 64);
	return **text == ',' || **text == '\0';
}

static int fill(struct cpus *cpus, const struct cpu_bits *bits, struct err *err)
{
	vec_clear(cpus);
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		int *slot;

		if (!bit_is_set(bits, cpu))
			continue;
		slot = vec_push(cpus);
		if (!slot)
			return err_sys(err, -ENOMEM, "cannot read a list of CPUs");
		*slot = (int)cpu;
	}
	return 0;
}

int cpus_parse(const char *text, struct cpus *ret_cpus, struct err *err)
{
	struct cpu_bits bits = { 0 };
	const char *at = text;

	for (;;) {
		const char *part = at;

		if (!take_range(&at, &bits))
			return err_set(err, -EINVAL,
				       "'%.*s' in the CPU list '%s' is not a CPU or a range of "
				       "CPUs below %d",
				       (int)strcspn(part, ","), part, text, CPUS_MAX);
		if (*at == '\0')
			break;
		at++;
	}
	return fill(ret_cpus, &bits, err);
}

int cpus_online(struct cpus *ret_cpus, struct err *err)
{
	char text[4096];
	int code = small_file_read(ONLINE_PATH, text, sizeof(text));

	if (code < 0)
		return err_sys(err, code, "cannot read " ONLINE_PATH);
	code = cpus_parse(text, ret_cpus, err);
	return code < 0 ? err_prefix(err, ONLINE_PATH) : 0;
}

bool cpus_has(const struct cpus *cpus, int cpu)
{
	size_t low = 0;
	size_t high = cpus->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cpus->at[middle] < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cpus->count && cpus->at[low] == cpu;
}

void cpus_intersect(struct cpus *cpus, const struct cpus *others)
{
	size_t kept = 0;

	for (size_t i = 0; i < cpus->count; i++)
		if (cpus_has(others, cpus->at[i]))
			cpus->at[kept++] = cpus->at[i];
	cpus->count = kept;
}
