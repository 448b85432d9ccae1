/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sqlite.h - SQLite for code that is compiled twice
 *
 * What reads column blocks is part of the program and of the loadable extension
 * assay_sqlite.so.  An extension must call SQLite through the table of functions that its host
 * hands over, and sqlite3ext.h renames every call to do so; with SQLITE_CORE defined it leaves
 * them alone.  The library is built with SQLITE_CORE, the extension without.
 */
#ifndef ASSAY_STORE_SQLITE_H
#define ASSAY_STORE_SQLITE_H

#include <sqlite3ext.h>

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT3
#endif

#endif
