/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/function_exits.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/sort.h"
#include "elf/frame_records.h"

/* The parts of the function that is searched: itself first, then those that it jumps to. */
struct parts {
	struct code_part list[FUNCTION_PARTS_MAX];
	size_t count;
	size_t most_exits;
};

void exit_search_init(struct exit_search *search, const struct image_file *file,
		      const struct symbol_table *table)
{
	*search = (struct exit_search){ .file = file, .table = table };
	if (disasm_new(file->machine, NULL, NULL, &search->disasm, NULL) < 0)
		search->disasm = NULL;
}

void exit_search_fini(struct exit_search *search)
{
	disasm_free(search->disasm);
	vec_free(&search->instructions.list);
	unwind_table_fini(&search->unwinding);
	vec_free(&search->frames);
	vec_free(&search->exits);
}

/* ---- code without symbols ---- */

static void read_frames(struct exit_search *search)
{
	struct frame_records records;
	struct frame_fde fde;

	if (frame_records_read(search->file, NULL, &records) < 0)
		return;
	while (frame_records_next(&records, &fde) == 1) {
		struct code_part *slot = vec_push(&search->frames);

		if (!slot)
			break;
		*slot = (struct code_part){ fde.start_vaddr, fde.size_bytes };
	}
	frame_records_fini(&records);
	if (search->frames.count &&
	    sort_by_number(search->frames.at, search->frames.count, sizeof(*search->frames.at),
			   offsetof(struct code_part, vaddr)) < 0)
		vec_clear(&search->frames);
}

static void need_unwinding(struct exit_search *search)
{
	if (search->has_unwinding)
		return;
	search->has_unwinding = true;
	(void)unwind_table_build(search->file, &search->unwinding, NULL);
	read_frames(search);
}

/* Returns true if the stack pointer at @vaddr is what it was at the entry of the function. */
static bool is_at_entry_depth(struct exit_search *search, uint64_t vaddr)
{
	int32_t at_entry = search->file->machine == EM_X86_64 ? 8 : 0;
	const struct unwind_rule *rule;

	need_unwinding(search);
	rule = unwind_table_find(&search->unwinding, vaddr);
	return rule->kind == UNWIND_CFA && rule->cfa_base == UNWIND_BASE_SP &&
	       rule->cfa_offset == at_entry;
}

/* Finds the code around @vaddr that one frame record describes. */
static bool find_frame(struct exit_search *search, uint64_t vaddr, struct code_part *ret_part)
{
	size_t low = 0, high;

	need_unwinding(search);
	high = search->frames.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (search->frames.at[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low ||
	    vaddr - search->frames.at[low - 1].vaddr >= search->frames.at[low - 1].size_bytes)
		return false;
	*ret_part = search->frames.at[low - 1];
	return true;
}

/* ---- jumps ---- */

static bool has_address(const struct parts *parts, uint64_t vaddr)
{
	for (size_t i = 0; i < parts->count; i++)
		if (vaddr - parts->list[i].vaddr < parts->list[i].size_bytes)
			return true;
	return false;
}

static void add_part(struct parts *parts, const struct code_part *part)
{
	if (parts->count < FUNCTION_PARTS_MAX)
		parts->list[parts->count++] = *part;
}

/* Returns the symbol that is exactly at @vaddr, or NULL. */
static const struct symbol *symbol_at(const struct exit_search *search, uint64_t vaddr)
{
	struct symbol_answer answer;

	symbol_table_lookup(search->table, vaddr, &answer);
	return answer.symbol && answer.symbol->vaddr == vaddr ? answer.symbol : NULL;
}

/*
 * Called for a jump out of the known parts of a function. Returns true if it leaves the function.
 * Otherwise it may go to another part, which is added.
 */
static bool jump_leaves(struct exit_search *search, const struct instruction *jump,
			struct parts *parts)
{
	const struct symbol *to = symbol_at(search, jump->target);
	bool is_always = jump->flow == FLOW_JUMP;
	struct code_part part;

	if (to && strstr(to->name, ".cold") != NULL) {
		part = (struct code_part){ to->vaddr, to->size_bytes };
		add_part(parts, &part);
		return false;
	}
	if (to)
		return is_always;
	if (is_always && is_at_entry_depth(search, jump->vaddr))
		return true;
	if (find_frame(search, jump->target, &part))
		add_part(parts, &part);
	return false;
}

/* Adds the exits that are in part @i, and the parts that control goes to. */
static void search_part(struct exit_search *search, struct parts *parts, size_t i)
{
	const struct code_part part = parts->list[i];
	size_t size_bytes = (size_t)part.size_bytes;
	_cleanup_free_ uint8_t *code = NULL;

	if (!size_bytes || part.size_bytes > DISASM_BYTES_MAX)
		return;
	code = malloc(size_bytes);
	if (!code || image_file_code(search->file, NULL, part.vaddr, size_bytes, code) < 0 ||
	    disasm_walk(search->disasm, code, size_bytes, part.vaddr, &search->instructions, NULL) <
		    0)
		return;
	search->is_decoded |= i == 0;
	for (size_t k = 0; k < search->instructions.list.count; k++) {
		const struct instruction *at = &search->instructions.list.at[k];
		bool jumps = at->flow == FLOW_JUMP || at->flow == FLOW_BRANCH;
		bool leaves = at->flow == FLOW_RETURN;
		uint64_t *slot;

		if (jumps && at->target && !has_address(parts, at->target))
			leaves = jump_leaves(search, at, parts);
		slot = leaves && search->exits.count < parts->most_exits ? vec_push(&search->exits)
									 : NULL;
		if (slot)
			*slot = at->vaddr;
	}
}

void exit_search_run(struct exit_search *search, const struct symbol *function, size_t most)
{
	struct parts parts = {
		.list = { { function->vaddr, function->size_bytes } },
		.count = 1,
		.most_exits = most,
	};

	vec_clear(&search->exits);
	search->is_decoded = false;
	for (size_t i = 0; search->disasm && i < parts.count; i++)
		search_part(search, &parts, i);
}
