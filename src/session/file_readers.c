/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/file_readers.h"

#include "symbolize/code_job.h"
#include "symbolize/dump_file.h"
#include "symbolize/function_job.h"
#include "symbolize/inlined_job.h"
#include "symbolize/name_job.h"
#include "symbolize/parameter_job.h"
#include "symbolize/usdt_job.h"
#include "unwind/table_job.h"

struct readers *file_readers_new(void)
{
	static const struct reader_job *const jobs[] = { &table_job, &name_job,	    &code_job,
							 &copy_job,  &function_job, &parameter_job,
							 &usdt_job,  &inlined_job };
	struct readers *readers = NULL;

	if (!readers_are_useful() || readers_new(jobs, sizeof(jobs) / sizeof(*jobs), &readers) < 0)
		return NULL;
	return readers;
}
