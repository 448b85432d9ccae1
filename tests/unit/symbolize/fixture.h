/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fixture.h - a model with images and hits, which are named and looked up by address */
#ifndef ASSAY_TESTS_SYMBOLIZE_FIXTURE_H
#define ASSAY_TESTS_SYMBOLIZE_FIXTURE_H

#include "model/model.h"
#include "symbolize/symbolize.h"

/* Returns a new model and frees that of the previous test. Calls abort() if memory runs out. */
struct model *fixture_model(void);

/* Adds an image of this kind and path, without an identity. */
uint32_t fixture_image(struct model *model, enum image_kind kind, const char *path);

/* Adds an image with the identity of the file that is at @path now. */
uint32_t fixture_file_image(struct model *model, const char *path);

void fixture_hit(struct model *model, uint32_t image, uint64_t vaddr);

/* Returns the function that symbolize() found for the hit. */
const struct function *fixture_function(struct model *model, uint32_t image, uint64_t vaddr);
const char *fixture_name(struct model *model, uint32_t image, uint64_t vaddr);

#endif
