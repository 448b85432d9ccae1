/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usdt_job.h - finds the static probes of an image by name, in a reader (readers/readers.h)
 *
 * The request is the pattern; the reply is u32 machine, u32 number of all probes, u32 number of
 * those that match, and for each of these u64 file offset, u64 file offset of its semaphore or 0,
 * provider, name and arguments. Numbers are in the host's byte order.
 */
#ifndef ASSAY_SYMBOLIZE_USDT_JOB_H
#define ASSAY_SYMBOLIZE_USDT_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/usdt_notes.h"
#include "readers/readers.h"

extern const struct reader_job usdt_job;

struct found_usdt {
	VEC(struct usdt_probe) list;	/* by provider, name and offset, each place once */
	uint32_t all_count;		/* with those that do not match */
	uint16_t machine;		/* e_machine */
	uint8_t *reply;			/* has the texts; owned */
};

/*
 * Finds the probes of @fd, which stays open, whose names match @pattern (base/pattern.h). If there
 * is a ':' in the pattern, it is compared with PROVIDER:NAME. @readers may be NULL: then this
 * process reads the file. Returns 0, -ENOEXEC if @fd is no ELF image, or another negative errno.
 * Finding none is no error.
 */
int usdt_find(struct readers *readers, int fd, const char *pattern, struct found_usdt *ret_found);
void found_usdt_fini(struct found_usdt *found);

/*
 * Reads a reply into *@found, which is empty and then owns @reply. Returns 0, -EBADMSG or -ENOMEM;
 * call found_usdt_fini() in any case. For usdt_find() and tests.
 */
int usdt_take(uint8_t *reply, size_t size_bytes, struct found_usdt *found);

#endif
