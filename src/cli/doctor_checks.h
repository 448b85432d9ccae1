/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor_checks.h - checks what can be profiled on this machine, by trying it
 *
 * Each check really opens an event, maps a buffer or loads a program, in the same way as a
 * recording. Sysctls and capabilities are read only after a failure, to explain it and to name a
 * command that would fix it.
 */
#ifndef ASSAY_CLI_DOCTOR_CHECKS_H
#define ASSAY_CLI_DOCTOR_CHECKS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum verdict { VERDICT_GOOD, VERDICT_LIMITED, VERDICT_UNKNOWN };

struct check {
	const char *what;		/* subject of the check, such as "whole machine" */
	enum verdict verdict;
	char state[ERR_TEXT_MAX];	/* result of the check on this machine, for the user */
	const char *cost;		/* feature that a recording loses if the check fails */
	/* shell command after which the check would succeed; "" if there is none */
	char enable[PATH_MAX + 128];
};

#define CHECKS_MAX 52

/*
 * Fills in @checks and returns their number. *ret_usable is set to true if anything can be profiled
 * here, even if only the user's own processes.
 */
size_t doctor_checks(struct check checks[static CHECKS_MAX], bool *ret_usable);

#endif
