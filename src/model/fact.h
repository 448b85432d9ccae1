/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact.h - named facts about a recording
 *
 * fact.def lists all facts with their types. Values can come from imported files. If a value does
 * not fit the type of its fact, it is not stored and counts as LOSS_ROW_DAMAGED. A recording from a
 * later version of assay may have facts that this version does not know. They are kept unchanged.
 *
 * Setting a fact replaces its earlier value. Reading a fact that is not set returns NULL or 0.
 */
#ifndef ASSAY_MODEL_FACT_H
#define ASSAY_MODEL_FACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;

enum fact_id {
#define FACT(id, key, type, unit, meaning) FACT_##id,
#define IMAGE_FACT(id, key, meaning) FACT_##id,
#define PROCESS_FACT(id, key, meaning) FACT_##id,
#include "model/fact.def"
#undef FACT
#undef IMAGE_FACT
#undef PROCESS_FACT
	FACT_COUNT
};

void model_fact_set(struct model *model, enum fact_id id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void model_fact_set_u64(struct model *model, enum fact_id id, uint64_t value);
const char *model_fact(const struct model *model, enum fact_id id);
uint64_t model_fact_u64(const struct model *model, enum fact_id id);
/* Returns true if the whole machine was recorded (FACT_TARGET). */
bool model_is_of_machine(const struct model *model);

/* Like the functions above, but for the facts of one image. */
void model_image_fact_set(struct model *model, enum fact_id id, uint32_t image, const char *text);
const char *model_image_fact(const struct model *model, enum fact_id id, uint32_t image);

/* Sets a fact of the run whose first process is @process. */
void model_run_fact_set(struct model *model, enum fact_id id, uint32_t process, uint64_t value);

/*
 * Returns true if element @index of model->facts is the fact @id of a run. Sets *@ret_process to
 * the first process of that run.
 */
bool model_run_fact_at(const struct model *model, size_t index, enum fact_id id,
		       uint32_t *ret_process, uint64_t *ret_value);

/* Returns the value of the fact with the key @key, or NULL if it is not set. */
const char *model_fact_with_key(const struct model *model, const char *key);

/* Returns the fact with the key @key, or -1. Facts of an image or a run have no such key. */
int model_fact_of_key(const char *key);

/* Returns true if @key is that of a fact of an image or a run. */
bool model_fact_is_numbered(const char *key);

/*
 * Sets the fact @key to @value, both as read from a recording. Returns 0, or -EBADMSG if the value
 * does not fit the type of the fact.
 */
int model_fact_load(struct model *model, const char *key, const char *value);

#endif
