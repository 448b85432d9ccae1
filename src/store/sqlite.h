/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sqlite.h - includes SQLite for code that is compiled twice
 *
 * The code that reads column blocks is part of the program and of the loadable extension
 * assay_sqlite.so. An extension must call SQLite through a table of functions that its host passes
 * in. sqlite3ext.h redefines every SQLite call to use that table, unless SQLITE_CORE is defined.
 * The program's library is therefore built with SQLITE_CORE, and the extension without.
 */
#ifndef ASSAY_STORE_SQLITE_H
#define ASSAY_STORE_SQLITE_H

#include <sqlite3ext.h>

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT3
#endif

#endif
