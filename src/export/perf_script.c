/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the output format of `perf script -F
 * comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso`, because more tools can read this format
 * than perf.data. Addresses in ELF files are the virtual addresses that nm prints, not run-time
 * addresses. Unresolved names are "[unknown]", as in perf. If inlined functions are requested, each
 * frame is followed by its source line, as with -F +srcline. Like perf for samples with stacks, the
 * thread's name is not padded: stackcollapse-perf.pl and speedscope refuse a blank before it. The
 * text of each location is generated only once and then reused.
 */
#include <inttypes.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "export/export-private.h"

struct perf_script {
	struct export *export;
	char **lines;			/* text of each location; NULL: not generated yet */
	/* escaped names, indexed by event and by thread id; NULL: not computed yet */
	char **events, **comms;
};

static void perf_script_fini(struct perf_script *script)
{
	const struct model *model = script->export->model;

	for (size_t i = 0; script->lines && i < model->locations.count; i++)
		free(script->lines[i]);
	for (size_t i = 0; script->comms && i < model->threads.count; i++)
		free(script->comms[i]);
	for (size_t i = 0; script->events && i < 256; i++)
		free(script->events[i]);
	free(script->lines);
	free(script->comms);
	free(script->events);
}

/* ---- names ---- */

/*
 * Each name has a place in its line. Besides assay import, stackcollapse-perf.pl and speedscope
 * must find it there.
 */
static bool comm_needs(const char *name, const char *at)
{
	if (*at == ' ')
		return at == name || !at[1] || at[1] == '-' || (at[1] >= '0' && at[1] <= '9');
	return *at == '#' && at == name;
}

/* A number before the event is the weight. */
static bool event_needs(const char *name, const char *at)
{
	return *at == ' ' || (at == name && *at >= '0' && *at <= '9');
}

static bool file_needs(const char *name, const char *at)
{
	return *at == ' ' || (*at == '?' && at == name);
}

/* Returns true if an offset such as "+0x10" ends the text and begins at @at. */
static bool is_offset(const char *at)
{
	if (strncmp(at, "+0x", 3) != 0 || !at[3])
		return false;
	return at[3 + strspn(at + 3, "0123456789abcdefABCDEF")] == '\0';
}

/*
 * A "->" would make two functions of a name, and readers skip names that begin with a parenthesis,
 * because perf printed names of threads in this form.
 */
static bool symbol_needs(const char *name, const char *at)
{
	enum stack_root root;

	switch (*at) {
	case ' ':
		return at == name || !at[1];
	case '>':
		return at > name && at[-1] == '-';
	case '(':
		return at == name;
	case '<':
		return at == name && stack_root_of_name(name, strlen(name), &root);
	default:
		return is_offset(at);
	}
}

static bool is_balanced(const char *text)
{
	int depth = 0;

	for (; *text && depth >= 0; text++)
		depth += (*text == '(') - (*text == ')');
	return depth == 0;
}

/* The image is the last text in parentheses that has a blank before it. */
static bool kernel_image_needs(const char *name, const char *at)
{
	if (*at == '(' || *at == ')')
		return !is_balanced(name);
	return *at == ' ' || is_offset(at);
}

/* No other image looks like the kernel. */
static bool image_needs(const char *name, const char *at)
{
	return kernel_image_needs(name, at) ||
	       (*at == '[' && at == name &&
		(strncmp(name, "[kernel", 7) == 0 || strncmp(name, "[guest.kernel", 13) == 0));
}

/* ---- frames ---- */

struct frame_line {
	struct perf_script *script;
	const struct location *location;
	FILE *out;
};

static void put_image(const struct frame_line *line)
{
	const struct model *model = line->script->export->model;
	const struct image *image = image_of(model, line->location->image);
	const char *path = string_of(model, image->path);

	(void)fputs(" (", line->out);
	name_text_write(line->out, *path ? path : "[unknown]",
			image->kind == IMAGE_KERNEL ? kernel_image_needs : image_needs);
	(void)fputs(")\n", line->out);
}

/*
 * Writes the source file and line number on a separate line of the output. Readers that do not know
 * such lines skip them.
 */
static void put_line(const struct frame_line *line, uint32_t id)
{
	const struct model *model = line->script->export->model;
	const struct source_line *at = line_of(model, id);

	if (!at->file || !at->line)
		return;
	(void)fputs("  ", line->out);
	name_text_write(line->out, string_of(model, at->file), file_needs);
	(void)fprintf(line->out, ":%" PRIu32 "\n", at->line);
}

static int put_frame(void *context, uint64_t key, uint32_t source_line)
{
	struct frame_line *line = context;
	const struct export *export = line->script->export;
	const struct location *location = line->location;
	const struct function *function = function_of(export->model, location->function);
	char scratch[GROUP_IMAGE_NAME_MAX];

	(void)fprintf(line->out, "\t%16" PRIx64 " ", location->vaddr);
	if (!location->function || function->quality == QUALITY_NONE) {
		(void)fputs("[unknown]", line->out);
		put_image(line);
		put_line(line, source_line);
		return 0;
	}
	name_text_write(line->out, call_frame_name(&export->profile, key, scratch), symbol_needs);
	if (key != group_function_key(location->image, location->function)) {
		(void)fputs(" (inlined)\n", line->out);
		put_line(line, source_line);
		return 0;
	}
	if (function->vaddr)
		(void)fprintf(line->out, "+0x%" PRIx64, location->vaddr - function->vaddr);
	put_image(line);
	put_line(line, source_line);
	return 0;
}

static char *make_lines(struct perf_script *script, uint32_t location)
{
	const struct export *export = script->export;
	struct frame_line line = { .script = script,
				   .location = location_of(export->model, location) };
	char *text = NULL;
	size_t size_bytes;

	line.out = open_memstream(&text, &size_bytes);
	if (!line.out)
		return NULL;
	(void)paths_each_frame(export->model, location, export->options->inlined, put_frame, &line);
	if (fclose(line.out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int put_location(struct perf_script *script, uint32_t location)
{
	uint32_t id = location < script->export->model->locations.count ? location : 0;

	if (!script->lines[id])
		script->lines[id] = make_lines(script, id);
	if (!script->lines[id])
		return -ENOMEM;
	(void)fputs_unlocked(script->lines[id], script->export->out);
	return 0;
}

static int put_stack(struct perf_script *script, uint32_t stack)
{
	const struct model *model = script->export->model;
	char scratch[GROUP_IMAGE_NAME_MAX];
	uint32_t id = stack;

	while (id >= STACK_ROOT_COUNT) {
		const struct stack_node *node = &model->stacks.at[id];

		if (put_location(script, node->location) < 0)
			return -ENOMEM;
		id = node->parent < id ? node->parent : (uint32_t)STACK_ROOT_BROKEN;
	}
	if (id != STACK_ROOT_END || stack < STACK_ROOT_COUNT)
		(void)fprintf(script->export->out, "\t%16x %s ([unknown])\n", 0,
			      call_frame_name(&script->export->profile,
					      call_frame_of_root((enum stack_root)id), scratch));
	return 0;
}

/* ---- samples ---- */

static const char *escaped_once(char **known, const char *text, name_needs_fn needs)
{
	if (!*known)
		*known = export_escaped(text, needs);
	return *known;
}

static int write_sample(void *context, const struct sample *sample)
{
	struct perf_script *script = context;
	struct export *export = script->export;
	const char *comm = escaped_once(&script->comms[sample->thread],
					export_comm(export, sample->thread), comm_needs);
	const char *event = escaped_once(&script->events[sample->event],
					 export_event_name(export, sample->event), event_needs);
	int rc;

	if (!comm || !event)
		return -ENOMEM;
	/* two blanks, as stackcollapse-perf.pl takes one for a part of a name of one character */
	(void)fprintf(export->out,
		      "%s  %7" PRIu32 "/%-7" PRIu32 " [%03u] %5" PRIu64 ".%06" PRIu64 ": %10" PRIu64
		      " %s: \n",
		      comm, export_tgid(export, sample->thread),
		      thread_of(export->model, sample->thread)->tid, sample->cpu,
		      sample->time_ns / NS_PER_SEC, sample->time_ns % NS_PER_SEC / 1000,
		      sample->weight, event);
	rc = put_stack(script, sample->stack);
	(void)fputc('\n', export->out);
	export->samples++;
	return rc;
}

static void write_header(const struct export *export)
{
	char text[EXPORT_LOSS_MAX];

	(void)fputs("# ========\n# cmdline : ", export->out);
	name_text_write(export->out, export_title(export), NULL);
	(void)fputc('\n', export->out);
	for (int i = 0; i < LOSS_COUNT; i++)
		if (export_loss_text(export->model, (enum loss)i, text, sizeof(text)))
			(void)fprintf(export->out, "# %s\n", text);
	/* speedscope takes the text before an empty line for a sample */
	(void)fputs("# ========\n#\n\n", export->out);
}

static int perf_script_write(struct export *export)
{
	_cleanup_(perf_script_fini) struct perf_script script = {
		.export = export,
		.lines = calloc(export->model->locations.count, sizeof(char *)),
		.comms = calloc(export->model->threads.count, sizeof(char *)),
		.events = calloc(256, sizeof(char *)),
	};

	if (!script.lines || !script.comms || !script.events)
		return -ENOMEM;
	write_header(export);
	return export_each_sample(export, write_sample, &script);
}

const struct export_format export_perf_script = {
	.name = "perf-script",
	.description = "the text output of perf script, for tools that read it",
	.has_losses = true,
	.write = perf_script_write,
};
