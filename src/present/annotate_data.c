/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints annotated functions for programs: JSON and CSV. */
#include <inttypes.h>

#include "present/annotate_row.h"
#include "present/escape.h"
#include "present/function_note.h"
#include "present/json.h"
#include "present/share.h"
#include "present/losses.h"

/* ---- JSON ---- */

static void json_share(struct json *json, const char *key, const struct annotation *annotation,
		       const struct count *part, const struct count *whole)
{
	json_open(json, key, '{');
	share_json(&(struct share){ part, whole,
				    count_goes_by_weight(annotation_event(annotation)) },
		   json);
	json_close(json);
}

static void json_count(struct json *json, const struct annotation *annotation,
		       const struct count *count, uint64_t late_samples)
{
	json_u64(json, "samples", count->samples);
	json_u64(json, "late_samples", late_samples);
	json_u64(json, "weight", count->weight);
	json_share(json, "of_function", annotation, count, &annotation->total);
	json_share(json, "of_all", annotation, count, &annotation->all);
}

static void json_address(struct json *json, const char *key, uint64_t vaddr)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "0x%" PRIx64, vaddr);
	json_string(json, key, text);
}

static void json_instruction(struct json *json, const struct annotation *annotation,
			     const struct annotate_style *style, size_t i)
{
	const struct instruction *instruction = &annotation->instructions.list.at[i];
	const struct annotate_row *row = &annotation->rows.at[i];
	char text[DISASM_TEXT_MAX];

	annotated_text(annotation, i, text);
	json_open(json, NULL, '{');
	json_address(json, "vaddr", instruction->vaddr);
	json_u64(json, "length", instruction->length);
	json_string(json, "text", text);
	json_string(json, "flow", flow_name((enum flow)instruction->flow));
	if (instruction->target)
		json_address(json, "target", instruction->target);
	json_u64(json, "block", row->block + 1);
	json_source(json, annotation, style, i);
	json_count(json, annotation, &row->count, row->late_samples);
	json_u64(json, "inside_samples", row->inside_samples);
	if (style->place)
		json_bool(json, "asked", row->asked);
	json_close(json);
}

static void json_block(struct json *json, const struct annotation *annotation, size_t i)
{
	const struct annotate_block *block = &annotation->blocks.at[i];

	json_open(json, NULL, '{');
	json_u64(json, "block", i + 1);
	json_address(json, "vaddr", annotation->instructions.list.at[block->first].vaddr);
	json_address(json, "end_vaddr", annotated_block_end(annotation, block));
	json_u64(json, "instructions", block->row_count);
	json_count(json, annotation, &block->count, block->late_samples);
	json_close(json);
}

static int json_blocks(struct json *json, const struct annotation *annotation, size_t limit)
{
	bool *shown;
	int rc = annotation_choose_blocks(annotation, limit, &shown);

	if (rc < 0)
		return rc;
	json_open(json, "blocks", '[');
	for (size_t i = 0; i < annotation->blocks.count; i++)
		if (shown[i])
			json_block(json, annotation, i);
	json_close(json);
	free(shown);
	return 0;
}

static int json_instructions(struct json *json, const struct annotation *annotation,
			     const struct annotate_style *style)
{
	bool *shown;
	int rc = annotation_choose(annotation, style->limit, &shown);

	if (rc < 0)
		return rc;
	json_open(json, "instructions", '[');
	for (size_t i = 0; i < annotation->rows.count; i++)
		if (shown[i])
			json_instruction(json, annotation, style, i);
	json_close(json);
	free(shown);
	return 0;
}

static void json_place(struct json *json, const struct annotation *annotation,
		       const struct annotate_style *style)
{
	const struct count asked = annotation_asked(annotation);

	json_string(json, "asked", style->place);
	json_u64(json, "asked_samples", asked.samples);
	json_share(json, "asked_of_function", annotation, &asked, &annotation->total);
}

static int json_rows(struct json *json, const struct annotation *annotation,
		     const struct annotate_style *style)
{
	int rc = json_blocks(json, annotation, style->by_block ? style->limit : 0);

	if (rc < 0 || style->by_block)
		return rc;
	return json_instructions(json, annotation, style);
}

static int json_function(struct json *json, const struct annotation *annotation,
			 const struct annotate_style *style)
{
	const struct code *code = annotation->input.code;
	int rc;

	json_open(json, NULL, '{');
	json_string(json, "function", annotated_name(annotation));
	json_quality(json, annotation->input.profile, annotation->input.function);
	json_string(json, "image", annotated_image(annotation));
	json_address(json, "vaddr", code->vaddr);
	json_u64(json, "size_bytes", code->size_bytes);
	json_string(json, "code_from", annotation->input.code_from);
	json_u64(json, "samples", annotation->total.samples);
	json_u64(json, "late_samples", annotation->late_samples);
	json_u64(json, "outside_samples", annotation->outside.samples);
	json_share(json, "of_all", annotation, &annotation->total, &annotation->all);
	if (style->place)
		json_place(json, annotation, style);
	rc = json_rows(json, annotation, style);
	json_close(json);
	return rc;
}

int annotations_as_json(const struct annotation *functions, size_t count,
			const struct annotate_style *style, FILE *out)
{
	struct json json = { .out = out };
	const struct model *model = count ? functions[0].input.profile->model : NULL;
	int rc = 0;

	json_open(&json, NULL, '{');
	json_u64(&json, "version", 1);
	if (count) {
		losses_json(&json, LOSSES_KEY, model);
		json_string(&json, "event",
			    string_of(model, annotation_event(&functions[0])->name));
		json_u64(&json, "samples", functions[0].all.samples);
	}
	json_open(&json, "functions", '[');
	for (size_t i = 0; i < count; i++) {
		rc = json_function(&json, &functions[i], style);
		if (rc < 0)
			break;
	}
	json_close(&json);
	json_close(&json);
	return rc;
}

/* ---- CSV ---- */

static void csv_share(const struct annotation *annotation, const struct count *part,
		      const struct count *whole, FILE *out)
{
	share_csv(&(struct share){ part, whole,
				   count_goes_by_weight(annotation_event(annotation)) },
		  out);
}

static void csv_count(const struct annotation *annotation, const struct count *count,
		      uint64_t late_samples, FILE *out)
{
	(void)fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, count->samples, late_samples,
		      count->weight);
	csv_share(annotation, count, &annotation->total, out);
	csv_share(annotation, count, &annotation->all, out);
}

static void csv_names(const struct annotation *annotation, FILE *out)
{
	escape_csv(out, annotated_image(annotation));
	(void)fputc(',', out);
	escape_csv(out, annotated_name(annotation));
}

/* Ends a line with how far the function's name can be trusted. */
static void csv_end(const struct annotation *annotation, FILE *out)
{
	csv_quality(out, annotation->input.profile, annotation->input.function);
	(void)fputs("\r\n", out);
}

static void csv_instruction(const struct annotation *annotation, size_t i, FILE *out)
{
	const struct instruction *instruction = &annotation->instructions.list.at[i];
	const struct annotate_row *row = &annotation->rows.at[i];
	char text[DISASM_TEXT_MAX];

	annotated_text(annotation, i, text);
	csv_names(annotation, out);
	(void)fprintf(out, ",0x%" PRIx64 ",%u,%s,", instruction->vaddr, instruction->length,
		      flow_name((enum flow)instruction->flow));
	if (instruction->target)
		(void)fprintf(out, "0x%" PRIx64, instruction->target);
	(void)fprintf(out, ",%" PRIu32 ",", row->block + 1);
	escape_csv(out, text);
	csv_count(annotation, &row->count, row->late_samples, out);
	(void)fprintf(out, ",%" PRIu64 ",", row->inside_samples);
	csv_source(annotation, i, out);
	(void)fprintf(out, ",%d", row->asked);
	csv_end(annotation, out);
}

static void csv_block(const struct annotation *annotation, size_t i, FILE *out)
{
	const struct annotate_block *block = &annotation->blocks.at[i];

	csv_names(annotation, out);
	(void)fprintf(out, ",%zu,0x%" PRIx64 ",0x%" PRIx64 ",%" PRIu32, i + 1,
		      annotation->instructions.list.at[block->first].vaddr,
		      annotated_block_end(annotation, block), block->row_count);
	csv_count(annotation, &block->count, block->late_samples, out);
	csv_end(annotation, out);
}

static int csv_function(const struct annotation *annotation, const struct annotate_style *style,
			FILE *out)
{
	size_t count = style->by_block ? annotation->blocks.count : annotation->rows.count;
	bool *shown;
	int rc = style->by_block ? annotation_choose_blocks(annotation, style->limit, &shown)
				 : annotation_choose(annotation, style->limit, &shown);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++)
		if (shown[i])
			(style->by_block ? csv_block : csv_instruction)(annotation, i, out);
	free(shown);
	return 0;
}

#define CSV_COUNTS                                                                         \
	"samples,late_samples,weight,function_share,function_low,function_high,all_share," \
	"all_low,all_high"

int annotations_as_csv(const struct annotation *functions, size_t count,
		       const struct annotate_style *style, FILE *out)
{
	(void)fputs(style->by_block
			    ? "image,function,block,vaddr,end_vaddr,instructions," CSV_COUNTS
			    : "image,function,vaddr,length,flow,target,block,text," CSV_COUNTS
			      ",inside_samples,file,line,asked",
		    out);
	csv_quality_titles(out, "");
	(void)fputs("\r\n", out);
	for (size_t i = 0; i < count; i++) {
		int rc = csv_function(&functions[i], style, out);

		if (rc < 0)
			return rc;
	}
	return 0;
}
