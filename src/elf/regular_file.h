/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regular_file.h - open a file somebody else put there
 *
 * Merely opening can do something: a watchdog starts, a tape rewinds, the writer of a FIFO
 * goes on.  So what stands at the path is looked at first, through a descriptor that refers
 * to it without opening it (O_PATH, open(2)), and only a regular file is then opened, through
 * that descriptor: nobody can put another one in its place in between.  Where /proc is not
 * mounted this falls back to opening the path itself, without blocking.
 */
#ifndef ASSAY_ELF_REGULAR_FILE_H
#define ASSAY_ELF_REGULAR_FILE_H

/*
 * Opens @path below directory descriptor @dir_fd (AT_FDCWD for the ordinary rules) to read it.
 * @flags is 0, or O_NOFOLLOW to refuse a link as the last component.  The descriptor, -EINVAL
 * for what is no regular file, or an error of open(2).
 */
int regular_file_open(int dir_fd, const char *path, int flags);

#endif
