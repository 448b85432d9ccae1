/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "symbolize/jit-private.h"
#include "symbolize/names.h"

/* maximum number of bytes of line entries searched per process */
#define LINE_BYTES_MAX (UINT64_C(256) << 20)

/*
 * State while one image is named. The function, lines and code of the most recent claim are kept,
 * because neighboring spots often have the same claim.
 */
struct naming {
	struct jit *jit;
	struct jit_image *image;
	uint32_t claim;
	uint32_t function;
	uint8_t *lines;
	uint64_t line_bytes;	/* bytes of line entries searched so far */
	/* address -> 1 + index of the first claim that has a name for this address */
	struct u64map codes;
};

/* ---- code ---- */

const struct code *jit_code(const struct jit *jit, const struct function *function)
{
	for (size_t i = 0; i < jit->codes.count; i++) {
		const struct code *code = &jit->codes.at[i];

		if (code->image == function->image && code->vaddr == function->vaddr &&
		    code->size_bytes == function->size_bytes && code->size_bytes)
			return code;
	}
	return NULL;
}

/*
 * Drops the code at @addr. Two functions were at that address one after the other, so readers of
 * the recording could not know to which of them the code belongs.
 */
static void drop_code(struct naming *naming, uint64_t addr)
{
	struct jit *jit = naming->jit;

	for (size_t i = jit->codes.count; i-- > 0;) {
		struct code *code = &jit->codes.at[i];

		if (code->image != naming->image->image || code->vaddr != addr)
			continue;
		jit->code_bytes -= code->size_bytes;
		code_fini(code);
		return;
	}
}

/*
 * Returns true if @code has the same address, function name and bytes as the code that is already
 * kept.
 */
static bool is_same_code(const struct naming *naming, uint32_t before, const struct code *code)
{
	const struct jit_claim *claims = naming->image->history.claims.at;
	const struct function function = {
		.image = naming->image->image,
		.vaddr = code->vaddr,
		.size_bytes = code->size_bytes,
	};
	const struct code *have = jit_code(naming->jit, &function);

	return have && claims[before].name == claims[naming->claim].name &&
	       memcmp(have->bytes, code->bytes, code->size_bytes) == 0;
}

static void keep_code(struct naming *naming, const struct jit_claim *claim)
{
	struct jit *jit = naming->jit;
	uint32_t before = 0;
	bool is_first = !u64map_get(&naming->codes, claim->start_addr, &before);
	struct code code, *entry = NULL;
	int have = jit_dump_code(&naming->image->dump, claim, &code);

	code.image = naming->image->image;
	if (!is_first && !(have && is_same_code(naming, before - 1, &code)))
		drop_code(naming, claim->start_addr);
	if (is_first && u64map_put(&naming->codes, claim->start_addr, naming->claim + 1) == 0 &&
	    have && jit->code_bytes + code.size_bytes <= JIT_CODE_BYTES_MAX)
		entry = vec_push(&jit->codes);
	if (entry) {
		*entry = code;
		jit->code_bytes += code.size_bytes;
	} else if (have) {
		code_fini(&code);
	}
}

/* ---- names and lines ---- */

static uint32_t function_of(struct jit *jit, const struct jit_image *image,
			    const struct jit_claim *claim)
{
	const char *text = jit_history_name(&image->history, claim);
	struct function function = {
		.image = image->image,
		.quality = QUALITY_JIT,
		.vaddr = claim->start_addr,
		.size_bytes = claim->end_addr - claim->start_addr,
	};

	function.name = name_intern(jit->model, text, strlen(text));
	return function.name ? model_function_id(jit->model, &function) : 0;
}

static void begin_claim(struct naming *naming, uint32_t id)
{
	const struct jit_claim *claim = &naming->image->history.claims.at[id];

	if (naming->claim == id)
		return;
	free(naming->lines);
	naming->claim = id;
	naming->lines = jit_dump_lines(&naming->image->dump, claim);
	naming->function = function_of(naming->jit, naming->image, claim);
	keep_code(naming, claim);
}

static void set_line(struct naming *naming, uint64_t addr, struct location *location)
{
	const struct jit_claim *claim = &naming->image->history.claims.at[naming->claim];
	const struct jitdump_header *header = &naming->image->dump.header;
	struct byte_reader entries = byte_reader_of(naming->lines, claim->lines_bytes);
	struct source_line line = { .function = naming->function };
	const char *path;

	entries.swapped = header->swapped;
	naming->line_bytes += claim->lines_bytes;
	addr = addr - claim->start_addr + claim->lines_addr + header->line_shift;
	if (naming->line_bytes > LINE_BYTES_MAX ||
	    !jitdump_line_at(entries, addr, &line.line, &path))
		return;
	line.file = name_intern(naming->jit->model, path, strlen(path));
	location->line = model_line_id(naming->jit->model, &line);
}

static void name_place(struct naming *naming, const struct jit_spot *spot,
		       const struct jit_place *place)
{
	struct model *model = naming->jit->model;
	struct location *location = &model->locations.at[place->location];
	struct jit_place time = *place;
	bool is_unsure = false;
	uint32_t claim;

	if (!time.count) {	/* jit_settle() never received its samples */
		time.first_ns = 0;
		time.last_ns = UINT64_MAX - 1;
	}
	claim = jit_history_judge(&naming->image->history, spot, &time, &is_unsure);
	if (is_unsure)
		loss_add(&model->losses, LOSS_JIT_UNSURE, place->count);
	if (place->told_count)
		location->function = 0;
	if (claim == JIT_NO_CLAIM)
		return;
	begin_claim(naming, claim);
	location->function = naming->function;
	if (naming->lines)
		set_line(naming, spot->addr, location);
}

void jit_name_image(struct jit *jit, struct jit_image *image)
{
	struct jit_history *history = &image->history;
	struct naming naming = { .jit = jit, .image = image, .claim = JIT_NO_CLAIM };

	jit_history_sort(history);
	for (size_t i = 0; i < history->sorted.count; i++) {
		const struct jit_spot *spot = &history->spots.at[history->sorted.at[i]];

		for (size_t k = 0; k < spot->places.count; k++)
			name_place(&naming, spot, &spot->places.at[k]);
	}
	free(naming.lines);
	u64map_fini(&naming.codes);
}

/* ---- provisional names ---- */

static void name_place_now(struct jit *jit, const struct jit_image *image,
			   const struct jit_spot *spot, struct jit_place *place)
{
	bool is_unsure = false;
	uint32_t claim = jit_history_judge(&image->history, spot, place, &is_unsure);

	place->told_count = place->count;
	place->told_claims = spot->claims.count;
	jit->model->locations.at[place->location].function =
		claim == JIT_NO_CLAIM ? 0
				      : function_of(jit, image, &image->history.claims.at[claim]);
}

/*
 * Skips the places that have neither new samples nor new claims, unless history.lost_ns has
 * changed. They keep their names.
 */
void jit_name_image_now(struct jit *jit, struct jit_image *image)
{
	const struct jit_history *history = &image->history;
	bool all = image->told_lost_ns != history->lost_ns;

	image->told_lost_ns = history->lost_ns;
	for (size_t i = 0; i < history->spots.count; i++) {
		const struct jit_spot *spot = &history->spots.at[i];

		for (size_t k = 0; k < spot->places.count; k++) {
			struct jit_place *place = &spot->places.at[k];

			if (place->count && (all || place->told_count != place->count ||
					     place->told_claims != spot->claims.count))
				name_place_now(jit, image, spot, place);
		}
	}
}
