/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/report.h"

#include "present/escape.h"
#include "present/text.h"

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
		    "late samples: part of their time belongs to code with interrupts off\na->b "
		    " code without a name between two known symbols; [image]: no symbol known\n",
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

int report_text(const struct overview *overview, const struct report_style *style, FILE *out)
{
	static void (*const sections[])(struct text * text) = {
		text_run,	    text_losses,    text_health,   text_ledger, text_applications,
		text_all_functions, text_processes, text_profiles, text_kernel, text_idle,
		text_interrupts,    text_late,	    print_more,
	};
	struct text text = { .overview = overview, .style = style, .out = out };

	print_legend(&text);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		sections[i](&text);
	return text.rc;
}
