/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_lines.h - words the advice of analyze/advice.h for the user of this machine
 *
 * Names the options of assay and of other programs that help, and the package with the debug
 * symbols of a file. All commands that print advice get the lines here.
 */
#ifndef ASSAY_CLI_ADVICE_LINES_H
#define ASSAY_CLI_ADVICE_LINES_H

#include "present/advice.h"

/*
 * Makes the lines about the first event of @profile, which was read from @path (NULL: it is not
 * recorded). Returns 0 or -ENOMEM. Call advice_lines_fini() in both cases.
 */
int advice_lines_make(const struct profile *profile, const char *path,
		      struct advice_lines *ret_lines);

/*
 * The same for @advices, which the caller has already. Advice about several files of one package is
 * joined in @advices.
 */
int advice_lines_word(struct advices *advices, const struct model *model, const char *path,
		      struct advice_lines *ret_lines);
void advice_lines_fini(struct advice_lines *lines);

/*
 * Prints the advice about the samples of @profile, which were read from @path, except that data was
 * lost, which cli_say_losses() says. Prints nothing if there is none. Returns 0 or -ENOMEM.
 */
struct advice_style {
	size_t columns;			/* 0: not a terminal */
	bool is_colored;
};
int advice_print(const struct profile *profile, const char *path, const struct advice_style *style,
		 FILE *out);

#endif
