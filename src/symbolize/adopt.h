/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * adopt.h - use files that the recording could not read, or does not identify
 *
 * A recording that was made or imported on a machine without the file of an image has offsets in
 * this file where it should have addresses (image.unread). Once the file is found, the offsets are
 * converted.
 *
 * The files that a recording names without a build-id are usually of no use on another machine,
 * because device and inode differ there. The user can nevertheless choose to trust their paths. The
 * image then takes over the identity of the file at its path. The fact "trusted_image_7" has the
 * path of the file used for image 7, and LOSS_IMAGE_TRUSTED counts such images. From then on no
 * other file is used.
 */
#ifndef ASSAY_SYMBOLIZE_ADOPT_H
#define ASSAY_SYMBOLIZE_ADOPT_H

#include "symbolize/symbolize.h"

/*
 * Looks for the files of all images that are unread. With @trust_paths, also for those of images
 * without a build-id. Converts the addresses of the images whose files are found, in the locations
 * and mappings of @model, and sets *ret_count to the number of images that have changed. @model
 * must come from recording_load(); if *ret_count is not 0, recording_rewrite_places() must be
 * called. Returns 0 or -ENOMEM.
 */
int adopt_files(struct model *model, const struct symbolize_options *options, bool trust_paths,
		size_t *ret_count, struct err *err);

/*
 * Returns true if each address of the unread image is the offset of its byte in the file, according
 * to the segments of @debug. Debug files have the addresses of the segments, but not their offsets.
 * So this is known only if the file has one segment with code, and the lowest mapping of the image
 * starts where that segment does.
 */
bool addresses_are_offsets(const struct model *model, uint32_t image,
			   const struct image_file *debug);

#endif
