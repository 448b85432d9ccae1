/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor_checks.h - what can be profiled here, found out by trying
 *
 * Each check opens, maps or loads the thing it is about, as a recording would; sysctls and
 * capabilities are only read to explain a refusal and to name the command that ends it.
 */
#ifndef ASSAY_CLI_DOCTOR_CHECKS_H
#define ASSAY_CLI_DOCTOR_CHECKS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum verdict { VERDICT_GOOD, VERDICT_LIMITED, VERDICT_UNKNOWN };

struct check {
	const char *what;		/* "whole machine" */
	enum verdict verdict;
	char state[ERR_TEXT_MAX];	/* how it is here */
	const char *cost;		/* what is missing without it */
	char enable[PATH_MAX + 128];	/* a command, or "" where none would help */
};

#define CHECKS_MAX 20

/*
 * Fills @checks and returns their count. *ret_usable: something can be profiled here, be it
 * only the user's own processes.
 */
size_t doctor_checks(struct check checks[static CHECKS_MAX], bool *ret_usable);

#endif
