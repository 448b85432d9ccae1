/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of perf script. */
#include "fuzz.h"
#include "support/fuzz_import.h"

static const char *const seeds[] = {
	"# ========\n# hostname : h\n# 9 samples lost: sample-ring-full\n"
	"sh 7/8 [003] 12.5: 500 cycles:u: \n"
	"\tffffffff81000010 do_it+0x10 ([kernel.kallsyms])\n"
	"\t            55d5 add (inlined)\n"
	"\t            55d5 T::op(int)+0x5 (/tmp/a (b)/x (deleted))\n"
	"  /src/t.c:12\n"
	"\t               0 <broken stack> ([unknown])\n\n",
	"sh 7/8 [003] 12.5: 5 mem:   7ffe10 \n\t 55d0 f (/x)\n\n"
	"sh 7/8 [003] 12.7: 5 mem:   7ffe10     55d0 f+0x10 (/x)\n",
	"my thread 3 91 2.5:  10 f (/x)\nsh 9 [001] sched:sched_switch: prev=a (b)\n"
	"\tadd (/bin/x)\n",
	"a\\x0a\\u202eb 7/8 cycles: \n\t 55d0 f\\x3b\\x5cx0a (/x)\n"
	"\tffffffffffffffff [unknown] ([unknown])\n"
	"\n a 7 cycles:  55d0 \\x00 (/x)\n",
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	fuzz_import("perf-script", bytes, size_bytes);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	return fuzz_text_seed(seeds, sizeof(seeds) / sizeof(seeds[0]), i, ret_bytes,
			      ret_size_bytes);
}
