/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rights.h - gives up rights that a command does not need (readers/guard.h)
 *
 * A command that reads a recording also reads programs and debug information, which anybody may
 * have written. It does not need the rights of root for that. It keeps the right to read, and can
 * change only the recording, what it was asked to write, and the caches. Commands that record give
 * up their rights when they begin to sample.
 */
#ifndef ASSAY_CLI_RIGHTS_H
#define ASSAY_CLI_RIGHTS_H

#include <stdbool.h>

#include "elf/image_file.h"
#include "readers/guard.h"

/*
 * Makes a guard that lets SQLite have temporary files, for record_options.guard. Returns NULL if
 * there are no rights to give up. The guard is part of this process and never freed.
 */
struct guard *rights_guard_new(void);

/*
 * Says that the command will write @path, an output or one of several recordings, or NULL. The text
 * is borrowed. To be called before rights_beware().
 */
void rights_allow(const char *path);

/*
 * Gives up the rights for ever if this process has some. @path is the file that is read next, "-"
 * is standard input. If the user wants debug servers to be asked, which needs rights, nothing is
 * given up for a file that only root and this user can have written.
 */
void rights_beware(const char *path);

/* Returns /proc/kcore if it was opened before the rights to do so were given up, or NULL. */
const struct image_file *rights_kcore(void);

/* Returns true if rights_beware() has given up rights, so there are no connections to servers. */
bool rights_are_given_up(void);

#endif
