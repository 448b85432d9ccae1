/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolize_now.h - finds the names of functions for recordings that were not finished
 *
 * assay normally adds names at the end of a recording. A recording that was killed or is still
 * running has no names, so assay looks them up when it loads such a recording. Names in an image
 * come from the file that is now at the image's path, if it is the same file as in the recording.
 * Kernel names come from the running kernel, if the machine has not been rebooted since the
 * recording. If the recording is read on another machine, many locations have no names. The health
 * section of a report says so.
 */
#ifndef ASSAY_CLI_SYMBOLIZE_NOW_H
#define ASSAY_CLI_SYMBOLIZE_NOW_H

#include <stdbool.h>

#include "elf/kallsyms.h"
#include "store/recording.h"

/*
 * Opens the recording at @path and loads it into @model, which this function initializes. If the
 * recording is unfinished, adds names to @model. Also finishes the recording if no process is
 * writing it any more and the file is writable. The caller closes the recording, and calls
 * model_fini() on @model even after an error.
 */
int cli_load_recording(const char *path, struct recording **ret_recording, struct model *model,
		       struct err *err);

/*
 * Does the same as cli_load_recording() and also loads source lines. If the recording has no source
 * lines yet, looks them up now and stores them in the file if it is writable.
 */
int cli_load_with_lines(const char *path, struct recording **ret_recording, struct model *model,
			struct err *err);

/*
 * Finds names for everything in @model that has no name. Stores the names if @recording was opened
 * for writing.
 */
int cli_symbolize_now(struct recording *recording, struct model *model, const char *path,
		      struct err *err);

/*
 * Reads the running kernel's symbols. A copy in the cache directory makes this fast
 * (session/kernel_symbols.h).
 */
int cli_read_kernel_symbols(struct kallsyms *ret_kallsyms, struct err *err);

/*
 * Returns true if the kernel was not rebooted between the recording and the time when @kallsyms was
 * read.
 */
bool cli_is_recorded_boot(const struct model *model, const struct kallsyms *kallsyms);

#endif
