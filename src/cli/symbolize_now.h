/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolize_now.h - recordings that were never finished
 *
 * Names are the last thing a recording gets.  A run that was killed, or is still going on, has
 * none, so whoever reads it makes them on the spot: from the files that the images' paths lead
 * to now, checked to be those that ran, and from the running kernel's symbols where it is still
 * the boot that was recorded.  On another machine much stays unnamed, and health says so.
 */
#ifndef ASSAY_CLI_SYMBOLIZE_NOW_H
#define ASSAY_CLI_SYMBOLIZE_NOW_H

#include <stdbool.h>

#include "elf/kallsyms.h"
#include "store/recording.h"

/*
 * Opens @path and loads it into @model, which is initialised here. An unfinished recording is
 * named, and finished where nobody writes it any more and the file may be written. Both are
 * the caller's to close and fini, the model also after an error.
 */
int cli_load_recording(const char *path, struct recording **ret_recording, struct model *model,
		       struct err *err);

/*
 * The same with source lines: where the recording has none yet they are made now and, if the file
 * may be written, kept there.
 */
int cli_load_with_lines(const char *path, struct recording **ret_recording, struct model *model,
			struct err *err);

/* Names what @model has no names for, and keeps them when @recording was opened for writing. */
int cli_symbolize_now(struct recording *recording, struct model *model, const char *path,
		      struct err *err);

/* The running kernel's symbols, kept in the cache directory (session/kernel_symbols.h). */
int cli_read_kernel_symbols(struct kallsyms *ret_kallsyms, struct err *err);

/* Are these symbols those of the kernel that was recorded, as it was loaded then? */
bool cli_is_recorded_boot(const struct model *model, const struct kallsyms *kallsyms);

#endif
