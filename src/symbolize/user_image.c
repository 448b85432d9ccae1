/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds names for code addresses in ELF files: opens the file that was executed, and looks the
 * addresses up in its symbol tables.
 */
#include <fcntl.h>

#include "base/cleanup.h"
#include "elf/symbols.h"
#include "symbolize/hits.h"
#include "symbolize/name_job.h"
#include "symbolize/names.h"
#include "symbolize/recorded.h"

bool recorded_file_is(const struct image *image, const struct image_file *file)
{
	if (image->build_id_size)
		return file->build_id_size == image->build_id_size &&
		       memcmp(file->build_id, image->build_id, image->build_id_size) == 0;
	return file->dev == image->dev && file->inode == image->inode &&
	       file->mtime_ns == image->mtime_ns;
}

char *recorded_path_below(const char *sysroot, const char *path)
{
	char *below = NULL;

	return asprintf(&below, "%s%s", sysroot ? sysroot : "", path) < 0 ? NULL : below;
}

static enum loss loss_of_error(int error)
{
	return error == -ENOEXEC ? LOSS_IMAGE_DAMAGED : LOSS_IMAGE_UNREADABLE;
}

/*
 * Returns the kind of loss to count for a file that does not match. If the recording has neither
 * build-id nor inode of the file, it is unknown whether the file at the path was replaced.
 */
static enum loss loss_of_other(const struct image *image)
{
	return image->build_id_size || image->inode ? LOSS_IMAGE_REPLACED : LOSS_IMAGE_UNVERIFIED;
}

int user_image_open(const struct image_hits *hits, struct image_file *ret_file)
{
	_cleanup_free_ char *below = NULL;
	int fd;

	if (hits_path(hits)[0] != '/')
		return -ENOENT;
	below = recorded_path_below(hits->options->sysroot, hits_path(hits));
	if (!below)
		return -ENOMEM;
	fd = file_opener_open(hits->options->opener, below, 0);
	return fd < 0 ? fd : image_file_from_fd(fd, below, ret_file, NULL);
}

/*
 * Opens the image's path below the sysroot. If the file cannot be used, counts the loss and returns
 * false.
 */
static bool open_by_path(const struct image_hits *hits, struct image_file *ret_file)
{
	struct image_file file;
	int rc = user_image_open(hits, &file);

	if (rc < 0) {
		hits_loss(hits, loss_of_error(rc));
		return false;
	}
	if (recorded_file_is(hits_image(hits), &file) && !hits_image(hits)->unread) {
		*ret_file = file;
		return true;
	}
	hits_loss(hits, hits_image(hits)->unread ? LOSS_IMAGE_UNREADABLE
						 : loss_of_other(hits_image(hits)));
	image_file_fini(&file);
	return false;
}

/* Names the hits with a table that this process reads. */
static int name_here(const struct image_hits *hits, const struct image_file *file)
{
	const struct symbols_options options = {
		.places = {
			.dirs = hits->options->debug_dirs,
			.source = hits->options->debug_source,
			.name = hits_path(hits),
		},
	};

	return names_from_file(hits, file, &options, hits->options->symbols, hits->image);
}

static void name_from_file(const struct image_hits *hits, const struct image_file *file,
			   void *context)
{
	int rc = hits->options->readers ? name_job_ask(hits, file) : name_here(hits, file);

	if (rc < 0)
		hits_loss(hits, hits->options->readers && readers_gave_up(rc) ? LOSS_READER_ENDED
									      : loss_of_error(rc));
}

bool user_image_use(const struct image_hits *hits, user_image_use_fn use, void *context)
{
	const struct symbolize_options *options = hits->options;
	const struct image_file *pinned = NULL;
	struct image_file opened;

	if (options->image_file)
		pinned = options->image_file(options->image_file_context, hits->image);
	if (pinned) {
		use(hits, pinned, context);
	} else if (open_by_path(hits, &opened)) {
		use(hits, &opened, context);
		image_file_fini(&opened);
	} else {
		return false;
	}
	return true;
}

void user_image_name(const struct image_hits *hits)
{
	(void)user_image_use(hits, name_from_file, NULL);
}
