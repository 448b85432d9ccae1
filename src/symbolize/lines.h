/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h - give source lines and inline chains to the locations of a model
 *
 * Lines are resolved only on request and not while recording, because they need debug information,
 * which can be a hundred times the size of the code. Functions are named earlier, from symbol
 * tables (symbolize.h).
 *
 * This code processes the locations in ELF files (IMAGE_FILE), image by image. The source line and
 * the functions inlined at a location form a chain (model/location.h). location.line is set to the
 * innermost line of the chain. Lines are appended to model.lines, and inlined functions to
 * model.functions. The outermost function of a chain is the location's own function. The location
 * of a caller frame has the address of the call, not the return address, so its line is the line of
 * the call. If a location already has a line and no line is found now, the location keeps its line.
 * The kernel, the vdso and generated code are not handled here.
 *
 * Files are found as in symbolize.h, and their debug information as in dwarf/debug_lines.h. If the
 * file of an image is missing, a debug file that is found by build-id is enough. Debug information
 * is requested from options->debug_source in the order of options->image_ranks, because the user, a
 * time limit or an error may end the requests early. Damaged or missing information is counted
 * (LOSS_LINES_*). It is also described in a fact for each image: the fact "lines_image_7" for image
 * id 7 is, for example, "2 units damaged, ...". When all images are done, the fact "lines" is
 * "made", and the fact "lines_images" is the number of images whose debug information was read.
 *
 * The fact "lines_file_7" is "missing" if neither the recorded file of image 7 nor a debug file for
 * it could be opened. The file may become available later, so each request for lines looks for it
 * again (lines_can_be_completed()). That costs one open() for each such image. Images whose files
 * were found before are not read again. Once the file is found, the fact becomes "found".
 */
#ifndef ASSAY_SYMBOLIZE_LINES_H
#define ASSAY_SYMBOLIZE_LINES_H

#include "symbolize/symbolize.h"

#define LINES_WHY_MAX 160

/*
 * Resolves the lines of all images. Ignores the members of @options that concern the kernel.
 * Returns 0 or -ENOMEM.
 */
int lines_resolve(struct model *model, const struct symbolize_options *options, struct err *err);

/*
 * lines_can_be_completed() returns true if a file that was missing can be found now. It counts no
 * losses. lines_complete() does the same as lines_resolve(), but only for the images whose files
 * were missing. For both functions, set @options->debug_source to NULL. Otherwise each call asks
 * the debug servers again.
 */
bool lines_can_be_completed(struct model *model, const struct symbolize_options *options);
int lines_complete(struct model *model, const struct symbolize_options *options, struct err *err);

/*
 * lines_file_is_missing() returns true if the file of @image was missing. lines_missing_files()
 * returns the number of such images. If the number is not 0, *@ret_first is the first such image.
 */
bool lines_file_is_missing(const struct model *model, uint32_t image);
size_t lines_missing_files(const struct model *model, uint32_t *ret_first);

/*
 * Resolves the locations of one image that have no line yet. To find lines for code that was not
 * sampled, the caller first appends a location, with its function, for each address
 * (model_location_id()). The facts "lines" and "lines_images" are not changed. *@ret_why is a
 * sentence that gives the reason if there are no lines, otherwise "". Returns 0 or -ENOMEM.
 */
int lines_resolve_image(struct model *model, const struct symbolize_options *options,
			uint32_t image, char ret_why[static LINES_WHY_MAX], struct err *err);

/* Returns true if lines were resolved before, by this process or an earlier one. */
bool lines_are_made(const struct model *model);

#endif
