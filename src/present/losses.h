/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * losses.h - says what a recording lacks (struct shortfall), in the same words everywhere
 */
#ifndef ASSAY_PRESENT_LOSSES_H
#define ASSAY_PRESENT_LOSSES_H

#include "analyze/trust.h"
#include "present/json.h"

#define LOSSES_TEXT_MAX 192

/*
 * Writes a sentence such as "59.0% of the samples were lost, so shares may be wrong" to @ret_text.
 * Returns false, and writes an empty text, if nothing that matters is missing.
 */
bool losses_text(const struct shortfall *shortfall, char ret_text[static LOSSES_TEXT_MAX]);

#define LOSSES_KEY "data_loss"

/* Writes an object, whose @key is LOSSES_KEY, or NULL in an array. */
void losses_json(struct json *json, const char *key, const struct model *model);

#endif
