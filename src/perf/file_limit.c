/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/file_limit.h"

void file_limit_raise(struct rlimit *ret_before)
{
	struct rlimit raised;

	*ret_before = (struct rlimit){ 0 };
	if (getrlimit(RLIMIT_NOFILE, &raised) < 0)
		return;
	*ret_before = raised;
	raised.rlim_cur = raised.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &raised);
}

void file_limit_restore(const struct rlimit *before)
{
	if (before->rlim_max)
		(void)setrlimit(RLIMIT_NOFILE, before);
}
