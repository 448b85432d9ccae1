/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_readers.h - the readers of a session (readers/readers.h), and what they can do */
#ifndef ASSAY_SESSION_FILE_READERS_H
#define ASSAY_SESSION_FILE_READERS_H

#include "readers/readers.h"

/*
 * Starts readers that build unwind tables, name addresses, find functions, and copy code and
 * jitdumps. Call it before this process opens or reads anything that a reader should not have.
 * Returns NULL if this process has no rights to protect, or if readers cannot be started; then it
 * reads the files itself.
 */
struct readers *file_readers_new(void);

#endif
