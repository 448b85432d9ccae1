/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_fixture.h - profiles with stacks written as words
 *
 *	struct call_fixture f;
 *	call_begin(&f);
 *	call_sample(&f, "main read vfs_read", 3);	three samples, outermost function first
 *	call_tally(&f, &(struct filter)FILTER_INIT);
 *	... f.profile
 *	call_end(&f);
 *
 * The first word can be a mark: "~" means a truncated stack, "?" a broken stack, "-" a stack that
 * was not requested. A mark alone is such a stack without a frame. A word "f>g>h" is code of f in
 * which g was inlined, and h was inlined in g. With f.inlined, inlined functions count as frames.
 */
#ifndef ASSAY_TESTS_CALL_FIXTURE_H
#define ASSAY_TESTS_CALL_FIXTURE_H

#include "analyze/call_frame.h"
#include "analyze/tally.h"
#include "tests/support/model_maker.h"

struct call_fixture {
	struct model_maker maker;
	struct profile profile;
	uint32_t thread;
	bool inlined, stacks_apart;
	uint8_t event;		/* event of the next samples */
	enum context context;
};

static inline void call_begin(struct call_fixture *f)
{
	*f = (struct call_fixture){ .context = CONTEXT_USER };
	model_maker_init(&f->maker);
	f->thread = maker_thread(&f->maker, "program", 100, false);
}

static inline uint32_t call_root(const char *word, bool *ret_is_root)
{
	static const char roots[] = ".~?-";
	const char *found = word[0] && !word[1] ? strchr(roots, word[0]) : NULL;

	*ret_is_root = found != NULL;
	return found ? (uint32_t)(found - roots) : STACK_ROOT_END;
}

/* Makes a location of its own in the function, whose lines name the functions inlined there. */
static inline uint32_t call_inlined(struct call_fixture *f, uint32_t parent, const char *word)
{
	struct model *model = &f->maker.model;
	char *text = strdup(word), *rest = text;
	const struct maker_frame frame = { "/bin/program", IMAGE_FILE, strsep(&rest, ">"),
					   QUALITY_SYMTAB, false };
	uint32_t outer = maker_stack(&f->maker, parent, &frame), location;
	struct location at = model->locations.at[model->stacks.at[outer].location];
	struct source_line line = { .function = at.function };
	struct function function = { .image = at.image };

	at.vaddr += (uint64_t)model_intern(model, word) << 24;
	location = model_location_id(model, at.image, at.vaddr);
	line.caller = model_line_id(model, &line);
	while (rest) {
		function.name = model_intern(model, strsep(&rest, ">"));
		line.function = model_function_id(model, &function);
		line.caller = model_line_id(model, &line);
	}
	model->locations.at[location].function = at.function;
	model->locations.at[location].line = line.caller;
	free(text);
	return model_stack_id(model, parent, location);
}

static inline uint32_t call_stack(struct call_fixture *f, const char *words)
{
	char *text = strdup(words), *rest = text, *word;
	uint32_t stack = STACK_ROOT_END;
	bool is_root;

	while ((word = strsep(&rest, " "))) {
		const struct maker_frame frame = { "/bin/program", IMAGE_FILE, word, QUALITY_SYMTAB,
						   false };
		uint32_t root = call_root(word, &is_root);

		if (strchr(word, '>'))
			stack = call_inlined(f, stack, word);
		else
			stack = is_root ? root : maker_stack(&f->maker, stack, &frame);
	}
	free(text);
	return stack;
}

static inline void call_sample(struct call_fixture *f, const char *words, unsigned int count)
{
	maker_samples(&f->maker, &(struct maker_run){ .thread = f->thread,
						      .stack = call_stack(f, words),
						      .event = f->event,
						      .context = f->context,
						      .count = count });
}

static inline void call_tally(struct call_fixture *f, const struct filter *filter)
{
	const struct profile_options options = { .filter = filter,
						 .by_stack = true,
						 .inlined = f->inlined,
						 .stacks_apart = f->stacks_apart };
	struct tally tally;

	assert_int_equal(tally_init(&tally, &f->maker.model, &options, 25000, &f->profile), 0);
	assert_int_equal(tally_batch(&tally, &f->maker.batch), 0);
	tally_fini(&tally);
}

static inline void call_end(struct call_fixture *f)
{
	profile_fini(&f->profile);
	model_maker_fini(&f->maker);
}

static inline const char *call_name(const struct call_fixture *f, uint64_t frame)
{
	static char scratch[GROUP_IMAGE_NAME_MAX];

	return call_frame_name(&f->profile, frame, scratch);
}

#endif
