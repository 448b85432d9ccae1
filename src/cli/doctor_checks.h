/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor_checks.h - checks by trial what can be profiled on this machine
 *
 * Each check opens, maps or loads the thing in question, as a recording would. Sysctls and
 * capabilities are only read to explain a refusal and to name the command that would lift it.
 */
#ifndef ASSAY_CLI_DOCTOR_CHECKS_H
#define ASSAY_CLI_DOCTOR_CHECKS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum verdict { VERDICT_GOOD, VERDICT_LIMITED, VERDICT_UNKNOWN };

struct check {
	const char *what;		/* name of the check: "whole machine" */
	enum verdict verdict;
	char state[ERR_TEXT_MAX];	/* the result on this machine */
	const char *cost;		/* what a recording lacks without it */
	char enable[PATH_MAX + 128];	/* a command that enables it, or "" if none would help */
};

#define CHECKS_MAX 20

/*
 * Fills in @checks and returns their number. *ret_usable is set to true if anything can be profiled
 * here, even if only the user's own processes.
 */
size_t doctor_checks(struct check checks[static CHECKS_MAX], bool *ret_usable);

#endif
