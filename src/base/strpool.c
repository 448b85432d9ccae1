/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strpool.h"

#include "base/cleanup.h"
#include "base/hash.h"

struct search {
	const struct strpool *pool;
	const char *text;
	size_t length;
};

static bool same_string(uint32_t id, const void *arg)
{
	const struct search *search = arg;
	const char *have = strpool_get(search->pool, id);

	return strncmp(have, search->text, search->length) == 0 && !have[search->length];
}

int strpool_init(struct strpool *pool)
{
	*pool = (struct strpool){ 0 };
	return vec_push(&pool->bytes) && vec_push(&pool->offset) ? 0 : -ENOMEM;
}

void strpool_fini(struct strpool *pool)
{
	intern_fini(&pool->index);
	vec_free(&pool->bytes);
	vec_free(&pool->offset);
}

static int append(struct strpool *pool, const char *text, size_t length)
{
	size_t start = pool->bytes.count;
	uint32_t *offset;

	if (start + length + 1 > UINT32_MAX || vec_reserve(&pool->bytes, start + length + 1) < 0)
		return -ENOMEM;
	offset = vec_push(&pool->offset);
	if (!offset)
		return -ENOMEM;
	*offset = (uint32_t)start;
	memcpy(pool->bytes.at + start, text, length);
	pool->bytes.at[start + length] = '\0';
	pool->bytes.count += length + 1;
	return 0;
}

uint32_t strpool_find(const struct strpool *pool, const char *text)
{
	const struct search search = { pool, text, strnlen(text, STRPOOL_MAX) };

	return intern_find(&pool->index, hash_bytes(text, search.length), same_string, &search);
}

int strpool_intern(struct strpool *pool, const char *text, size_t length, uint32_t *ret_id)
{
	struct search search = { .pool = pool, .text = text };
	uint64_t hash;
	uint32_t id;
	int rc;

	length = strnlen(text, length < STRPOOL_MAX ? length : STRPOOL_MAX);
	if (length == 0) {
		*ret_id = 0;
		return 0;
	}
	search.length = length;
	hash = hash_bytes(text, length);
	id = intern_find(&pool->index, hash, same_string, &search);
	if (!id) {
		id = (uint32_t)pool->offset.count;
		rc = append(pool, text, length);
		if (rc < 0)
			return rc;
		rc = intern_add(&pool->index, hash, id);
		if (rc < 0)
			return rc;
	}
	*ret_id = id;
	return 0;
}
