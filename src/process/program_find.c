/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/program_find.h"

#include <unistd.h>

#include "process/program_name.h"

struct search {
	const char *name;
	struct program_reader *reader;
	proc_id_fn visit;
	void *context;
};

static int look_at(void *context, uint32_t tgid)
{
	const struct search *search = context;
	char path[PROC_PATH_MAX], called[PROGRAM_NAME_MAX];

	if (tgid == (uint32_t)getpid() || proc_read_exe(tgid, path) < 0)
		return 0;
	if (program_name_read(search->reader, tgid, called) < 0)
		called[0] = '\0';
	return program_has_name(search->name, called, path) ? search->visit(search->context, tgid)
							    : 0;
}

int program_find(const char *name, proc_id_fn visit, void *context)
{
	struct program_reader reader = { 0 };
	struct search search = { name, &reader, visit, context };

	return proc_each_id(0, look_at, &search);
}
