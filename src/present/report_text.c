/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/report.h"

#include "base/cleanup.h"
#include "base/nearest_word.h"
#include "present/escape.h"
#include "present/screen.h"

/*
 * lines that the table of functions adds to its rows: an empty one, the titles, the last one, and
 * two that explain the marks of the rows
 */
#define TABLE_LINES 5

static void print_legend(struct text *text)
{
	const char *version = model_fact(text->overview->profile->model, FACT_ASSAY_VERSION);

	(void)fputs("assay", text->out);
	if (version) {
		(void)fputc(' ', text->out);
		escape_text(text->out, version);
	}
	(void)fputs(" report\n[low-high]  95 % confidence interval of the share, if samples are "
		    "independent\n~  fewer than ten samples: only a rough estimate\n!  mostly "
		    "late samples: part of their time belongs to code with interrupts off\nfn_1a2b "
		    " the unnamed function at that address; [image]: no symbol known\n",
		    text->out);
	if (count_is_exact(&text->overview->all, text->overview->by_weight))
		(void)fputs("Waits are measured: shares are of their time and have no interval.\n",
			    text->out);
	else if (text->overview->by_weight && text->overview->is_time)
		(void)fputs("Shares are of time, not of samples, because the sampling rate "
			    "could change.\n",
			    text->out);
	else if (text->overview->by_weight)
		(void)fputs("Shares are of events, not of samples, because samples stand for "
			    "different\nnumbers of events.\n",
			    text->out);
}

static void print_more(struct text *text)
{
	if (!*text->style->settings->more)
		return;
	(void)fputc('\n', text->out);
	text_line(text, "More: %s", text->style->settings->more);
}

static const struct {
	const char *name;	/* NULL: cannot be chosen by name */
	void (*print)(struct text *text);
} sections[SECTION_COUNT] = {
	[SECTION_HEADLINE] = { "headline", text_headline },
	[SECTION_TRUST] = { "trust", text_trust },
	[SECTION_TOP_APPLICATIONS] = { "applications", text_top_applications },
	[SECTION_TOP_FUNCTIONS] = { "functions", text_top_functions },
	[SECTION_TOP_WAITS] = { "waits", text_top_waits },
	[SECTION_TOP_CALLS] = { "calls", text_top_calls },
	[SECTION_ADVICE] = { "advice", text_hints },
	[SECTION_NEXT] = { NULL, text_next },
	[SECTION_LEGEND] = { NULL, print_legend },
	[SECTION_RUN] = { "run", text_run },
	[SECTION_LOSSES] = { "losses", text_losses },
	[SECTION_HEALTH] = { "health", text_health },
	[SECTION_LEDGER] = { "ledger", text_ledger },
	[SECTION_APPLICATIONS] = { "applications", text_applications },
	[SECTION_FUNCTIONS] = { "functions", text_all_functions },
	[SECTION_PROCESSES] = { "processes", text_processes },
	[SECTION_PROFILES] = { "profiles", text_profiles },
	[SECTION_KERNEL] = { "kernel", text_kernel },
	[SECTION_IDLE] = { "idle", text_idle },
	[SECTION_INTERRUPTS] = { "interrupts", text_interrupts },
	[SECTION_LATE] = { "late", text_late },
	[SECTION_MORE] = { NULL, print_more },
};

/* ---- choosing sections ---- */

static bool is_named(int section, const char *name, size_t length)
{
	const char *have = sections[section].name;

	return have && strlen(have) == length && strncmp(have, name, length) == 0;
}

/* Returns SECTION_COUNT if there is no section with this name. */
static int section_of(const char *name, size_t length, bool full)
{
	int found = SECTION_COUNT;

	for (int i = 0; i < SECTION_COUNT; i++)
		if (is_named(i, name, length) && (found == SECTION_COUNT || full))
			found = i;
	return found;
}

static int refuse(const char *name, size_t length, struct err *err)
{
	char names[256] = "", wanted[NEAREST_WORD_MAX + 2] = "", meant[NEAREST_WORD_TEXT_MAX];
	struct nearest_word nearest = { .wanted = wanted };
	size_t used = 0;

	(void)snprintf(wanted, sizeof(wanted), "%.*s", (int)length, name);
	for (int i = 0; i < SECTION_COUNT; i++)
		if (sections[i].name)
			nearest_word_offer(&nearest, sections[i].name);
	if (nearest.found)
		return err_set(err, -EINVAL, "'%.*s' is not a section%s", (int)length, name,
			       nearest_word_text(&nearest, meant));
	for (int i = 0; i < SECTION_COUNT && used < sizeof(names); i++) {
		const char *have = sections[i].name;

		if (have && section_of(have, strlen(have), false) == i)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", have);
	}
	return err_set(err, -EINVAL, "'%.*s' is not a section; the sections are %s", (int)length,
		       name, names);
}

int report_sections_parse(const char *text, bool full, uint32_t *ret_sections, struct err *err)
{
	*ret_sections = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		int section = section_of(text, length, full);

		if (section == SECTION_COUNT)
			return refuse(text, length, err);
		*ret_sections |= UINT32_C(1) << section;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

/* ---- printing ---- */

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/*
 * Returns the number of lines of all chosen sections of the first screen without the table of
 * functions. The table gets the lines that the other sections leave.
 */
static size_t other_lines(const struct text *text, uint32_t chosen)
{
	_cleanup_free_ char *printed = NULL;
	struct text other = *text;
	size_t size;

	other.out = open_memstream(&printed, &size);
	if (!other.out)
		return SCREEN_LINES;
	for (int i = 0; i < SECTION_LEGEND; i++)
		if (i != SECTION_TOP_FUNCTIONS && chosen >> i & 1)
			sections[i].print(&other);
	return fclose(other.out) == 0 ? count_lines(printed) : SCREEN_LINES;
}

int report_text(const struct overview *overview, const struct report_style *style, FILE *out)
{
	uint32_t chosen = style->sections ? style->sections : SECTIONS_FIRST_SCREEN;
	bool is_screen = !(chosen & SECTIONS_FULL);
	struct text text = {
		.overview = overview,
		.style = style,
		.out = out,
		.prose_columns = is_screen ? SCREEN_COLUMNS : TEXT_COLUMNS,
	};
	size_t lines = 0;

	if (chosen & UINT32_C(1) << SECTION_TOP_FUNCTIONS)
		lines = other_lines(&text, chosen) + TABLE_LINES;
	text.rows = lines < SCREEN_LINES ? SCREEN_LINES - lines : 0;
	for (int i = 0; i < SECTION_COUNT; i++)
		if (chosen >> i & 1)
			sections[i].print(&text);
	return text.rc;
}
