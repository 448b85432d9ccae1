/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/debug_parameters.h"

#include <elf.h>
#include <errno.h>

#include "base/cleanup.h"
#include "dwarf/dwarf_tree.h"
#include "dwarf/dwarf_work.h"

/* Structures up to this size are passed in registers, if they can be copied as bytes. */
#define SMALL_BYTES 16u

/* ---- types ---- */

enum type_class {
	TYPE_VOID,
	TYPE_INTEGER,		/* or an address; also larger ones than registers */
	TYPE_FLOAT,
	TYPE_STRUCTURE,
	TYPE_UNKNOWN,
};

struct type {
	enum type_class class;
	uint64_t size_bytes;		/* 0: not known */
	bool is_signed;
	bool is_found;			/* the entry of the type was reached */
	enum dwarf_calling passing;	/* of a structure */
};

static void take_base_type(const struct dwarf_die *die, struct type *type)
{
	switch (die_number_or(die, SLOT_ENCODING, 0)) {
	case DW_ATE_complex_float:
	case DW_ATE_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		type->class = TYPE_FLOAT;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		type->is_signed = true;
		type->class = TYPE_INTEGER;
		break;
	case DW_ATE_address:
	case DW_ATE_boolean:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		type->class = TYPE_INTEGER;
		break;
	default:
		type->class = TYPE_UNKNOWN;
		break;
	}
}

/* Goes on to the type from which this one is made. Without one, this is void. */
static int go_on(const struct dwarf_die *die, struct dwarf_value *ret_next)
{
	const struct dwarf_value *next = die_value(die, SLOT_TYPE);

	if (next)
		*ret_next = *next;
	return next != NULL;
}

static int take_type(struct type *type, const struct dwarf_cu *cu, const struct dwarf_die *die,
		     struct dwarf_value *ret_next)
{
	switch (die->abbrev->tag) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return go_on(die, ret_next);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		type->class = TYPE_INTEGER;
		type->size_bytes = cu->unit.address_size;
		return 0;
	case DW_TAG_enumeration_type:
		type->class = TYPE_INTEGER;
		type->size_bytes = die_number_or(die, SLOT_BYTE_SIZE, 0);
		return go_on(die, ret_next);
	case DW_TAG_base_type:
		take_base_type(die, type);
		type->size_bytes = die_number_or(die, SLOT_BYTE_SIZE, 0);
		return 0;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		type->class = TYPE_STRUCTURE;
		type->size_bytes = die_number_or(die, SLOT_BYTE_SIZE, 0);
		type->passing = (enum dwarf_calling)die_number_or(die, SLOT_CALLING, DW_CC_normal);
		return 0;
	default:
		type->class = TYPE_UNKNOWN;
		return 0;
	}
}

/* First sees the entry that has the type, or those that it refers to, then the types. */
static int see_type(void *context, const struct dwarf_cu *cu, const struct dwarf_die *die,
		    struct dwarf_value *ret_next)
{
	struct type *type = context;

	if (type->is_found)
		return take_type(type, cu, die, ret_next);
	type->is_found = die_value(die, SLOT_TYPE);
	return type->is_found ? go_on(die, ret_next) : dwarf_die_origin(die, ret_next);
}

/*
 * Finds the type of a parameter or of a function's result. What refers to entries that cannot be
 * found is unknown, not void.
 */
static int find_type(const struct dwarf_cu *cu, const struct dwarf_die *die, struct type *ret_type)
{
	const struct dwarf_visitor visitor = { .see = see_type, .context = ret_type };
	int rc;

	*ret_type = (struct type){ .class = TYPE_VOID };
	rc = dwarf_follow(cu, die, &visitor);
	if (rc == 0 && ret_type->is_found && ret_type->class == TYPE_VOID)
		ret_type->class = TYPE_UNKNOWN;
	return rc;
}

/* ---- the calling convention ---- */

struct parameters {
	const struct dwarf_cu *cu;
	uint16_t machine;
	uint8_t next;			/* register for the next integer or address */
	bool is_known;			/* which one that is */
	size_t count;
	debug_parameter_fn see;
	void *context;
};

static uint8_t register_count(const struct parameters *parameters)
{
	return parameters->machine == EM_X86_64 ? 6 : 8;
}

static bool is_c(const struct dwarf_cu *cu)
{
	switch (die_number_or(&cu->root, SLOT_LANGUAGE, 0)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C17:
		return true;
	default:
		return false;
	}
}

/*
 * On x86-64, the first argument of a function whose result is returned in memory is its address. In
 * other languages than C, this may depend on more than the size.
 */
static void begin_with_result(struct parameters *parameters, const struct type *result)
{
	bool is_large = result->size_bytes > SMALL_BYTES;

	parameters->is_known = true;
	if (parameters->machine != EM_X86_64)
		parameters->is_known = parameters->machine == EM_AARCH64;
	else if (result->class == TYPE_UNKNOWN)
		parameters->is_known = false;
	else if (result->class != TYPE_STRUCTURE)
		return;
	else if (is_large || result->passing == DW_CC_pass_by_reference)
		parameters->next = 1;
	else
		parameters->is_known = result->size_bytes &&
				       (result->passing == DW_CC_pass_by_value ||
					is_c(parameters->cu));
}

/* An object with a destructor, for example, stays where it is, and its address is passed. */
static bool passes_address(const struct type *type)
{
	return type->class == TYPE_STRUCTURE && type->passing == DW_CC_pass_by_reference;
}

static bool passes_copy(const struct parameters *parameters, const struct type *type)
{
	return parameters->machine == EM_X86_64 && type->class == TYPE_STRUCTURE &&
	       type->size_bytes > SMALL_BYTES &&
	       (type->passing == DW_CC_pass_by_value || is_c(parameters->cu));
}

static void pass(struct parameters *parameters, const struct type *type,
		 struct debug_parameter *parameter)
{
	bool in_register = type->class == TYPE_INTEGER &&
			   (type->size_bytes == 1 || type->size_bytes == 2 ||
			    type->size_bytes == 4 || type->size_bytes == 8);

	if (parameters->is_known && type->class == TYPE_FLOAT) {
		parameter->passed = PASSED_AS_FLOAT;
	} else if (parameters->is_known && in_register) {
		parameter->number = parameters->next;
		parameter->size_bytes = (uint8_t)type->size_bytes;
		parameter->is_signed = type->is_signed;
		parameter->passed = parameters->next < register_count(parameters)
					    ? PASSED_IN_REGISTER
					    : PASSED_IN_MEMORY;
		if (parameter->passed == PASSED_IN_REGISTER)
			parameters->next++;
	} else if (parameters->is_known && passes_address(type)) {
		if (parameters->next < register_count(parameters))
			parameters->next++;
		parameter->passed = PASSED_SOMEHOW;
	} else if (parameters->is_known && passes_copy(parameters, type)) {
		parameter->passed = PASSED_IN_MEMORY;
	} else {
		parameters->is_known = false;
		parameter->passed = PASSED_SOMEHOW;
	}
}

/* ---- entries ---- */

static int take_parameter(struct parameters *parameters, const struct dwarf_die *die)
{
	struct debug_parameter parameter = { 0 };
	char name[DWARF_TEXT_MAX] = "";
	struct type type;
	int rc;

	if (parameters->count++ >= DEBUG_PARAMETERS_MAX)
		return 0;
	rc = dwarf_die_name(parameters->cu, die, name);
	if (rc == 0)
		rc = find_type(parameters->cu, die, &type);
	if (rc < 0)
		return rc;
	parameter.name = name;
	pass(parameters, &type, &parameter);
	parameters->see(parameters->context, &parameter);
	return 0;
}

/* Reads the children of a function. Their own children, such as blocks, are skipped. */
static int take_children(struct parameters *parameters, struct byte_reader *r)
{
	const struct dwarf_cu *cu = parameters->cu;
	struct dwarf_die die;
	size_t depth = 1;

	while (depth > 0) {
		int rc = dwarf_die_read(cu->file, &cu->unit, &cu->abbrevs, r, &die);

		if (rc < 0)
			return rc;
		if (!die.abbrev) {
			depth--;
			continue;
		}
		if (depth == 1 && die.abbrev->tag == DW_TAG_formal_parameter)
			rc = take_parameter(parameters, &die);
		/* after "...", nothing has a name */
		if (rc < 0 || (depth == 1 && die.abbrev->tag == DW_TAG_unspecified_parameters))
			return rc;
		depth += die.abbrev->has_children;
	}
	return 0;
}

static int take_function(struct parameters *parameters, uint64_t offset)
{
	const struct dwarf_cu *cu = parameters->cu;
	struct byte_reader r = dwarf_window_reader(cu->file, &cu->info);
	struct dwarf_die die;
	struct type result;
	int rc;

	byte_reader_seek(&r, offset - cu->unit.offset);
	rc = dwarf_die_read(cu->file, &cu->unit, &cu->abbrevs, &r, &die);
	if (rc == 0)
		rc = find_type(cu, &die, &result);
	if (rc < 0)
		return rc;
	begin_with_result(parameters, &result);
	if (die_number_or(&die, SLOT_CALLING, DW_CC_normal) != DW_CC_normal)
		parameters->is_known = false;
	return die.abbrev->has_children ? take_children(parameters, &r) : 0;
}

/* ---- all ---- */

struct work {
	struct dwarf_work common;
	struct dwarf_tree tree;
	struct parameters parameters;
	uint64_t vaddr;
	bool is_found;
};

/* Returns true if the function begins at @vaddr. */
static bool begins_at(const struct dwarf_cu *cu, uint64_t offset, uint64_t vaddr,
		      struct dwarf_ranges *ranges)
{
	struct byte_reader r = dwarf_window_reader(cu->file, &cu->info);
	struct dwarf_die die;

	byte_reader_seek(&r, offset - cu->unit.offset);
	if (dwarf_die_read(cu->file, &cu->unit, &cu->abbrevs, &r, &die) < 0 ||
	    dwarf_die_ranges(cu, &die, ranges) < 0)
		return false;
	for (size_t i = 0; i < ranges->list.count; i++)
		if (ranges->list.at[i].low == vaddr)
			return true;
	return false;
}

/* Another function may be inlined at the entry of the one that is asked for. */
static int answer(struct dwarf_work *common, const struct dwarf_cu *unit,
		  const struct dwarf_cu *tree, struct dwarf_queries *queries)
{
	struct work *work = common->context;
	const struct dwarf_node *nodes;
	uint32_t node;
	int rc = tree ? dwarf_tree_read(tree, queries, &work->tree) : -ENOENT;

	if (rc < 0)
		return rc;
	nodes = work->tree.nodes.at;
	node = queries->at[0].node;
	while (node && nodes[node].inlined)
		node = nodes[node].parent;
	if (!node || !begins_at(tree, nodes[node].offset, work->vaddr, &work->tree.ranges))
		return -ENOENT;
	work->is_found = true;
	work->parameters.cu = tree;
	return take_function(&work->parameters, nodes[node].offset);
}

static int find(struct work *work, uint64_t vaddr)
{
	int rc;

	work->vaddr = vaddr;
	work->common.answer = answer;
	work->common.context = work;
	rc = dwarf_work_run(&work->common, &vaddr, 1);
	return rc == 0 && !work->is_found ? -ENOENT : rc;
}

static void work_fini(struct work *work)
{
	dwarf_tree_fini(&work->tree);
	dwarf_work_fini(&work->common);
}

int debug_parameters_find(const struct image_file *file, const struct debug_lines_options *options,
			  uint64_t vaddr, debug_parameter_fn see, void *context)
{
	_cleanup_(work_fini) struct work work = {
		.parameters = { .machine = file->machine, .see = see, .context = context },
	};
	struct debug_lines_health health;
	int rc = dwarf_work_open(&work.common, file, options, &health);

	return rc < 0 ? rc : find(&work, vaddr);
}

int debug_parameters_from_bytes(const void *bytes, size_t size_bytes, uint16_t machine,
				uint64_t vaddr, debug_parameter_fn see, void *context)
{
	struct debug_lines_health health = { 0 };
	_cleanup_(work_fini) struct work work = {
		.common = { .health = &health },
		.parameters = { .machine = machine, .see = see, .context = context },
	};
	int rc = dwarf_files_from_bytes(&work.common.files, bytes, size_bytes);

	return rc < 0 ? rc : find(&work, vaddr);
}
