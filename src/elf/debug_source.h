/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_source.h - whoever has debug files that are not in the directories of this machine
 *
 * A source is asked last, by build-id and never by path.  What it gives is as untrusted as any
 * file: it is used only with the build-id that was asked for, and read as all others are.
 */
#ifndef ASSAY_ELF_DEBUG_SOURCE_H
#define ASSAY_ELF_DEBUG_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct debug_source {
	void *context;

	/*
	 * A descriptor of an ELF file with the debug sections of @build_id, the caller's from then
	 * on.  -ENOENT: nobody has it.  Anything else: it may be there but did not come; the
	 * source has said why, or will.  @name is what people call the image.
	 */
	int (*find)(void *context, const char *name, const uint8_t *build_id, size_t size);
};

/* Where debug files are looked for, in this order. */
struct debug_places {
	const char *const *dirs;		/* NULL-terminated; NULL: {"/usr/lib/debug"} */
	const struct debug_source *source;	/* NULL: nobody else is asked */
	const char *name;			/* of the image, for the source; NULL without one */
};

#endif
