/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/statement.h"

#include <errno.h>

static int errno_of(sqlite3 *db, int code)
{
	int os_errno = sqlite3_system_errno(db);

	switch (code & 0xff) {
	case SQLITE_OK:
		return 0;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_IOERR:
		if (os_errno == ENOSPC || os_errno == EDQUOT || os_errno == EFBIG ||
		    code == SQLITE_IOERR_SHMSIZE)
			return -ENOSPC;
		return -EIO;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return os_errno > 0 ? -os_errno : -EACCES;
	default:
		return -EINVAL;
	}
}

int statement_err(sqlite3 *db, const char *path, const char *doing, struct err *err)
{
	int code = sqlite3_extended_errcode(db);
	int rc = errno_of(db, code);

	if ((code & 0xff) == SQLITE_NOTADB || (code & 0xff) == SQLITE_CORRUPT)
		return err_set(err, -EINVAL, "%s: damaged, or not a recording (%s)", path,
			       sqlite3_errmsg(db));
	if ((code & 0xff) == SQLITE_INTERRUPT)
		return err_set(err, -EINVAL, "%s: damaged: reading the file takes too long", path);
	if (rc == -ENOSPC || rc == -EMFILE || rc == -ENFILE)
		return err_sys(err, rc, "%s: cannot %s", path, doing);
	return err_set(err, rc ? rc : -EINVAL, "%s: cannot %s: %s", path, doing,
		       sqlite3_errmsg(db));
}

int statement_exec(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

int64_t statement_integer(sqlite3 *db, const char *sql, int64_t otherwise)
{
	_cleanup_statement_ sqlite3_stmt *query = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK ||
	    sqlite3_step(query) != SQLITE_ROW)
		return otherwise;
	return sqlite3_column_int64(query, 0);
}
