/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads speedscope's own file format, as written by py-spy, rbspy, assay export and others.
 *
 * While the JSON text is parsed, the reader keeps track of the kind of each open object and array,
 * such as a frame or the weights of a profile (enum place). The kind follows from the kind of the
 * enclosing object or array and, in an object, from the name of the member. A table lists all kinds
 * whose values are used. All other values are skipped, such as colors or members added by later
 * versions. Source: src/lib/file-format-spec.ts and file-format.ts of
 * github.com/jlfwong/speedscope, version 1.25.
 */
#include <ctype.h>
#include <errno.h>

#include "base/cleanup.h"
#include "import/speedscope-private.h"

#define OUR_NAME "assay "		/* followed by the version of assay */
#define KEY_MAX 16u
#define FRAME_DIGITS 7u			/* number of digits of the largest frame number */

enum place {
	PLACE_OTHER,			/* an object or array whose content is ignored */
	PLACE_FILE,
	PLACE_SHARED,
	PLACE_FRAMES,
	PLACE_FRAME,
	PLACE_PROFILES,
	PLACE_PROFILE,
	PLACE_SAMPLES,
	PLACE_STACK,
	PLACE_WEIGHTS,
	PLACE_EVENTS,
	PLACE_EVENT,
};

struct text {
	struct speedscope speedscope;
	/* stack of the open objects and arrays; entry 0 is outside of the text */
	enum place places[JSON_DEPTH_LIMIT + 1];
	unsigned int depth;
	/* key of the next value; "" if the key is longer than all known keys */
	char key[KEY_MAX];
	struct speedscope_frame frame;	/* current frame */
};

static bool is_key(const struct text *text, const char *key)
{
	return strcmp(text->key, key) == 0;
}

static bool is_text(const char *text, size_t length, const char *wanted)
{
	return length == strlen(wanted) && memcmp(text, wanted, length) == 0;
}

static enum place place_in(const struct text *text, char bracket)
{
	static const struct {
		enum place around;
		char bracket;
		enum place place;
		const char *key;	/* NULL: an element of an array, which has no key */
	} places[] = {
		{ PLACE_FILE, '{', PLACE_SHARED, "shared" },
		{ PLACE_SHARED, '[', PLACE_FRAMES, "frames" },
		{ PLACE_FRAMES, '{', PLACE_FRAME, NULL },
		{ PLACE_FILE, '[', PLACE_PROFILES, "profiles" },
		{ PLACE_PROFILES, '{', PLACE_PROFILE, NULL },
		{ PLACE_PROFILE, '[', PLACE_SAMPLES, "samples" },
		{ PLACE_SAMPLES, '[', PLACE_STACK, NULL },
		{ PLACE_PROFILE, '[', PLACE_WEIGHTS, "weights" },
		{ PLACE_PROFILE, '[', PLACE_EVENTS, "events" },
		{ PLACE_EVENTS, '{', PLACE_EVENT, NULL },
	};
	enum place around = text->places[text->depth];

	if (text->depth == 0)
		return bracket == '{' ? PLACE_FILE : PLACE_OTHER;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].around == around && places[i].bracket == bracket &&
		    (!places[i].key || is_key(text, places[i].key)))
			return places[i].place;
	return PLACE_OTHER;
}

/* ---- entries of arrays ---- */

/*
 * Adds a frame. Other parts of the file refer to frames by number, so invalid frames must be added
 * too.
 */
static int add_frame(struct text *text, const struct speedscope_frame *frame)
{
	struct speedscope *speedscope = &text->speedscope;
	struct speedscope_frame *slot;

	if (speedscope->frames.count >= SPEEDSCOPE_FRAMES_MAX) {
		loss_add(speedscope_losses(speedscope), LOSS_LOCATION_BUDGET, 1);
		return 0;
	}
	slot = vec_push(&speedscope->frames);
	if (!slot)
		return -ENOMEM;
	*slot = *frame;
	return 0;
}

static int not_of_this_kind(struct text *text)
{
	struct speedscope *speedscope = &text->speedscope;
	const struct speedscope_frame nothing = { 0 };

	switch (text->places[text->depth]) {
	case PLACE_FRAMES:
		loss_add(speedscope_losses(speedscope), LOSS_RECORD_MALFORMED, 1);
		return add_frame(text, &nothing);
	case PLACE_SAMPLES:
		speedscope->making.frames_bad = true;
		return speedscope_sample_end(speedscope);
	case PLACE_STACK:
		return speedscope_sample_frame(speedscope, SPEEDSCOPE_NO_FRAME);
	case PLACE_WEIGHTS:
		return speedscope_weight(speedscope, SPEEDSCOPE_NO_AMOUNT);
	case PLACE_EVENTS:
	case PLACE_PROFILES:
		loss_add(speedscope_losses(speedscope), LOSS_RECORD_MALFORMED, 1);
		return 0;
	default:
		return 0;
	}
}

/* ---- yajl callbacks ---- */

static int open_place(void *context, char bracket)
{
	struct text *text = context;
	struct speedscope *speedscope = &text->speedscope;
	enum place place = place_in(text, bracket);
	int rc = place == PLACE_OTHER ? not_of_this_kind(text) : 0;

	text->places[++text->depth] = place;
	text->key[0] = '\0';
	if (place == PLACE_FRAME)
		text->frame = (struct speedscope_frame){ 0 };
	if (place == PLACE_PROFILES)
		speedscope->has_profiles = true;
	if (place == PLACE_EVENT)
		speedscope->making.event = (struct speedscope_event){
			.frame = SPEEDSCOPE_NO_FRAME,
			.at = SPEEDSCOPE_NO_AMOUNT,
		};
	return place == PLACE_PROFILE ? speedscope_profile_begin(speedscope) : rc;
}

static int close_place(void *context)
{
	struct text *text = context;

	switch (text->places[text->depth--]) {
	case PLACE_FRAME:
		return add_frame(text, &text->frame);
	case PLACE_STACK:
		return speedscope_sample_end(&text->speedscope);
	case PLACE_EVENT:
		return speedscope_event_end(&text->speedscope);
	case PLACE_PROFILE:
		return speedscope_profile_end(&text->speedscope);
	default:
		return 0;
	}
}

static int take_key(void *context, const char *key, size_t length)
{
	struct text *text = context;

	if (length >= KEY_MAX)
		length = 0;
	memcpy(text->key, key, length);
	text->key[length] = '\0';
	return 0;
}

static void take_unit(struct speedscope_making *making, const char *unit, size_t length)
{
	static const struct {
		const char *name;
		uint32_t ns;
	} times[] = {
		{ "nanoseconds", 1 },
		{ "microseconds", 1000 },
		{ "milliseconds", 1000000 },
		{ "seconds", 1000000000 },
	};

	making->unit = is_text(unit, length, "bytes") ? SPEEDSCOPE_BYTES : SPEEDSCOPE_NUMBER;
	making->unit_ns = 1;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (!is_text(unit, length, times[i].name))
			continue;
		making->unit = SPEEDSCOPE_TIME;
		making->unit_ns = times[i].ns;
	}
}

static void take_profile_text(struct text *text, const char *string, size_t length)
{
	struct speedscope_making *making = &text->speedscope.making;

	if (is_key(text, "name"))
		making->name = named_string(&text->speedscope.named, string, length);
	else if (is_key(text, "unit"))
		take_unit(making, string, length);
	else if (is_key(text, "type"))
		making->type = is_text(string, length, "sampled")   ? SPEEDSCOPE_SAMPLED
			       : is_text(string, length, "evented") ? SPEEDSCOPE_EVENTED
								    : SPEEDSCOPE_TYPE_NONE;
}

static void take_frame_text(struct text *text, const char *string, size_t length)
{
	uint32_t *slot = is_key(text, "name")	 ? &text->frame.name
			 : is_key(text, "file")	 ? &text->frame.file
			 : is_key(text, "image") ? &text->frame.image
						 : NULL;

	if (slot)
		*slot = named_string(&text->speedscope.named, string, length);
}

static int take_string(void *context, const char *string, size_t length)
{
	struct text *text = context;
	struct speedscope *speedscope = &text->speedscope;
	struct speedscope_event *event = &speedscope->making.event;

	switch (text->places[text->depth]) {
	case PLACE_FILE:
		if (is_key(text, "name"))
			speedscope->name = named_string(&speedscope->named, string, length);
		else if (is_key(text, "exporter"))
			speedscope->exporter = named_string(&speedscope->named, string, length);
		return 0;
	case PLACE_FRAME:
		take_frame_text(text, string, length);
		return 0;
	case PLACE_PROFILE:
		take_profile_text(text, string, length);
		return 0;
	case PLACE_EVENT:
		if (is_key(text, "type"))
			event->type = length == 1 && (*string == 'O' || *string == 'C') ? *string
											: '\0';
		return 0;
	default:
		return not_of_this_kind(text);
	}
}

static json_amount amount_of(const char *number, size_t length)
{
	json_amount amount;

	return json_amount_parse(number, length, &amount) ? amount : SPEEDSCOPE_NO_AMOUNT;
}

/*
 * Parses a frame number, which must be a whole number below SPEEDSCOPE_FRAMES_MAX. The usual text,
 * which consists only of digits, is parsed directly; other texts, such as "1e3", are parsed by
 * amount_of().
 */
static uint32_t frame_of(const char *number, size_t length)
{
	json_amount amount;
	uint32_t frame = 0;
	size_t at = 0;

	while (at < length && at < FRAME_DIGITS && number[at] >= '0' && number[at] <= '9')
		frame = frame * 10 + (uint32_t)(number[at++] - '0');
	if (at == length)
		return frame < SPEEDSCOPE_FRAMES_MAX ? frame : SPEEDSCOPE_NO_FRAME;
	amount = amount_of(number, length);
	if (amount % JSON_BILLION || amount >= (json_amount)SPEEDSCOPE_FRAMES_MAX * JSON_BILLION)
		return SPEEDSCOPE_NO_FRAME;
	return (uint32_t)(amount / JSON_BILLION);
}

static int take_member_number(struct text *text, const char *number, size_t length)
{
	struct speedscope_making *making = &text->speedscope.making;
	enum place place = text->places[text->depth];
	json_amount amount;

	if (place == PLACE_EVENT && is_key(text, "frame")) {
		making->event.frame = frame_of(number, length);
	} else if (place == PLACE_EVENT && is_key(text, "at")) {
		making->event.at = amount_of(number, length);
	} else if (place == PLACE_PROFILE && is_key(text, "startValue")) {
		amount = amount_of(number, length);
		making->start = amount == SPEEDSCOPE_NO_AMOUNT ? 0 : amount;
	} else if (place == PLACE_FRAME && is_key(text, "line")) {
		amount = amount_of(number, length) / JSON_BILLION;
		text->frame.line = amount <= UINT32_MAX ? (uint32_t)amount : 0;
	}
	return 0;
}

static int take_number(void *context, const char *number, size_t length)
{
	struct text *text = context;

	switch (text->places[text->depth]) {
	case PLACE_STACK:
		return speedscope_sample_frame(&text->speedscope, frame_of(number, length));
	case PLACE_WEIGHTS:
		return speedscope_weight(&text->speedscope, amount_of(number, length));
	case PLACE_FRAME:
	case PLACE_PROFILE:
	case PLACE_EVENT:
		return take_member_number(text, number, length);
	default:
		return not_of_this_kind(text);
	}
}

static int take_other(void *context)
{
	return not_of_this_kind(context);
}

/* ---- whole files ---- */

/*
 * Parses the top-level member "name" of a file that assay export wrote. The name includes the
 * losses, such as "make -j4 (5 samples lost: sample-ring-full)". Adds the losses to the model.
 * Returns the length of the text that precedes the losses.
 */
static size_t take_losses(struct import *import, const char *name)
{
	size_t length = strlen(name);

	while (length > 0 && name[length - 1] == ')') {
		size_t at = length;

		while (at > 0 && name[at - 1] != '(')
			at--;
		if (at < 2 || !import_loss_text(import, name + at))
			break;
		length = at - 2;
	}
	return length;
}

/*
 * Adds the facts about the origin of the file. Copies the strings first, because adding facts can
 * move the strings of the model in memory.
 */
static int tell_origin(struct speedscope *speedscope)
{
	struct model *model = speedscope->named.import->model;
	_cleanup_free_ char *name = strdup(model_string(model, speedscope->name));
	_cleanup_free_ char *exporter = strdup(model_string(model, speedscope->exporter));

	if (!name || !exporter)
		return -ENOMEM;
	speedscope->is_ours = strncmp(exporter, OUR_NAME, strlen(OUR_NAME)) == 0;
	if (speedscope->is_ours && *name)
		model_fact_set(model, FACT_COMMAND, "%.*s",
			       (int)take_losses(speedscope->named.import, name), name);
	model_fact_set(model, FACT_DESCRIBE, "speedscope%s%s%s%s", *exporter ? ", by " : "",
		       exporter, *name && !speedscope->is_ours ? ": " : "",
		       speedscope->is_ours ? "" : name);
	return 0;
}

static void text_free(struct text *text)
{
	struct speedscope *speedscope = &text->speedscope;
	struct speedscope_making *making = &speedscope->making;

	named_fini(&speedscope->named);
	vec_free(&speedscope->frames);
	vec_free(&speedscope->nodes);
	u64map_fini(&speedscope->children);
	vec_free(&speedscope->profiles);
	vec_free(&speedscope->stacks);
	vec_free(&speedscope->weights);
	vec_free(&making->sampled.stacks);
	vec_free(&making->sampled.weights);
	vec_free(&making->evented.stacks);
	vec_free(&making->evented.weights);
	vec_free(&making->frames);
	free(text);
}

static int read_text(struct text *text, struct err *err)
{
	static const struct json_visitor visitor = {
		.open = open_place,
		.close = close_place,
		.key = take_key,
		.string = take_string,
		.number = take_number,
		.other = take_other,
	};
	struct speedscope *speedscope = &text->speedscope;
	struct import *import = speedscope->named.import;
	int rc;

	for (int i = 0; i < STACK_ROOT_COUNT; i++)
		if (!vec_push(&speedscope->nodes))
			return -ENOMEM;
	rc = json_source_read(&import->source, speedscope_losses(speedscope), &visitor, text);
	if (rc < 0)
		return rc;
	if (!speedscope->has_profiles)
		return err_set(err, -EINVAL, "%s: contains no speedscope profiles", import->path);
	/* if the file ends within a profile, keep the part of the profile that was read */
	for (unsigned int i = 1; i <= text->depth; i++) {
		if (text->places[i] != PLACE_PROFILE)
			continue;
		rc = speedscope_profile_end(speedscope);
		if (rc < 0)
			return rc;
	}
	rc = tell_origin(speedscope);
	if (rc < 0)
		return rc;
	return speedscope_make_rows(speedscope, err);
}

static int read_speedscope(struct import *import, struct err *err)
{
	struct text *text = calloc(1, sizeof(*text));
	int rc;

	if (!text)
		return err_sys(err, -ENOMEM, "%s", import->path);
	text->speedscope.named.import = import;
	rc = read_text(text, err);
	text_free(text);
	return rc < 0 && !(err && err->code) ? err_sys(err, rc, "%s", import->path) : rc;
}

/*
 * Returns true if the text begins with '{' and contains the key "$schema" and the host name of
 * speedscope's schema.
 */
static bool matches(const uint8_t *head, size_t size_bytes)
{
	const uint8_t *at = head, *end = head + size_bytes;
	static const char mark[] = "\"$schema\"", address[] = "speedscope.app";

	if (size_bytes > 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < end && isspace(*at))
		at++;
	return at && at < end && *at == '{' && memmem(at, (size_t)(end - at), mark, strlen(mark)) &&
	       memmem(at, (size_t)(end - at), address, strlen(address));
}

const struct import_format import_speedscope = {
	.name = "speedscope",
	.description = "JSON files of speedscope.app, with sampled or evented profiles",
	.matches = matches,
	.read = read_speedscope,
};
