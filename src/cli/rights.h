/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rights.h - gives up rights that a command does not need (readers/guard.h)
 *
 * A command that reads a file which somebody else may have written does not need the rights of root
 * for that. It keeps the right to read, and can change only that file, what it was asked to write,
 * and the caches. Commands that record give up their rights when they begin to sample.
 */
#ifndef ASSAY_CLI_RIGHTS_H
#define ASSAY_CLI_RIGHTS_H

#include <stdbool.h>

#include "readers/guard.h"

/*
 * Makes a guard that lets SQLite have temporary files, for record_options.guard. Returns NULL if
 * there are no rights to give up. The guard is part of this process and never freed.
 */
struct guard *rights_guard_new(void);

/* Says that the command will write @output, or NULL. Call it before rights_beware(). */
void rights_allow(const char *output);

/*
 * Gives up the rights for ever if this process has some, and @path is a file that others than root
 * and this user may have written, or "-". To be called before the file is opened, for each file.
 */
void rights_beware(const char *path);

/* Returns true if rights_beware() has given up rights, so there are no connections to servers. */
bool rights_are_given_up(void);

#endif
