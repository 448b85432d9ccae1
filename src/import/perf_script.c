/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the output of perf script: one sample after another, each followed by its frames.
 *
 * Addresses are run-time addresses, so the same function can appear at several addresses; named.h
 * explains how the frames of such a function get common locations. By default perf script prints
 * thread ids without process ids. In that case all threads with the same name form one process.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "import/import-private.h"
#include "import/named.h"
#include "import/perf_text.h"
#include "import/text_lines.h"

#define FRAMES_MAX 65536u		/* limit on frames if a sample never ends */
#define HEADER_MARK "# ========"
#define MODIFIERS "ukhGHpPSDIeWbR"	/* modifiers after an event's name */
/*
 * The last page of addresses contains no code. In a callchain, the kernel uses numbers from it as
 * marks (PERF_CONTEXT_MAX in linux/perf_event.h). perf prints ffffffffffffffff when it unwound a
 * user stack to the return address 0, because it subtracts 1 from return addresses.
 */
#define ADDR_MARKS UINT64_C(0xfffffffffffff000)

struct perf_script {
	struct named named;
	struct sample sample;		/* current sample */
	bool in_sample, is_point, has_first;
	/* the current sample is skipped with its frames, because there are too many events */
	bool is_passed_over;
	VEC(uint32_t) frames;		/* locations of the current sample, innermost first */
	struct named_line lines[NAMED_LINES_MAX];
	size_t line_count;		/* number of functions inlined into the current frame */
	/*
	 * current frame; added to the model later, because a line with its source line may follow
	 */
	struct perf_text_frame last;
	bool has_last;
	/* @last is possibly not a frame but an accessed data address (-F +addr) */
	bool last_is_data;
	struct named_line last_line;	/* function name and source line of the current frame */
	uint32_t last_image;
	bool last_is_kernel;
	bool has_user_frame;		/* the current sample has a frame of user code */
	bool has_lines;			/* the current sample has frames on their own lines */
	uint64_t closed_events;		/* bits of events with samples that end at an empty line */
	/* the first sample has neither a timestamp nor a CPU, so the other samples have none */
	bool is_bare, has_form;
	bool in_header;			/* between the two marks around perf's header comments */
	bool is_cut;			/* the last line is incomplete */
	enum stack_root root;
	uint64_t last_ns;
	uint64_t sample_count, callers;
};

static struct model *model_of(const struct perf_script *script)
{
	return script->named.import->model;
}

static uint32_t string_of_word(struct perf_script *script, struct perf_word word)
{
	return word.length ? named_text(&script->named, word.text, word.length) : 0;
}

/* ---- frames ---- */

static bool is_kernel_addr(const struct perf_text_frame *frame)
{
	return frame->has_addr && frame->addr >> 63 && frame->addr < ADDR_MARKS &&
	       !perf_word_is(frame->image, "[vsyscall]");
}

static bool is_unknown(struct perf_word image)
{
	return image.length == 0 || perf_word_is(image, "[unknown]");
}

/*
 * perf names the kernel "[kernel.kallsyms]" or by the path of a vmlinux. The kernel of a virtual
 * machine (guest) has other names.
 */
static bool is_whole_kernel(const struct perf_text_frame *frame)
{
	return perf_word_begins(frame->image, "[kernel") ||
	       (is_kernel_addr(frame) &&
		(is_unknown(frame->image) ||
		 memmem(frame->image.text, frame->image.length, "vmlinux", strlen("vmlinux"))));
}

static uint32_t unknown_image(struct perf_script *script)
{
	struct named *named = &script->named;

	return named_image(named, named_string(named, "[unknown]", 9), IMAGE_UNKNOWN);
}

static uint32_t image_of_frame(struct perf_script *script, const struct perf_text_frame *frame)
{
	struct named *named = &script->named;
	enum image_kind kind = is_kernel_addr(frame) ? IMAGE_MODULE : IMAGE_UNKNOWN;

	if (is_whole_kernel(frame))
		return named_image(named, named_string(named, "[kernel]", 8), IMAGE_KERNEL);
	if (is_unknown(frame->image))
		return unknown_image(script);
	if (perf_word_begins(frame->image, "[guest.kernel"))
		kind = IMAGE_KERNEL;
	return named_image(named, string_of_word(script, frame->image), kind);
}

/*
 * Finds the image of the current frame. If perf printed no image, only the address tells whether
 * the frame is in the kernel. But user code is never called by the kernel, so an unknown caller of
 * user code is not in the kernel, whatever its address is.
 */
static void find_image(struct perf_script *script)
{
	if (script->has_user_frame && is_unknown(script->last.image)) {
		script->last_image = unknown_image(script);
		script->last_is_kernel = false;
		return;
	}
	script->last_image = image_of_frame(script, &script->last);
	script->last_is_kernel = model_of(script)->images.at[script->last_image].kind ==
					 IMAGE_KERNEL ||
				 is_kernel_addr(&script->last);
}

static int enter_frame(struct perf_script *script)
{
	const struct perf_text_frame *frame = &script->last;
	struct named_place place = {
		.has_addr = frame->has_addr,
		.addr = frame->addr,
		.has_offset = frame->has_addr && frame->has_offset && frame->offset <= frame->addr,
		.offset = frame->offset,
		.lines = script->lines,
	};
	uint32_t *location;

	if (!script->has_last)
		return 0;
	script->has_last = false;
	if (frame->image.length == 0)
		find_image(script);
	place.image = script->last_image;
	script->has_user_frame |= !script->last_is_kernel;
	if (script->last_line.name)
		script->lines[script->line_count++] = script->last_line;
	place.line_count = script->line_count;
	script->line_count = 0;
	if (script->frames.count >= FRAMES_MAX)
		return 0;
	if (script->frames.count == 0)
		script->sample.context = script->last_is_kernel ? CONTEXT_KERNEL : CONTEXT_USER;
	location = vec_push(&script->frames);
	if (!location)
		return -ENOMEM;
	*location = named_location(&script->named, &place);
	return 0;
}

/*
 * Returns true if the function of @last is inlined into the function of @frame. perf prints the
 * frame of an inlined function before the frame of the function that contains it, but sometimes
 * omits the containing frame.
 */
static bool is_part_of(const struct perf_text_frame *last, const struct perf_text_frame *frame)
{
	return last->is_inlined && last->has_addr == frame->has_addr && last->addr == frame->addr;
}

static int take_frame(struct perf_script *script, const struct perf_text_frame *frame)
{
	enum stack_root root;
	bool is_root = stack_root_of_name(frame->name.text, frame->name.length, &root);
	int rc = 0;

	if (script->last_is_data)
		script->has_last = false;
	script->last_is_data = false;
	if (is_root || !script->has_last || !is_part_of(&script->last, frame))
		rc = enter_frame(script);
	else if (script->line_count < NAMED_LINES_MAX - 1)
		script->lines[script->line_count++] = script->last_line;
	if (is_root)
		script->root = root;
	if (rc < 0 || is_root)
		return rc;
	script->last = *frame;
	script->has_last = true;
	script->last_line = (struct named_line){ .name = string_of_word(script, frame->name) };
	if (frame->is_inlined)
		script->last.image.length = 0;
	if (script->last.image.length)
		find_image(script);
	return 0;
}

/* ---- samples ---- */

static int end_sample(struct perf_script *script, struct err *err)
{
	int rc = enter_frame(script);

	if (rc < 0 || !script->in_sample)
		return rc;
	script->in_sample = false;
	script->line_count = 0;
	script->callers += script->frames.count > 1;
	if (script->frames.count == 0 && script->root == STACK_ROOT_END) {
		/*
		 * Tracepoints are in the kernel. For other events, a sample without frames does not
		 * show its context.
		 */
		if (script->is_point)
			script->sample.context = CONTEXT_KERNEL;
		script->root = STACK_ROOT_NONE;
	}
	script->sample.stack = named_stack(&script->named, script->frames.at, script->frames.count,
					   script->root);
	script->sample_count++;
	return named_add(&script->named, &script->sample, 1, err);
}

/*
 * For a clock event, the printed period is the weight in nanoseconds. For other events, a sample
 * without a period has the weight 1.
 */
static int event_of(struct perf_script *script, const struct perf_text_sample *text)
{
	bool is_clock = perf_word_begins(text->event, "cpu-clock") ||
			perf_word_begins(text->event, "task-clock");

	return named_event(&script->named, string_of_word(script, text->event),
			   is_clock && text->has_period);
}

/*
 * Returns the sample's timestamp, or the previous sample's timestamp if that is later. Later stages
 * rely on timestamps that never decrease.
 */
static uint64_t time_of(struct perf_script *script, const struct perf_text_sample *text)
{
	struct import *import = script->named.import;

	if (!text->has_time) {
		import_lacks(import, LACK_TIME);
		return script->last_ns;
	}
	if (text->time_ns < script->last_ns) {
		loss_add(&model_of(script)->losses, LOSS_RECORD_LATE, 1);
		return script->last_ns;
	}
	if (!script->has_first)
		import->first_ns = text->time_ns;
	script->has_first = true;
	script->last_ns = text->time_ns;
	import->last_ns = text->time_ns;
	return text->time_ns;
}

static void note_lacks(struct perf_script *script, const struct perf_text_sample *text)
{
	struct import *import = script->named.import;

	if (!text->has_cpu)
		import_lacks(import, LACK_CPU);
	if (!text->has_tgid)
		import_lacks(import, LACK_PROCESSES);
	if (!text->has_period)
		import_lacks(import, LACK_WEIGHT);
}

/* Returns true for names such as "sched:sched_switch", but not for "cycles:u". */
static bool is_tracepoint(struct perf_word event)
{
	const char *colon = memchr(event.text, ':', event.length);
	const char *end = event.text + event.length;

	for (const char *at = colon ? colon + 1 : end; at < end; at++)
		if (!*at || !strchr(MODIFIERS, *at))
			return true;
	return false;
}

/*
 * Processes the text after the event. With -F +addr, perf prints the accessed address there, either
 * in front of the frame or alone. If it is alone, it looks like a frame without a name.
 */
static int take_rest(struct perf_script *script, struct perf_word rest)
{
	struct perf_text_frame frame, second;
	int rc;

	if (!perf_text_frame(rest.text, rest.length, &frame))
		return 0;
	if (frame.has_addr && memchr(frame.name.text, ' ', frame.name.length) &&
	    perf_text_frame(frame.name.text, (size_t)(rest.text + rest.length - frame.name.text),
			    &second) &&
	    second.has_addr)
		frame = second;
	rc = take_frame(script, &frame);
	script->last_is_data = script->has_last && !frame.name.length && !frame.image.length;
	return rc;
}

static int begin_sample(struct perf_script *script, const struct perf_text_sample *text)
{
	int event = event_of(script, text);

	script->last_is_data = false;
	script->root = STACK_ROOT_END;
	vec_clear(&script->frames);
	script->has_user_frame = false;
	script->has_lines = false;
	script->is_passed_over = event == -ENOSPC;
	if (event == -ENOSPC) {
		loss_add(&model_of(script)->losses, LOSS_EVENT_UNKNOWN, 1);
		return 0;
	}
	if (event < 0)
		return event;
	note_lacks(script, text);
	script->in_sample = true;
	script->sample = (struct sample){
		.time_ns = time_of(script, text),
		.weight = text->has_period ? text->period : 1,
		.thread = named_thread(&script->named, string_of_word(script, text->comm),
				       text->tgid, text->tid),
		.late_ns = LATE_UNKNOWN,
		.cpu = (uint16_t)text->cpu,
		.event = (uint8_t)event,
	};
	script->is_point = is_tracepoint(text->event);
	return script->is_point ? 0 : take_rest(script, text->rest);
}

/* ---- header lines ---- */

static void take_loss(struct perf_script *script, const char *text, size_t length)
{
	char line[160];

	if (length < 2 || length >= sizeof(line))
		return;
	memcpy(line, text + 2, length - 2);
	line[length - 2] = '\0';
	(void)import_loss_text(script->named.import, line);
}

static bool is_header_mark(const char *text, size_t length)
{
	return length >= strlen(HEADER_MARK) && memcmp(text, HEADER_MARK, strlen(HEADER_MARK)) == 0;
}

static void take_comment(struct perf_script *script, const char *text, size_t length)
{
	static const struct {
		const char *key;
		enum fact_id fact;
	} facts[] = {
		{ "hostname", FACT_HOST },   { "os release", FACT_KERNEL },
		{ "arch", FACT_ARCH },	     { "nrcpus online", FACT_CPUS },
		{ "cmdline", FACT_COMMAND },
	};
	struct perf_word key, value;

	take_loss(script, text, length);
	if (is_header_mark(text, length))
		script->in_header = !script->in_header;
	if (!perf_text_header(text, length, &key, &value) || !value.length)
		return;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (perf_word_is(key, facts[i].key) && !model_fact(model_of(script), facts[i].fact))
			model_fact_set(model_of(script), facts[i].fact, "%.*s",
				       value.length < 1024 ? (int)value.length : 1024, value.text);
}

/* ---- lines ---- */

static int take_other(struct perf_script *script, const char *text, size_t length)
{
	struct perf_text_frame frame;
	struct perf_text_line line;

	if (script->in_sample && *text != '\t' && perf_text_line(text, length, &line)) {
		script->last.is_inlined |= line.is_inlined;
		script->last_line.file = string_of_word(script, line.file);
		script->last_line.line = line.number;
		return 0;
	}
	/*
	 * A line that begins with a tab is never the first line of a sample, so it can only be a
	 * frame. A line without a tab is a frame only if it begins with an address.
	 */
	if (script->in_sample && perf_text_frame(text, length, &frame) &&
	    (*text == '\t' || frame.has_addr)) {
		script->has_lines = true;
		return take_frame(script, &frame);
	}
	if (script->is_passed_over && (*text == '\t' || *text == ' '))
		return 0;
	loss_add(&model_of(script)->losses, LOSS_LINE_MALFORMED, 1);
	return 0;
}

/*
 * Parses the first line of a sample. All samples of a text have the same form, so a line without
 * timestamp and CPU is a sample only if the first sample has neither.
 */
static bool is_sample(struct perf_script *script, const char *text, size_t length,
		      struct perf_text_sample *ret_sample)
{
	if (!perf_text_sample(text, length, ret_sample) ||
	    (script->has_form && ret_sample->is_bare && !script->is_bare))
		return false;
	script->is_bare = ret_sample->is_bare;
	script->has_form = true;
	return true;
}

static int take_line(void *context, const char *text, size_t length, struct err *err)
{
	struct perf_script *script = context;
	struct perf_text_sample sample;
	int rc;

	if (length == 0) {
		if (script->in_sample)
			script->closed_events |= UINT64_C(1) << script->sample.event;
		return end_sample(script, err);
	}
	if (!is_sample(script, text, length, &sample)) {
		if (text[0] != '#')
			return take_other(script, text, length);
		take_comment(script, text, length);
		return 0;
	}
	rc = end_sample(script, err);
	if (rc < 0)
		return rc;
	return begin_sample(script, &sample);
}

/* ---- the end of the text ---- */

/*
 * perf ends each line with a newline, so a text without it was cut. If only the newline is missing,
 * the line is used.
 */
static int take_cut_line(void *context, const char *text, size_t length, struct err *err)
{
	struct perf_script *script = context;
	bool is_whole = length > 0 && text[length - 1] == ')' && text[0] != '#';

	script->is_cut = true;
	loss_add(&model_of(script)->losses, LOSS_FILE_CUT, is_whole || !length ? 1 : length);
	return is_whole ? take_line(script, text, length, err) : 0;
}

/*
 * Ends the last sample. perf prints an empty line after a sample whose frames are on their own
 * lines. If this line is missing, more frames may be missing, too.
 */
static int end_text(struct perf_script *script, struct err *err)
{
	bool is_open = script->in_sample && (script->is_cut || script->has_lines ||
					     script->closed_events >> script->sample.event & 1);

	if ((is_open || script->in_header) && !script->is_cut)
		loss_add(&model_of(script)->losses, LOSS_FILE_CUT, 1);
	if (is_open && script->root == STACK_ROOT_END)
		script->root = STACK_ROOT_TRUNCATED;
	return end_sample(script, err);
}

static void tell_lacks(struct perf_script *script)
{
	static const enum import_lack lacks[] = {
		LACK_DATE, LACK_OWNERS, LACK_LATENESS, LACK_LEDGER, LACK_ENTRY, LACK_BUILD_IDS,
	};
	struct import *import = script->named.import;

	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		import_lacks(import, lacks[i]);
	if (!script->callers)
		import_lacks(import, LACK_CALLERS);
	if (!model_fact(import->model, FACT_COMMAND))
		import_lacks(import, LACK_HOST);
	model_fact_set(import->model, FACT_DESCRIBE, "perf script");
}

static void perf_script_fini(struct perf_script *script)
{
	named_fini(&script->named);
	vec_free(&script->frames);
	free(script);
}

static int read_perf_script(struct import *import, struct err *err)
{
	struct perf_script *script = calloc(1, sizeof(*script));
	const struct text_reader reader = {
		.take = take_line,
		.take_cut = take_cut_line,
		.context = script,
	};
	int rc;

	if (!script)
		return -ENOMEM;
	script->named.import = import;
	rc = text_lines_read(&import->source, &import->model->losses, &reader, err);
	if (rc == 0)
		rc = end_text(script, err);
	tell_lacks(script);
	perf_script_fini(script);
	return rc;
}

/* Moves *at to the next line. Returns the length of the line at *at, without its newline. */
static size_t next_line(const char **at, const char *end)
{
	const char *text = *at, *newline = memchr(text, '\n', (size_t)(end - text));

	*at = newline ? newline + 1 : end;
	return (size_t)((newline ? newline : end) - text);
}

/*
 * Returns true if a frame or another sample follows. Other texts can contain a line that looks like
 * a sample without timestamp and CPU, such as "Total 12 events:".
 */
static bool sample_continues(const char *text, const char *end)
{
	struct perf_text_sample sample;
	struct perf_text_frame frame;

	while (text < end) {
		const char *line = text;
		size_t length = next_line(&text, end);

		if (length == 0)
			continue;
		return perf_text_sample(line, length, &sample) ||
		       (perf_text_frame(line, length, &frame) && frame.has_addr);
	}
	return false;
}

/*
 * Accepts two kinds of texts: those that begin with the mark of perf's header comments, and those
 * whose first line is a sample's first line. Empty lines and comments before that line are skipped.
 */
static bool matches(const uint8_t *head, size_t size_bytes)
{
	const char *text = (const char *)head, *end = text + size_bytes;
	struct perf_text_sample sample;

	if (is_header_mark(text, size_bytes))
		return true;
	while (text < end) {
		const char *line = text;
		size_t length = next_line(&text, end);

		if (length > 0 && perf_text_sample(line, length, &sample))
			return !memchr(line, '\0', length) &&
			       (!sample.is_bare || perf_word_ends(sample.rest, ")") ||
				sample_continues(text, end));
		if (length > 0 && line[0] != '#')
			return false;
	}
	return false;
}

const struct import_format import_perf_script = {
	.name = "perf-script",
	.description = "the text output of perf script",
	.matches = matches,
	.has_comments = true,
	.read = read_perf_script,
};
