/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cleanup.h - releases resources at the end of their scope
 *
 *	_cleanup_free_ char *line = NULL;
 *	_cleanup_close_ int fd = open(...);
 *
 * A variable with one of these attributes must be initialised where it is declared. To pass the
 * resource on to the caller, return TAKE_PTR(p) or TAKE_FD(fd). These macros reset the variable, so
 * that the resource is not released.
 */
#ifndef ASSAY_BASE_CLEANUP_H
#define ASSAY_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))

/*
 * Defines function##p(), which _cleanup_() can use for pointers to @type. @function is the
 * destructor of the type and must accept NULL.
 */
#define DEFINE_CLEANUP(type, function)			\
	static inline void function##p(type **p)	\
	{						\
		function(*p);				\
	}						\
	struct cleanup_needs_semicolon

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void cleanup_fclose(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

static inline void cleanup_closedir(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_close)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)
#define _cleanup_closedir_ _cleanup_(cleanup_closedir)

#define TAKE_PTR(p)			\
	({				\
		__typeof__(p) _p = (p);	\
		(p) = NULL;		\
		_p;			\
	})

#define TAKE_FD(fd)		\
	({			\
		int _fd = (fd);	\
		(fd) = -1;	\
		_fd;		\
	})

#endif
