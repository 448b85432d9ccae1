/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assay_sqlite.so: provides the virtual tables to any program that loads SQLite extensions
 *
 *	sqlite3 profile.assay '.load ./assay_sqlite' 'SELECT count(*) FROM sample'
 */
#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT1

#include "store/vtab.h"

__attribute__((visibility("default"))) int sqlite3_extension_init(sqlite3 *db, char **ret_message,
								  const sqlite3_api_routines *api);

int sqlite3_extension_init(sqlite3 *db, char **ret_message, const sqlite3_api_routines *api)
{
	SQLITE_EXTENSION_INIT2(api)
	return vtab_register(db);
}
