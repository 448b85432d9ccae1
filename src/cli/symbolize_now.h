/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolize_now.h - names for recordings that were never finished
 *
 * Names are added at the end of a recording. A recording that was killed or is still running has
 * none, so the reader makes them when it loads the recording. Names of images come from the files
 * that the images' paths refer to now, if these are the files that ran. Kernel names come from the
 * running kernel, if it has not been rebooted since the recording. On another machine many
 * locations stay unnamed, and the health section of a report says so.
 */
#ifndef ASSAY_CLI_SYMBOLIZE_NOW_H
#define ASSAY_CLI_SYMBOLIZE_NOW_H

#include <stdbool.h>

#include "elf/kallsyms.h"
#include "store/recording.h"

/*
 * Opens the recording at @path and loads it into @model, which is initialized here. If the
 * recording is unfinished, names it; also finishes it if no process is writing it any more and the
 * file is writable. The caller closes the recording, and calls model_fini() on @model even after an
 * error.
 */
int cli_load_recording(const char *path, struct recording **ret_recording, struct model *model,
		       struct err *err);

/*
 * Does the same and also loads source lines. If the recording has none yet, they are resolved now
 * and, if the file is writable, stored in it.
 */
int cli_load_with_lines(const char *path, struct recording **ret_recording, struct model *model,
			struct err *err);

/*
 * Names everything in @model that has no name. Stores the names if @recording was opened for
 * writing.
 */
int cli_symbolize_now(struct recording *recording, struct model *model, const char *path,
		      struct err *err);

/* The running kernel's symbols, kept in the cache directory (session/kernel_symbols.h). */
int cli_read_kernel_symbols(struct kallsyms *ret_kallsyms, struct err *err);

/* Returns true if these symbols come from the same boot of the kernel that was recorded. */
bool cli_is_recorded_boot(const struct model *model, const struct kallsyms *kallsyms);

#endif
