/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regular_file.h - safely open a file that another user may have put in place
 *
 * Opening a file that is not a regular file can have side effects: a watchdog starts, a tape
 * rewinds, a process that waits to write to a FIFO continues. So the type is checked first, through
 * a descriptor that refers to the file without opening it (O_PATH, open(2)). If the file is a
 * regular file, it is then opened through that same descriptor. So nobody can replace the file
 * between the check and the opening. This requires /proc. If /proc is not mounted, the path itself
 * is opened without blocking.
 */
#ifndef ASSAY_ELF_REGULAR_FILE_H
#define ASSAY_ELF_REGULAR_FILE_H

/*
 * Opens @path for reading, relative to the directory descriptor @dir_fd (or AT_FDCWD, as in
 * openat(2)). @flags is 0, or O_NOFOLLOW to refuse a symbolic link as the last component. Returns
 * the descriptor, -EINVAL if @path is not a regular file, or an error of open(2).
 */
int regular_file_open(int dir_fd, const char *path, int flags);

/*
 * Opens the file that @place refers to (O_PATH). Returns the descriptor, -EINVAL if it is not a
 * regular file, -ENOENT if /proc is not mounted, or another error of open(2).
 */
int regular_file_open_place(int place);

#endif
