/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fact.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

#define KEY_MAX 64

enum fact_type { TEXT, U64, REAL, ADDRESS };

static const struct {
	const char *key;
	enum fact_type type;
} kinds[FACT_COUNT] = {
#define FACT(id, key, type, unit, meaning) [FACT_##id] = { key, type },
#define IMAGE_FACT(id, key, meaning) [FACT_##id] = { key, TEXT },
#define PROCESS_FACT(id, key, meaning) [FACT_##id] = { key, U64 },
#include "model/fact.def"
#undef FACT
#undef IMAGE_FACT
#undef PROCESS_FACT
};

/* ---- values ---- */

static bool is_number(const char *text, int base)
{
	const char *digits = base == 16 ? "0123456789abcdef" : "0123456789";

	return *text && !text[strspn(text, digits)];
}

static bool is_real(const char *text)
{
	char *end;

	(void)strtod(text, &end);
	return (isdigit((unsigned char)*text) || *text == '-') && !*end;
}

static bool fits(enum fact_type type, const char *value)
{
	switch (type) {
	case U64:
		return is_number(value, 10);
	case REAL:
		return is_real(value);
	case ADDRESS:
		return strncmp(value, "0x", 2) == 0 && is_number(value + 2, 16);
	case TEXT:
		return true;
	}
	return false;
}

/* ---- by key ---- */

static struct fact *find(const struct model *model, const char *key)
{
	for (size_t i = 0; i < model->facts.count; i++)
		if (strcmp(model_string(model, model->facts.at[i].key), key) == 0)
			return &model->facts.at[i];
	return NULL;
}

static void put(struct model *model, const char *key, const char *value)
{
	struct fact *fact = find(model, key);

	if (!fact)
		fact = vec_push(&model->facts);
	if (!fact) {
		loss_add(&model->losses, LOSS_MEMORY, 1);
		return;
	}
	fact->key = model_intern(model, key);
	fact->value = model_intern(model, value);
}

const char *model_fact_with_key(const struct model *model, const char *key)
{
	const struct fact *fact = find(model, key);

	return fact ? model_string(model, fact->value) : NULL;
}

int model_fact_of_key(const char *key)
{
	for (int id = 0; id < FACT_COUNT; id++)
		if (strcmp(kinds[id].key, key) == 0)
			return id;
	return -1;
}

bool model_fact_is_numbered(const char *key)
{
	for (int id = 0; id < FACT_COUNT; id++) {
		size_t length = strlen(kinds[id].key);

		if (kinds[id].key[length - 1] == '_' && strncmp(key, kinds[id].key, length) == 0)
			return true;
	}
	return false;
}

int model_fact_load(struct model *model, const char *key, const char *value)
{
	int id = model_fact_of_key(key);

	if (id >= 0 && !fits(kinds[id].type, value))
		return -EBADMSG;
	put(model, key, value);
	return 0;
}

/* ---- by id ---- */

void model_fact_set(struct model *model, enum fact_id id, const char *format, ...)
{
	char value[4096];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	if (fits(kinds[id].type, value))
		put(model, kinds[id].key, value);
	else
		loss_add(&model->losses, LOSS_ROW_DAMAGED, 1);
}

void model_fact_set_u64(struct model *model, enum fact_id id, uint64_t value)
{
	model_fact_set(model, id, "%" PRIu64, value);
}

const char *model_fact(const struct model *model, enum fact_id id)
{
	return model_fact_with_key(model, kinds[id].key);
}

uint64_t model_fact_u64(const struct model *model, enum fact_id id)
{
	const char *value = model_fact(model, id);

	return value ? strtoull(value, NULL, 10) : 0;
}

bool model_is_of_machine(const struct model *model)
{
	const char *target = model_fact(model, FACT_TARGET);

	return target && strcmp(target, "system") == 0;
}

/* ---- by image or run ---- */

static void write_key(enum fact_id id, uint32_t row, char key[static KEY_MAX])
{
	(void)snprintf(key, KEY_MAX, "%s%" PRIu32, kinds[id].key, row);
}

void model_image_fact_set(struct model *model, enum fact_id id, uint32_t image, const char *text)
{
	char key[KEY_MAX];

	write_key(id, image, key);
	put(model, key, text);
}

const char *model_image_fact(const struct model *model, enum fact_id id, uint32_t image)
{
	char key[KEY_MAX];

	write_key(id, image, key);
	return model_fact_with_key(model, key);
}

void model_run_fact_set(struct model *model, enum fact_id id, uint32_t process, uint64_t value)
{
	char key[KEY_MAX], text[24];

	write_key(id, process, key);
	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	put(model, key, text);
}

bool model_run_fact_at(const struct model *model, size_t index, enum fact_id id,
		       uint32_t *ret_process, uint64_t *ret_value)
{
	const struct fact *fact = &model->facts.at[index];
	const char *key = model_string(model, fact->key);
	const char *value = model_string(model, fact->value);
	size_t length = strlen(kinds[id].key);
	unsigned long long process;

	if (strncmp(key, kinds[id].key, length) != 0 || !is_number(key + length, 10) ||
	    !is_number(value, 10))
		return false;
	process = strtoull(key + length, NULL, 10);
	if (process >= model->processes.count)
		return false;
	*ret_process = (uint32_t)process;
	*ret_value = strtoull(value, NULL, 10);
	return true;
}
