/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h - writes one recording that has everything that several recordings have
 *
 * model/merge.h says which rows of the recordings are the same, and how their times are put on one
 * axis. This file opens the recordings, and copies samples, machine code and source texts. All
 * recordings are opened and compared before anything is written. Memory is needed for the
 * dictionaries of all recordings, but samples pass through in batches.
 *
 * The outcomes of ticks (model/tick.h) are not copied.
 */
#ifndef ASSAY_SESSION_MERGE_H
#define ASSAY_SESSION_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/recording.h"

/*
 * Opens the recording at @path and loads it into @model, which the function initializes. After
 * success the caller closes *ret_recording, and in all cases it calls model_fini().
 */
typedef int (*merge_load_fn)(const char *path, struct recording **ret_recording,
			     struct model *model, struct err *err);

struct merge_options {
	const char *const *paths;
	size_t count;			/* number of paths, at least 1 */
	/* merge_read(): not a file, but a name for error messages */
	const char *output;
	merge_load_fn load;
};

struct merge_result {
	uint64_t sample_count;
	uint64_t size_bytes;		/* of the output */
	struct losses losses;		/* of all recordings */
};

/*
 * Merges the recordings @paths into @output. An existing recording at @output is renamed to
 * <output>.old (recording_create()). Returns 0 or a negative errno with a message that names the
 * file: -EINVAL if the recordings cannot be merged, or if one of them is given twice or is the
 * output. After an error, the output does not exist, and an earlier recording of this name is back;
 * only if writing failed, the part that was written stays.
 */
int merge_recordings(const struct merge_options *options, struct merge_result *ret_result,
		     struct err *err);

/*
 * Merges the recordings into a temporary recording that only this process sees. Sets *ret_recording
 * and fills @model, which must be initialized and empty, as if the result had been loaded from a
 * file. Returns 0 or the errors of merge_recordings(). After success the caller closes
 * *ret_recording, and in all cases it calls model_fini().
 */
int merge_read(const struct merge_options *options, struct recording **ret_recording,
	       struct model *model, struct err *err);

#endif
