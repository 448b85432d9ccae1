/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_opener.h - opens files that may be on a file system that does not answer
 *
 * A FUSE or network file system can leave open(2) and read(2) waiting for ever, and only SIGKILL
 * ends that. A profiler that opens the files of all processes must not wait with them. So files on
 * such file systems are opened by a child process, which sends the descriptor back. If it does not
 * answer in time, it is killed, and the file system is not asked again.
 *
 * The child is created when it is first needed, or by file_opener_begin(). Files on disks, and in
 * memory, are opened directly.
 * Which file system a file is on is found without asking it: from what the kernel has in memory
 * (RESOLVE_CACHED of openat2(2), AT_STATX_DONT_SYNC of statx(2)) and /proc/PID/mountinfo.
 *
 * Only opening and closing are guarded, and reading the first bytes. If a file system stops
 * answering later, a read of an open file waits: readers/readers.h.
 */
#ifndef ASSAY_ELF_FILE_OPENER_H
#define ASSAY_ELF_FILE_OPENER_H

#include <stdbool.h>
#include <stdint.h>

struct file_opener;

#define FILE_OPENER_WAIT_MS 200
#define FILE_OPENER_TIMEOUTS_MAX 5	/* then no file is opened by a child any more */
#define FILE_OPENER_KEPT_MAX 256

int file_opener_new(struct file_opener **ret_opener);

/*
 * Creates the child now. A process that grows should do this while it is small, because the child
 * keeps a copy of each page that changes later; one that gives up rights (readers/guard.h), while
 * it has them. If that fails, the first request tries again.
 */
void file_opener_begin(struct file_opener *opener);
uint64_t file_opener_cpu_ns(const struct file_opener *opener);	/* CPU time of the children */

/*
 * NULL is fine. A process that exits closes its files, and would then wait for file systems that no
 * longer answer. So if files were kept by file_opener_close(), a child that shares the descriptors
 * keeps them until this process has exited, and waits in its place.
 */
void file_opener_free(struct file_opener *opener);

/*
 * Opens @path for reading, as regular_file_open() does. @tgid is a process that has the file
 * mapped, in whose mount namespace the file system is looked up if it is not in ours, or 0. Returns
 * the descriptor, -ETIMEDOUT if the file system does not answer or did not answer earlier, or
 * another negative errno. If @opener is NULL, opens the file directly.
 */
int file_opener_open(struct file_opener *opener, const char *path, uint32_t tgid);

/*
 * Returns a descriptor (O_PATH) of the place that @path, below @dir_fd or AT_FDCWD, leads to. If
 * @in_root is true, @dir_fd is the root for ".." and absolute links. Never asks a file system:
 * returns -EAGAIN if the kernel does not have the path in memory, or cannot tell (before 5.12).
 * @opener may be NULL.
 */
int file_opener_look(struct file_opener *opener, int dir_fd, const char *path, bool in_root);

/*
 * Returns true if the file system of @fd, which file_opener_open() returned, might stop answering.
 */
bool file_opener_doubts(const struct file_opener *opener, int fd);

/*
 * Closes @fd, which file_opener_open() returned, or keeps it open until the end if its file system
 * might not answer: close(2) waits for FUSE. At most FILE_OPENER_KEPT_MAX files are kept. If
 * @opener is NULL, closes @fd.
 */
void file_opener_close(struct file_opener *opener, int fd);

/*
 * Returns true if the file system of @place, a descriptor from open(2) with O_PATH, always answers.
 * If @opener is NULL, all do.
 */
bool file_opener_answers(struct file_opener *opener, int place, uint32_t tgid);

#endif
