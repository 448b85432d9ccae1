/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms_file.h - cache of the kernel's symbol table in a file
 *
 * The kernel takes 60 ms to print /proc/kallsyms, and assay takes another 20 ms to parse and sort
 * it. Together this is a fifth of all the work for a recording of ten seconds. Reading the finished
 * table from a cache file takes two milliseconds.
 *
 * Format: a header, the symbols and the names, all in this machine's byte order. @key identifies
 * the state of the kernel that the table belongs to. assay writes the file itself, but the file may
 * be damaged or from another version. So all values that lookups depend on are checked.
 */
#ifndef ASSAY_ELF_KALLSYMS_FILE_H
#define ASSAY_ELF_KALLSYMS_FILE_H

#include "elf/kallsyms.h"

/* Returns 0, the error of write(2), or -ENOSPC if not all bytes could be written. */
int kallsyms_file_write(int fd, uint64_t key, const struct kallsyms *kallsyms);

/*
 * Returns 0, -EBADMSG if the file is damaged or does not match @key, -ENOMEM, or the error of
 * pread(2).
 */
int kallsyms_file_read(int fd, uint64_t key, struct kallsyms *ret_kallsyms);

#endif
