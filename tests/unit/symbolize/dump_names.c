/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_names RECORDED FILE [DEBUG_DIR] - name addresses read from standard input
 *
 * Reads one hex vaddr per line. Prints "vaddr quality start size name" for each, then the losses.
 * The image has the identity of RECORDED and the path FILE.
 */
#include <inttypes.h>
#include <stdio.h>

#include "fixture.h"

static void print_hit(const struct model *model, const struct location *location)
{
	const struct function *function = &model->functions.at[location->function];

	printf("%" PRIx64 " %s %" PRIx64 " %" PRIx64 " %s\t%s\t%s\n", location->vaddr,
	       quality_name(function->quality), function->vaddr, function->size_bytes,
	       model_string(model, function->name), model_string(model, function->before),
	       model_string(model, function->after));
}

int main(int argc, char **argv)
{
	const char *debug_dirs[] = { argc > 3 ? argv[3] : "/nonexistent", NULL };
	const struct symbolize_options options = { .debug_dirs = debug_dirs, .demangle = true };
	struct model *model = fixture_model();
	uint32_t image;
	char line[64];

	if (argc < 3)
		return 2;
	image = fixture_file_image(model, argv[1]);
	model->images.at[image].path = model_intern(model, argv[2]);
	while (fgets(line, sizeof(line), stdin))
		fixture_hit(model, image, strtoull(line, NULL, 16));
	if (symbolize(model, &options, NULL) < 0)
		return 1;
	for (size_t i = 1; i < model->locations.count; i++)
		print_hit(model, &model->locations.at[i]);
	for (int i = 0; i < LOSS_COUNT; i++)
		if (model->losses.count[i])
			printf("loss %s %" PRIu64 "\n", loss_name((enum loss)i),
			       model->losses.count[i]);
	model_fini(model);
	return 0;
}
