/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fixture.h - a model with images and hits, named and asked for by address
 */
#ifndef ASSAY_TESTS_SYMBOLIZE_FIXTURE_H
#define ASSAY_TESTS_SYMBOLIZE_FIXTURE_H

#include "model/model.h"
#include "symbolize/symbolize.h"

/* A new model; the one of the test before is gone. Ends the test by abort() without memory. */
struct model *fixture_model(void);

/* An image of this kind and path, without identity. */
uint32_t fixture_image(struct model *model, enum image_kind kind, const char *path);

/* The same with the identity of the file that is at @path now. */
uint32_t fixture_file_image(struct model *model, const char *path);

void fixture_hit(struct model *model, uint32_t image, uint64_t vaddr);

/* What symbolize() made of the hit. */
const struct function *fixture_function(struct model *model, uint32_t image, uint64_t vaddr);
const char *fixture_name(struct model *model, uint32_t image, uint64_t vaddr);

#endif
