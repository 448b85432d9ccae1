/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolize_now.h - finds the names of functions for recordings that were not finished
 *
 * assay normally adds names at the end of a recording. A recording that was killed or is still
 * running has no names, so assay looks the names up when it loads such a recording. Names of
 * functions in an image are read from the file at the image's path, but only if this is still the
 * recorded file. Names of kernel functions come from the running kernel, but only if the machine
 * has not been rebooted since the recording. If the recording is read on another machine, many
 * locations have no names, and the health section of a report says so.
 */
#ifndef ASSAY_CLI_SYMBOLIZE_NOW_H
#define ASSAY_CLI_SYMBOLIZE_NOW_H

#include <stdbool.h>

#include "elf/kallsyms.h"
#include "store/recording.h"

/*
 * Opens the recording at @path and loads it into @model, which this function initializes. If @path
 * stands for several files (input_options.h), merges them into a temporary recording. If the
 * recording is unfinished, adds names to @model. Also finishes the recording, unless a process is
 * still writing it or the file is not writable. After success, the caller must close
 * *ret_recording. In all cases, the caller must call model_fini() on @model.
 */
int cli_load_recording(const char *path, struct recording **ret_recording, struct model *model,
		       struct err *err);

/* Returns true if a recording that was loaded was unfinished, which a message has said. */
bool cli_said_unfinished(void);

/*
 * Does the same as cli_load_recording() and also loads source lines. If the recording has no source
 * lines, or if it lacks the lines of an image whose file has become available since, looks these
 * lines up and stores them in the recording if it is writable.
 */
int cli_load_with_lines(const char *path, struct recording **ret_recording, struct model *model,
			struct err *err);

/*
 * Does the same as cli_load_recording() and also loads the source lines that are at hand: those in
 * the recording, or, if it has none, those of files on this machine. Does not ask debug servers,
 * does not store the lines and prints no message about missing ones. Commands that show lines
 * without being asked to use this function.
 */
int cli_load_with_lines_at_hand(const char *path, struct recording **ret_recording,
				struct model *model, struct err *err);

/*
 * Finds names for the locations in @model that have none. Stores the names if @recording was opened
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
 * Returns true if the machine was not rebooted between the recording and the reading of @kallsyms.
 */
bool cli_is_recorded_boot(const struct model *model, const struct kallsyms *kallsyms);

#endif
