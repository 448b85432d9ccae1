/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms_file.h - the kernel's symbol table as it was read once before
 *
 * To print /proc/kallsyms takes the kernel 60 ms, to parse and to sort it us another 20: a fifth of
 * what a recording of ten seconds takes.  The table as it lies in memory is read back in two.
 *
 * Shape: a header, the symbols, the names, all in this machine's byte order.  @key says of what
 * state of the kernel the table is.  The file is ours, but may be damaged or another version's: it
 * is checked as far as lookups depend on it.
 */
#ifndef ASSAY_ELF_KALLSYMS_FILE_H
#define ASSAY_ELF_KALLSYMS_FILE_H

#include "elf/kallsyms.h"

/* 0 or the error of write(2). */
int kallsyms_file_write(int fd, uint64_t key, const struct kallsyms *kallsyms);

/* 0; -EBADMSG: damaged, or not of @key; -ENOMEM, or the error of pread(2). */
int kallsyms_file_read(int fd, uint64_t key, struct kallsyms *ret_kallsyms);

#endif
