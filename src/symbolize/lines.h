/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h - give source lines and inline chains to the locations of a model
 *
 * Made when somebody asks for them and not while recording: they need debug information, which
 * can be a hundred times the size of the code.  Functions (symbolize.h) come from symbol tables
 * and are there before.
 *
 * Walks the locations of ELF files (IMAGE_FILE), image by image, and sets location.line to the
 * innermost line of its chain (model/location.h), appending to model.lines, and inlined functions
 * to model.functions; the outermost function of a chain is the location's own.  Callers are
 * looked up where the model has them, at the call and not at its return address.  Locations
 * that had a line keep it where nothing is found now.  The kernel, the vdso and generated code have
 * none: their locations stay without.
 *
 * Files are found as in symbolize.h, their debug information as in dwarf/debug_lines.h.  An image
 * that is not here needs only its debug file, by build-id.  What is asked of options->debug_source
 * comes in the order of options->image_ranks, because it may end before all is there.  What is
 * damaged or missing is counted (LOSS_LINES_*) and said by image in facts: "lines_image_7" of image
 * id 7, as "2 units damaged, ...".  Fact "lines" is "made" afterwards, and "lines_images" how
 * many images had any.
 *
 * "lines_file_7" is "missing" where neither the very file of image 7 nor a debug file of it could
 * be opened.  That says nothing about its lines, so such images are looked for again by each who
 * wants lines (lines_can_be_completed()): an open() each, while nothing is read twice of those
 * that were here.  Once one came it is "found".
 */
#ifndef ASSAY_SYMBOLIZE_LINES_H
#define ASSAY_SYMBOLIZE_LINES_H

#include "symbolize/symbolize.h"

#define LINES_WHY_MAX 160

/* Of @options all but that of the kernel. 0, or -ENOMEM. */
int lines_resolve(struct model *model, const struct symbolize_options *options, struct err *err);

/*
 * Of images whose files were missing: are there any of which one is here now?  lines_complete()
 * does what lines_resolve() does for these alone. Without @options->debug_source, or servers are
 * asked each time. Nothing is counted in the losses by the first.
 */
bool lines_can_be_completed(struct model *model, const struct symbolize_options *options);
int lines_complete(struct model *model, const struct symbolize_options *options, struct err *err);

/* Was the file of @image missing; of how many images, *@ret_first the first of them if any? */
bool lines_file_is_missing(const struct model *model, uint32_t image);
size_t lines_missing_files(const struct model *model, uint32_t *ret_first);

/*
 * Of the locations of one image that have none, for code that was not hit, too: the caller appends
 * a location for each address it asks about (model_location_id()), with its function.  The fact
 * "lines" stays as it is. @ret_why: a sentence where no line of it is known, else "". 0 or
 * -ENOMEM.
 */
int lines_resolve_image(struct model *model, const struct symbolize_options *options,
			uint32_t image, char ret_why[static LINES_WHY_MAX], struct err *err);

/* Were they made already, by whoever? */
bool lines_are_made(const struct model *model);

#endif
