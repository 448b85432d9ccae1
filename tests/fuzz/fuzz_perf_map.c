/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a perf map as claims, tested at addresses that lie near each other and far apart. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/jit_history.h"
#include "symbolize/perf_map.h"

#define SPOT_COUNT 32

/* Places spots densely where the seeds have code, then at growing distances. */
static void place_spots(struct jit_history *history)
{
	uint64_t addr = 0xff8;

	for (uint32_t i = 0; i < SPOT_COUNT; i++) {
		if (jit_history_spot(history, addr, 1) == UINT32_MAX)
			abort();
		addr += i < 16 ? 8 : UINT64_C(1) << (i + 24);
	}
}

/* Each line takes effect at the time that equals its number. */
static void claim_lines(struct jit_history *history, const char *at, const char *end)
{
	struct perf_map_line line;
	uint64_t time_ns = 0;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		stop = stop ? stop : end;
		if (perf_map_line_read(at, stop, &line)) {
			const struct jit_claim claim = {
				.start_addr = line.start_addr,
				.end_addr = line.end_addr,
				.from_ns = time_ns,
				.by_ns = time_ns + 2,
			};

			if (line.end_addr <= line.start_addr || line.name < at ||
			    line.name + line.length > stop || line.length == 0)
				abort();
			(void)jit_history_claim(history, &claim, line.name, line.length);
		}
		time_ns++;
		at = stop + 1;
	}
}

/* Whatever the lines are, a name must cover the address that it was given to. */
static void judge_spots(const struct jit_history *history)
{
	for (size_t i = 0; i < history->spots.count; i++)
		for (uint64_t time_ns = 0; time_ns < 8; time_ns++) {
			const struct jit_spot *spot = &history->spots.at[i];
			const struct jit_place place = { .first_ns = time_ns,
							 .last_ns = time_ns + time_ns % 3 };
			bool is_unsure = false;
			uint32_t id = jit_history_judge(history, spot, &place, &is_unsure);
			const struct jit_claim *claim = &history->claims.at[id];

			if (id == JIT_NO_CLAIM)
				continue;
			if (is_unsure || id >= history->claims.count ||
			    spot->addr < claim->start_addr || spot->addr >= claim->end_addr ||
			    claim->from_ns > place.first_ns)
				abort();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	const char *text = (const char *)bytes;
	struct jit_budget budget = { .bytes_max = 4096 };
	struct jit_history history;

	jit_history_init(&history, &budget);
	place_spots(&history);
	claim_lines(&history, text, text + size_bytes);
	jit_history_settle(&history);
	judge_spots(&history);
	jit_history_fini(&history);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const char *const seeds[] = {
		"1000 20 first\n1020 0x10 second with spaces\r\n0x1030\t8\ttabs\n",
		"1000 100 old\n1040 20 middle\n1000 10 new\n1050 4 newest",
		("\n \n1000\n1000 10\n1000 0 none\nffffffffffffffff 2 wraps\n"
		 "0 ffffffffffffffff all\n"),
		"1000 10 \x1b[31mred\n7f0000001000 ff LFunction:~far\n",
	};

	if (i >= sizeof(seeds) / sizeof(*seeds))
		return -1;
	*ret_size_bytes = strlen(seeds[i]);
	*ret_bytes = malloc(*ret_size_bytes);
	if (!*ret_bytes)
		abort();
	memcpy(*ret_bytes, seeds[i], *ret_size_bytes);
	return 0;
}
