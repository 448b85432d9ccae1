/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/flame_svg.h"

#include <inttypes.h>
#include <math.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "present/diff.h"
#include "present/escape.h"
#include "present/flame_layout.h"
#include "present/flame_palette.h"
#include "present/function_note.h"
#include "present/name_fit.h"
#include "present/row_json.h"
#include "present/share.h"

#include "flame_embedded.h"	/* defines flame_script, flame_style, flame_policy */

#define PAD 10			/* pixels around everything */
#define TOP 104			/* pixels above the boxes, for title, buttons, legend, details */
#define NOTE_Y (TOP - 26)	/* between legend and details */
#define ROW_PIXELS 16
/* width of one character in common monospaced fonts of 12 pixels, rounded up */
#define CHARACTER_PIXELS 7.3
#define LEGEND_ENTRIES_MAX 64
#define LEGEND_COLUMNS_MAX 40
#define LEGEND_MARK_PIXELS 34	/* colored square, and space around the label */
#define FRAMED_PIXELS 3		/* narrower boxes have no frame, because it would cover them */
#define LABEL_COLUMNS_LEAST 3
/*
 * maximum width of a name in a tooltip, in columns; only names that other tools recorded are longer
 */
#define NAME_COLUMNS 1100
#define IMAGE_COLUMNS 60
#define TITLE_COLUMNS 110
#define SUBTITLE_COLUMNS 80	/* leaves room for the beginning of the title */
#define BOX_BYTES 140		/* approximate size of a box in bytes */
#define CHANGE_BYTES 75		/* additional size in bytes of a box in a comparison */
#define ROW_BYTES 90

static const struct name_style name_style_svg = { escape_wide_next, "\xe2\x80\xa6", 1 };

static const char *const view_names[FLAME_VIEW_COUNT] = { "image", "context", "change" };

struct drawing {
	const struct call_tree *tree;
	const struct flame_options *options;
	struct flame_layout layout;
	struct flame_palette palette;
	FILE *out;
};

static void drawing_fini(struct drawing *drawing)
{
	flame_palette_fini(&drawing->palette);
	flame_layout_fini(&drawing->layout);
}

/* ---- figures ---- */

/* Prints a number with grouped digits, such as 12,345. */
static void put_count(FILE *out, uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			(void)fputc(',', out);
		(void)fputc(digits[i], out);
	}
}

static void put_change(FILE *out, const struct path_change *change)
{
	struct diff_format format = diff_format_of(change->unit,
						   fmax(change->before, change->after));
	const char *unit = change->unit == DIFF_SHARE ? " %" : format.unit;
	const char *of_change = change->unit == DIFF_SHARE ? " points" : format.unit;
	double factor = format.factor;
	int decimals = format.decimals;

	(void)fprintf(out, "\nbefore %.*f%s, change %+.*f%s", decimals, factor * change->before,
		      unit, decimals, factor * (change->after - change->before), of_change);
	if (!change->tested)
		(void)fputs(", too few samples to tell", out);
	else
		(void)fprintf(out, " [%+.*f, %+.*f]%s", decimals, factor * change->low, decimals,
			      factor * change->high, change->significant ? "" : ", within noise");
}

static void put_figures(const struct drawing *drawing, uint32_t node)
{
	const struct call_tree *tree = drawing->tree;
	const struct call_node *at = &tree->nodes.at[node];
	double share = count_share(&at->total, call_tree_total(tree), tree->by_weight);
	struct interval interval = count_interval(&at->total, call_tree_total(tree),
						  tree->by_weight);
	FILE *out = drawing->out;
	char amount[AMOUNT_TEXT_MAX];

	put_count(out, at->total.samples);
	if (at->self.samples) {
		(void)fputs(" samples (", out);
		put_count(out, at->self.samples);
		(void)fputs(" its own)", out);
	} else {
		(void)fputs(" samples", out);
	}
	amount_text(&at->total, json_event(tree->profile, tree->event), amount);
	(void)fprintf(out, "%s, %.2f %%", amount, 100 * share);
	if (!count_is_exact(call_tree_total(tree), tree->by_weight))
		(void)fprintf(out, " [%.2f-%.2f]", 100 * interval.low, 100 * interval.high);
	if (call_frame_is_inlined(at->frame))
		(void)fputs(", inlined", out);
	if (drawing->options->changes)
		put_change(out, &drawing->options->changes[node]);
}

/*
 * Prints the CSS class of a change: "m1" to "m3" for an increase, "l1" to "l3" for a decrease, "m0"
 * for a change within noise. The digit is 3 if the share changed by a factor of at least 2, and 2
 * if by a factor of at least 1.25. The digit is also 3 for a significant path that did not exist
 * before.
 */
static void put_change_class(const struct drawing *drawing, uint32_t node)
{
	const struct path_change *change = &drawing->options->changes[node];
	double more = fmax(change->after, change->before);
	double factor = more / fmax(fmin(change->after, change->before), 1e-9);
	int level = factor >= 2 ? 3 : factor >= 1.25 ? 2 : 1;

	if (!change->significant)
		level = 0;
	(void)fprintf(drawing->out, " %c%d", level && change->after < change->before ? 'l' : 'm',
		      level);
}

/* ---- boxes ---- */

static const char *name_of(const struct call_tree *tree, uint32_t node,
			   char scratch[static GROUP_IMAGE_NAME_MAX])
{
	return call_frame_name(tree->profile, tree->nodes.at[node].frame, scratch);
}

static const char *image_at(const struct call_tree *tree, uint32_t node)
{
	return file_name(call_frame_image(tree->profile, tree->nodes.at[node].frame));
}

/*
 * Returns the number of text columns that fit into a box with this share of the root's width.
 * Returns 0 if the box is too narrow for a label.
 */
static size_t label_columns(double share)
{
	double columns = floor((fmin(share, 1) * FLAME_PIXELS - 6) / CHARACTER_PIXELS);

	return columns < LABEL_COLUMNS_LEAST ? 0 : (size_t)columns;
}

/*
 * Writes a name, shortened to @columns columns. If @out is NULL, nothing is written. Returns the
 * number of bytes.
 */
static size_t put_name(FILE *out, const char *name, size_t columns)
{
	_cleanup_free_ char *shorter = NULL;

	if (name_width(&name_style_svg, name) <= columns)
		return escape_xml(out, name);
	shorter = name_shorten(&name_style_svg, name, columns);
	return shorter ? escape_xml(out, shorter) : 0;
}

/* Returns the text of the tooltip that says how far the name can be trusted, or NULL. */
static char *note_of(const struct call_tree *tree, uint32_t node)
{
	return function_note(tree->profile, tree->nodes.at[node].frame);
}

static size_t bytes_of(const struct call_tree *tree, uint32_t node)
{
	_cleanup_free_ char *note = note_of(tree, node);
	char scratch[GROUP_IMAGE_NAME_MAX];
	const char *name = name_of(tree, node, scratch);
	size_t columns = label_columns(
		count_share(&tree->nodes.at[node].total, call_tree_total(tree), tree->by_weight));

	return put_name(NULL, name, NAME_COLUMNS) +
	       put_name(NULL, image_at(tree, node), IMAGE_COLUMNS) + (note ? strlen(note) : 0) +
	       (columns ? 40 + put_name(NULL, name, columns) : 0);
}

static void put_box(const struct drawing *drawing, const struct flame_box *box)
{
	const struct flame_palette *palette = &drawing->palette;
	_cleanup_free_ char *note = note_of(drawing->tree, box->node);
	char scratch[GROUP_IMAGE_NAME_MAX];
	FILE *out = drawing->out;

	(void)fprintf(out, "<rect x=\"%" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%d\" class=\"%s",
		      box->start, box->width, ROW_PIXELS - 1,
		      flame_color_class(flame_palette_color(palette, box->node)));
	if (palette->contexts[box->node] < CONTEXT_COUNT)
		(void)fprintf(out, " c%d", palette->contexts[box->node]);
	if (drawing->options->changes)
		put_change_class(drawing, box->node);
	if ((uint64_t)box->width * FLAME_PIXELS >= (uint64_t)FRAMED_PIXELS * drawing->layout.units)
		(void)fputs(" w", out);
	(void)fputs("\"><title>", out);
	(void)put_name(out, name_of(drawing->tree, box->node, scratch), NAME_COLUMNS);
	(void)fputc('\n', out);
	(void)put_name(out, image_at(drawing->tree, box->node), IMAGE_COLUMNS);
	(void)fputc('\n', out);
	put_figures(drawing, box->node);
	if (note && *note) {
		(void)fputc('\n', out);
		(void)put_name(out, note, 2 * NAME_COLUMNS);
	}
	(void)fputs("</title></rect>\n", out);
}

/* ---- labels ---- */

struct box_label {
	size_t box;
	char *name, *text;	/* text: the shortened name */
};

struct box_labels {
	VEC(struct box_label) list;
};

static void box_labels_fini(struct box_labels *labels)
{
	for (size_t i = 0; i < labels->list.count; i++) {
		free(labels->list.at[i].name);
		free(labels->list.at[i].text);
	}
	vec_free(&labels->list);
}

static void add_label(const struct drawing *drawing, size_t box, struct box_labels *labels)
{
	const struct flame_box *at = &drawing->layout.boxes.at[box];
	double units = drawing->layout.units ? drawing->layout.units : 1;
	size_t columns = label_columns(at->width / units);
	char scratch[GROUP_IMAGE_NAME_MAX];
	struct box_label *label = columns ? vec_push(&labels->list) : NULL;

	if (!label)
		return;
	label->box = box;
	label->name = strdup(name_of(drawing->tree, at->node, scratch));
	label->text = label->name ? name_shorten(&name_style_svg, label->name, columns) : NULL;
	if (label->text)
		return;
	free(label->name);
	labels->list.count--;
}

static int compare_labels(const void *a, const void *b)
{
	const struct box_label *left = a, *right = b;

	return strcmp(left->text, right->text);
}

static void put_label(const struct drawing *drawing, const struct box_label *label)
{
	const struct flame_box *box = &drawing->layout.boxes.at[label->box];
	double units = drawing->layout.units ? drawing->layout.units : 1;

	(void)fprintf(drawing->out, "<text x=\"%.1f\" y=\"12\">",
		      box->start / units * FLAME_PIXELS + 3);
	(void)escape_xml(drawing->out, label->text);
	(void)fputs("</text>\n", drawing->out);
}

/*
 * Prints the labels of the boxes [@first, @end) of one row. Different names never get the same
 * label: they get none, because a box cannot be made wider.
 */
static void put_labels(const struct drawing *drawing, size_t first, size_t end)
{
	_cleanup_(box_labels_fini) struct box_labels labels = { 0 };
	size_t next;

	for (size_t i = first; i < end; i++)
		add_label(drawing, i, &labels);
	if (labels.list.count)
		qsort(labels.list.at, labels.list.count, sizeof(*labels.list.at), compare_labels);
	for (size_t i = 0; i < labels.list.count; i = next) {
		bool differ = false;

		for (next = i; next < labels.list.count &&
			       compare_labels(&labels.list.at[i], &labels.list.at[next]) == 0;
		     next++)
			differ |= strcmp(labels.list.at[i].name, labels.list.at[next].name) != 0;
		for (size_t k = i; !differ && k < next; k++)
			put_label(drawing, &labels.list.at[k]);
	}
}

/*
 * Prints the boxes of the row that begins at index @first. Returns the index where the next row
 * begins.
 */
static size_t put_row(const struct drawing *drawing, size_t first)
{
	const struct flame_layout *layout = &drawing->layout;
	uint32_t row = layout->boxes.at[first].row;
	uint32_t line = drawing->options->icicle ? row : layout->row_count - 1 - row;
	size_t end = first;

	while (end < layout->boxes.count && layout->boxes.at[end].row == row)
		end++;
	(void)fprintf(drawing->out, "<g transform=\"translate(%d,%" PRIu32 ")\">", PAD,
		      TOP + line * ROW_PIXELS);
	(void)fprintf(drawing->out, "<g transform=\"scale(%.9g,1)\">\n",
		      layout->units ? (double)FLAME_PIXELS / layout->units : 1);
	for (size_t i = first; i < end; i++)
		put_box(drawing, &layout->boxes.at[i]);
	(void)fputs("</g>\n", drawing->out);
	put_labels(drawing, first, end);
	(void)fputs("</g>\n", drawing->out);
	return end;
}

/* ---- legend ---- */

struct legend {
	const struct drawing *drawing;
	struct legend_entry {
		char color_class[8];
		const char *label;	/* borrowed */
	} entries[LEGEND_ENTRIES_MAX];
	size_t count;
};

static void legend_add(struct legend *legend, const char *color_class, const char *label)
{
	struct legend_entry *entry = &legend->entries[legend->count];

	if (legend->count == LEGEND_ENTRIES_MAX)
		return;
	legend->count++;
	entry->label = label;
	(void)snprintf(entry->color_class, sizeof(entry->color_class), "%s", color_class);
}

static size_t legend_columns(const struct legend_entry *entry, size_t most)
{
	size_t columns = name_width(&name_style_svg, entry->label);

	return columns < most ? columns : most;
}

/* Returns the width up to which labels may be shown, so that all entries fit into the picture. */
static size_t most_label_columns(const struct legend *legend)
{
	double room = FLAME_PIXELS - LEGEND_MARK_PIXELS * (double)legend->count;
	size_t most = LEGEND_COLUMNS_MAX;

	for (; most > 1; most--) {
		size_t columns = 0;

		for (size_t i = 0; i < legend->count; i++)
			columns += legend_columns(&legend->entries[i], most);
		if ((double)columns * CHARACTER_PIXELS <= room)
			break;
	}
	return most;
}

static void legend_put(const struct legend *legend, enum flame_view view)
{
	size_t most = most_label_columns(legend);
	FILE *out = legend->drawing->out;
	double x = PAD;

	(void)fprintf(out, "<g class=\"legend-%s\"%s>\n", view_names[view],
		      view == legend->drawing->options->view ? "" : " display=\"none\"");
	for (size_t i = 0; i < legend->count; i++) {
		const struct legend_entry *entry = &legend->entries[i];

		(void)fprintf(out,
			      "<rect x=\"%.1f\" y=\"%d\" width=\"12\" height=\"12\" "
			      "class=\"%s\"/><text x=\"%.1f\" y=\"%d\">",
			      x, TOP - 48, entry->color_class, x + 16, TOP - 38);
		(void)put_name(out, entry->label, most);
		(void)fputs("</text>\n", out);
		x += LEGEND_MARK_PIXELS + CHARACTER_PIXELS * (double)legend_columns(entry, most);
	}
	(void)fputs("</g>\n", out);
}

static void put_image_legend(const struct drawing *drawing)
{
	struct legend legend = { .drawing = drawing };

	for (int color = FLAME_KERNEL; color < FLAME_COLOR_COUNT; color++)
		if (drawing->palette.used[color])
			legend_add(&legend, flame_color_class((enum flame_color)color),
				   flame_palette_label(&drawing->palette, (enum flame_color)color));
	legend_put(&legend, FLAME_BY_IMAGE);
}

static void put_context_legend(const struct drawing *drawing)
{
	struct legend legend = { .drawing = drawing };
	bool used[CONTEXT_COUNT + 1] = { false };
	char color_class[8];

	for (size_t i = 0; i < drawing->tree->nodes.count; i++)
		used[drawing->palette.contexts[i]] = true;
	for (int i = 0; i < CONTEXT_COUNT; i++) {
		(void)snprintf(color_class, sizeof(color_class), "c%d", i);
		if (used[i])
			legend_add(&legend, color_class, context_name((enum context)i));
	}
	legend_put(&legend, FLAME_BY_CONTEXT);
}

static void put_change_legend(const struct drawing *drawing)
{
	static const char *const entries[][2] = {
		{ "m3", "twice or more" }, { "m2", "1.25 times" }, { "m1", "more" },
		{ "m0", "within noise" },  { "l1", "less" },	   { "l2", "1/1.25" },
		{ "l3", "half or less" },
	};
	struct legend legend = { .drawing = drawing };

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		legend_add(&legend, entries[i][0], entries[i][1]);
	legend_put(&legend, FLAME_BY_CHANGE);
}

/* ---- the document ---- */

/*
 * Returns the number of samples from which the script computes intervals of what a search matched.
 * Measured weight has no sampling error. If f is the part of the weight that is not measured, the
 * error is at most f times as large, as if there were 1 / f^2 times as many samples.
 */
static double samples_for_search(const struct call_tree *tree)
{
	const struct count *total = call_tree_total(tree);
	double sampled = (double)(total->weight - total->measured);
	double samples = count_equal_samples(total, tree->by_weight);

	if (!tree->by_weight || !total->measured)
		return samples;
	return samples * ((double)total->weight / sampled) * ((double)total->weight / sampled);
}

static void put_root(const struct drawing *drawing)
{
	const struct call_tree *tree = drawing->tree;
	bool is_exact = count_is_exact(call_tree_total(tree), tree->by_weight);
	char samples[32] = "Infinity";
	uint32_t height = TOP + drawing->layout.row_count * ROW_PIXELS + PAD;
	const struct flame_options *options = drawing->options;
	int width = FLAME_PIXELS + 2 * PAD;

	if (!is_exact)
		(void)snprintf(samples, sizeof(samples), "%.0f", samples_for_search(tree));
	(void)fprintf(drawing->out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%" PRIu32
		      "\" viewBox=\"0 0 %d %" PRIu32 "\" class=\"by-%s\" data-views=\"%simage "
		      "context\" data-units=\"%" PRIu32 "\" data-samples=\"%s\" data-row=\"%d\" "
		      "data-top=\"%d\" data-pad=\"%d\" data-char=\"%g\"%s>\n",
		      width, height, width, height, view_names[options->view],
		      options->changes ? "change " : "", drawing->layout.units, samples, ROW_PIXELS,
		      TOP, PAD, CHARACTER_PIXELS, options->icicle ? " data-icicle=\"1\"" : "");
}

static void put_title(const struct drawing *drawing)
{
	const char *subtitle = drawing->options->subtitle ? drawing->options->subtitle : "";
	size_t columns = name_width(&name_style_svg, subtitle);

	if (columns > SUBTITLE_COLUMNS)
		columns = SUBTITLE_COLUMNS;
	(void)put_name(drawing->out, drawing->options->title, TITLE_COLUMNS - columns);
	(void)put_name(drawing->out, subtitle, SUBTITLE_COLUMNS);
}

static void put_head(const struct drawing *drawing)
{
	FILE *out = drawing->out;

	(void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	put_root(drawing);
	(void)fprintf(out,
		      "<metadata><head xmlns=\"http://www.w3.org/1999/xhtml\"><meta "
		      "http-equiv=\"Content-Security-Policy\" content=\"%s\"/></head></metadata>\n",
		      flame_policy);
	(void)fputs("<title>", out);
	put_title(drawing);
	(void)fprintf(out, "</title>\n<style><![CDATA[%s]]></style>\n", flame_style);
}

static void put_details(const struct drawing *drawing)
{
	(void)fprintf(drawing->out,
		      "<text id=\"details\" class=\"faint\" aria-live=\"polite\" "
		      "x=\"%d\" y=\"%d\">",
		      PAD, TOP - 14);
	if (drawing->layout.left_out) {
		put_count(drawing->out, drawing->layout.left_out);
		(void)fputs(" paths are too small to draw", drawing->out);
	}
	(void)fputs("</text>\n", drawing->out);
}

/*
 * Must be called after the boxes are printed. SVG draws later elements on top, and the header must
 * cover the boxes when the page scrolls.
 */
static void put_header(const struct drawing *drawing)
{
	FILE *out = drawing->out;

	(void)fprintf(out, "<g id=\"header\">\n<rect id=\"ground\" width=\"%d\" height=\"%d\"/>\n",
		      FLAME_PIXELS + 2 * PAD, TOP - 4);
	(void)fprintf(out, "<text id=\"title\" x=\"%d\" y=\"22\">", PAD);
	put_title(drawing);
	if (drawing->options->note) {
		(void)fprintf(out, "</text>\n<text id=\"note\" x=\"%d\" y=\"%d\">", PAD, NOTE_Y);
		(void)escape_xml(out, drawing->options->note);
	}
	(void)fprintf(out, "</text>\n<text id=\"matched\" x=\"%d\" y=\"%d\"></text>\n", PAD + 480,
		      TOP - 58);
	(void)fputs("<g id=\"legend\">\n", out);
	put_image_legend(drawing);
	put_context_legend(drawing);
	if (drawing->options->changes)
		put_change_legend(drawing);
	(void)fputs("</g>\n", out);
	put_details(drawing);
	(void)fputs("</g>\n", out);
}

static void put_document(const struct drawing *drawing)
{
	FILE *out = drawing->out;

	put_head(drawing);
	(void)fputs("<g id=\"boxes\">\n", out);
	for (size_t next = 0; next < drawing->layout.boxes.count;)
		next = put_row(drawing, next);
	(void)fputs("</g>\n", out);
	put_header(drawing);
	(void)fprintf(out, "<script><![CDATA[%s]]></script>\n</svg>\n", flame_script);
}

int flame_svg(const struct call_tree *tree, const struct flame_options *options, FILE *out)
{
	_cleanup_(drawing_fini) struct drawing drawing = { .tree = tree,
							   .options = options,
							   .out = out };
	struct flame_limits limits = { .min_share = options->min_share };
	int rc;

	if (options->min_share < 0)
		limits = (struct flame_limits){ .min_share = FLAME_LEAST_SHARE,
						.bytes_max = FLAME_BYTES_MAX,
						.bytes_each = BOX_BYTES,
						.bytes_row = ROW_BYTES,
						.bytes_of = bytes_of };
	if (options->changes)
		limits.bytes_each += CHANGE_BYTES;
	rc = flame_layout_make(tree, &limits, &drawing.layout);
	if (rc < 0)
		return rc;
	rc = flame_palette_make(tree, &drawing.palette);
	if (rc < 0)
		return rc;
	put_document(&drawing);
	return 0;
}
