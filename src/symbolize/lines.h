/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h - give source lines and inline chains to the locations of a model
 *
 * Lines are resolved on request and not while recording, because they need debug information, which
 * can be a hundred times the size of the code. Functions (symbolize.h) come from symbol tables and
 * are named earlier.
 *
 * Walks the locations in ELF files (IMAGE_FILE), image by image. Sets location.line to the
 * innermost line of its chain (model/location.h), and appends lines to model.lines and inlined
 * functions to model.functions. The outermost function of a chain is the location's own function. A
 * caller frame is looked up at the address in its location, which is the address of the call and
 * not the return address. A location that had a line keeps it if no line is found now. The kernel,
 * the vdso and generated code are not handled here.
 *
 * Files are found as in symbolize.h, and their debug information as in dwarf/debug_lines.h. If the
 * file of an image is missing, its debug file, found by build-id, is enough. Debug information is
 * requested from options->debug_source in the order of options->image_ranks, because the requests
 * may be cut short. Damaged or missing information is counted (LOSS_LINES_*) and described in a
 * fact for each image: "lines_image_7" for image id 7, for example "2 units damaged, ...".
 * Afterwards the fact "lines" is "made", and "lines_images" is the number of images that had lines.
 *
 * The fact "lines_file_7" is "missing" if neither the recorded file of image 7 nor a debug file for
 * it could be opened. The image may well have lines, so it is looked for again at every request for
 * lines (lines_can_be_completed()). That costs one open() for each such image; images that were
 * found before are not read again. Once the file is found, the fact becomes "found".
 */
#ifndef ASSAY_SYMBOLIZE_LINES_H
#define ASSAY_SYMBOLIZE_LINES_H

#include "symbolize/symbolize.h"

#define LINES_WHY_MAX 160

/*
 * Resolves the lines of all images. Uses @options, except those for the kernel. Returns 0 or
 * -ENOMEM.
 */
int lines_resolve(struct model *model, const struct symbolize_options *options, struct err *err);

/*
 * lines_can_be_completed() returns whether any of the images whose files were missing can be found
 * now. It counts no losses. lines_complete() does what lines_resolve() does, for these images only.
 * Call both without @options->debug_source; otherwise the servers are asked each time.
 */
bool lines_can_be_completed(struct model *model, const struct symbolize_options *options);
int lines_complete(struct model *model, const struct symbolize_options *options, struct err *err);

/*
 * lines_file_is_missing() returns whether the file of @image was missing. lines_missing_files()
 * returns the number of such images, and the first of them in *@ret_first if there is one.
 */
bool lines_file_is_missing(const struct model *model, uint32_t image);
size_t lines_missing_files(const struct model *model, uint32_t *ret_first);

/*
 * Resolves the locations of one image that have no line yet. This also serves code that was not
 * sampled: the caller appends a location for each address that it needs (model_location_id()), with
 * its function. The facts "lines" and "lines_images" are not changed. @ret_why: a sentence that
 * says why there are no lines, or "". Returns 0 or -ENOMEM.
 */
int lines_resolve_image(struct model *model, const struct symbolize_options *options,
			uint32_t image, char ret_why[static LINES_WHY_MAX], struct err *err);

/* Returns whether lines were resolved before, in this process or an earlier one. */
bool lines_are_made(const struct model *model);

#endif
