/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * companions.h - the files that SQLite keeps beside a recording: journals and their index
 *
 * SQLite opens these files if they exist, whoever owns them. In a directory where others may write,
 * another user could create them before the recording begins. That user could then read all that is
 * written to the journal, or kill the recorder by truncating the index, which SQLite maps.
 * Therefore the recorder creates all of them itself, exclusively, before SQLite looks for them. In
 * directories with the sticky bit, such as /tmp, others cannot replace them afterwards.
 */
#ifndef ASSAY_STORE_COMPANIONS_H
#define ASSAY_STORE_COMPANIONS_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Creates empty companions of the recording at @path, with mode 0600. Files of earlier recordings
 * and of other users are removed first. If a file cannot be removed, returns a negative errno with
 * a message that names it. An empty journal is as none for SQLite.
 */
int companions_create(const char *path, struct err *err);

/*
 * Creates an empty rollback journal of a recording that is about to change, unless there is one.
 * SQLite keeps it with PRAGMA journal_mode = PERSIST. Returns 0 or a negative errno with a message.
 */
int companions_create_journal(const char *path, struct err *err);

/* Removes the rollback journal, unless it is needed to undo a change that was not completed. */
void companions_remove_journal(const char *path);

/*
 * Returns true if each companion of the recording at @path that exists is a regular file of the
 * recording's owner, with this name only.
 */
bool companions_are_of_owner(const char *path);

void companions_remove(const char *path);	/* all of them */

#endif
