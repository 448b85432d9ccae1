/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usdt_notes.h - the static probes (USDT) that a program or library has
 *
 * <sys/sdt.h> and its like compile a probe to a nop, and describe it by a note in the section
 * .note.stapsdt: where the nop is, the names of the probe and its provider, and where the arguments
 * are. A probe that was inlined has several notes. Prelinked files have moved since their notes
 * were written; the section .stapsdt.base tells by how much.
 *
 * Layout: sourceware.org/systemtap/wiki/UserSpaceProbeImplementation.
 */
#ifndef ASSAY_ELF_USDT_NOTES_H
#define ASSAY_ELF_USDT_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/image_file.h"

#define USDT_PROBES_MAX 100000u

struct usdt_probe {
	uint64_t offset;		/* of the nop, in the file */
	/* of a counter that is above 0 while someone listens, in the file; 0: there is none */
	uint64_t semaphore_offset;
	const char *provider, *name;	/* owned by the list */
	/* such as "-4@%edi 8@-24(%rbp)": signed if negative, the size in bytes, and the place */
	const char *arguments;
};

struct usdt_probes {
	VEC(struct usdt_probe) list;	/* in the order of the notes */
	uint8_t *bytes;			/* has the texts; owned */
};

/*
 * Reads the probes of a 64-bit image; a 32-bit image has none. A note that is damaged, or of a
 * place that is no code, is left out. Returns 0, an error of reading such as -ENOEXEC, -E2BIG for
 * more than USDT_PROBES_MAX, or -ENOMEM.
 */
int usdt_probes_read(const struct image_file *file, struct usdt_probes *ret_probes);

/* The same for an image in memory, which is not copied. */
int usdt_probes_from_bytes(const void *bytes, size_t size_bytes, struct usdt_probes *ret_probes);
void usdt_probes_fini(struct usdt_probes *probes);

#endif
