/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/unwind_table.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "unwind/arm_code.h"
#include "unwind/cfi.h"
#include "unwind/clone_code.h"
#include "unwind/go_frames.h"
#include "unwind/init_code.h"
#include "unwind/rule_set.h"

/*
 * The size that is assumed for the program's first function (at its entry address) if no record
 * covers the entry address.
 */
#define ENTRY_BYTES 64u

/* Signal handlers return to code of the vdso, so only segments that could be its are searched. */
#define ARM_VDSO_MAX_BYTES 65536u

/*
 * The code that one record describes, and its rows. At first, the offsets of the rows count from
 * start_vaddr. put_function() converts them to offsets from the table's base_vaddr.
 */
struct function {
	uint64_t start_vaddr, size_bytes;
	uint32_t first_row, row_count;
};

struct building {
	const struct image_file *file;
	const void *bytes;			/* contents of the image, or NULL */
	struct unwind_table *table;
	struct frame_records records;
	struct go_functions go_functions;
	struct cfi cfi;
	struct rule_set rules;
	/* rows of all functions, in the order in which the functions were added */
	VEC(struct unwind_row) rows;
	VEC(struct function) functions;
};

static void building_fini(struct building *building)
{
	rule_set_fini(&building->rules);
	cfi_fini(&building->cfi);
	frame_records_fini(&building->records);
	go_functions_fini(&building->go_functions);
	vec_free(&building->rows);
	vec_free(&building->functions);
}

/*
 * Returns -EAGAIN if a rule computes the CFA from the register kept and rules do not follow kept.
 * The table must then be built again with follow_kept.
 */
static int add_row(void *context, uint64_t offset, const struct unwind_rule *rule)
{
	struct building *building = context;
	struct unwind_row *row;
	int number;

	if (rule->cfa_base == UNWIND_BASE_KEPT && !building->cfi.registers.follows_kept)
		return -EAGAIN;
	number = rule_set_add(&building->rules, rule);
	if (number < 0)
		return number;
	if (building->rows.count >= UNWIND_ROWS_MAX)
		return -EFBIG;
	row = vec_push(&building->rows);
	if (!row)
		return -ENOMEM;
	row->offset = (uint32_t)offset;
	row->rule = (uint16_t)number;
	return 0;
}

static bool is_code(const struct image_file *file, uint64_t vaddr)
{
	const struct elf_segment *segment = image_file_segment(file, vaddr);

	return segment && segment->executable;
}

static int add_function(struct building *building, uint64_t start_vaddr, uint64_t size_bytes,
			size_t first_row)
{
	struct function *function;

	if (building->functions.count >= UNWIND_FUNCTIONS_MAX)
		return -EFBIG;
	function = vec_push(&building->functions);
	if (!function)
		return -ENOMEM;
	*function = (struct function){
		.start_vaddr = start_vaddr,
		.size_bytes = size_bytes,
		.first_row = (uint32_t)first_row,
		.row_count = (uint32_t)(building->rows.count - first_row),
	};
	return 0;
}

/* Adds a function with a single row. */
static int add_whole(struct building *building, uint64_t start_vaddr, uint64_t size_bytes,
		     const struct unwind_rule *rule)
{
	size_t first_row = building->rows.count;
	int rc = add_row(building, 0, rule);

	return rc < 0 ? rc : add_function(building, start_vaddr, size_bytes, first_row);
}

/* Adds a function whose frame has no caller. */
static int add_end(struct building *building, uint64_t start_vaddr, uint64_t size_bytes)
{
	const struct unwind_rule end = { .kind = UNWIND_END };

	return add_whole(building, start_vaddr, size_bytes, &end);
}

/* The value of kept_words in rules for code that does not change the register kept. */
static int8_t kept_unchanged(const struct building *building)
{
	return building->cfi.registers.follows_kept ? UNWIND_KEPT_ALONE : UNWIND_KEPT_LOST;
}

static int add_init_row(struct building *building, uint64_t offset, int32_t cfa_offset)
{
	const struct unwind_rule rule = {
		.kind = UNWIND_CFA,
		.cfa_base = UNWIND_BASE_SP,
		.ra_base = UNWIND_BASE_CFA,
		.kept_words = kept_unchanged(building),
		.cfa_offset = cfa_offset,
		.ra_offset = -8,
	};

	return add_row(building, offset, &rule);
}

/*
 * Adds the rows of _init or _fini. Must be called before the records are read, so that a record
 * with the same start takes precedence.
 */
static int add_init(struct building *building, const struct frame_code *code)
{
	size_t first_row = building->rows.count;
	struct init_code init;
	int rc;

	if (building->file->machine != EM_X86_64 || !is_code(building->file, code->vaddr) ||
	    !init_code_parse(code, &init))
		return 0;
	rc = add_init_row(building, 0, 8);
	if (rc < 0)
		return rc;
	rc = add_init_row(building, init.grown_at, 16);
	if (rc < 0)
		return rc;
	rc = add_init_row(building, init.shrunk_at, 8);
	if (rc < 0)
		return rc;
	return add_function(building, code->vaddr, code->size_bytes, first_row);
}

/* Adds the head of aarch64's .plt, which has a frame, and its entries, which have none. */
static int add_arm_plt(struct building *building)
{
	const struct unwind_rule plain = arm_plt_rule(0, kept_unchanged(building));
	const struct unwind_rule pushed = arm_plt_rule(16, kept_unchanged(building));
	uint64_t vaddr = building->records.plt_vaddr, size_bytes = building->records.plt_bytes;
	size_t first_row = building->rows.count;
	uint8_t head[ARM_PLT_HEAD_BYTES];
	uint32_t pushed_at;
	int rc;

	if (size_bytes < sizeof(head) || size_bytes > UINT32_MAX ||
	    !is_code(building->file, vaddr) ||
	    image_file_code(building->file, building->bytes, vaddr, sizeof(head), head) < 0)
		return 0;
	pushed_at = arm_plt_pushed_at(head);
	rc = add_row(building, 0, &plain);
	if (rc == 0 && pushed_at) {
		rc = add_row(building, pushed_at, &pushed);
		if (rc == 0)
			rc = add_row(building, sizeof(head), &plain);
	}
	return rc < 0 ? rc : add_function(building, vaddr, size_bytes, first_row);
}

/*
 * Adds the code to which signal handlers return. A frame there is looked up by its return address,
 * which is the first byte of this code, minus 1. So the function begins one byte earlier. Before
 * that byte, other functions may go on.
 */
static int add_arm_signal_return(struct building *building, const struct elf_segment *segment)
{
	_cleanup_free_ uint8_t *code = NULL;
	size_t size_bytes = (size_t)segment->file_size_bytes, at;

	if (!segment->executable || segment->file_size_bytes > ARM_VDSO_MAX_BYTES)
		return 0;
	code = malloc(size_bytes + 1);
	if (!code)
		return -ENOMEM;
	if (image_file_code(building->file, building->bytes, segment->vaddr, size_bytes, code) < 0)
		return 0;
	at = arm_find_signal_return(code, size_bytes);
	if (at == size_bytes || segment->vaddr + at == 0)
		return 0;
	return add_whole(building, segment->vaddr + at - 1, ARM_SIGNAL_RETURN_BYTES + 1,
			 &arm_signal_rule);
}

/* Must be called before the records are read, as add_init(). */
static int add_arm_code(struct building *building)
{
	const struct image_file *file = building->file;
	int rc = 0;

	if (file->machine != EM_AARCH64)
		return 0;
	for (size_t i = 0; i < file->segments.count && rc == 0; i++)
		rc = add_arm_signal_return(building, &file->segments.at[i]);
	return rc < 0 ? rc : add_arm_plt(building);
}

static int read_fde(struct building *building, const struct frame_fde *fde)
{
	const struct image_file *file = building->file;
	size_t first_row = building->rows.count;
	int rc;

	if (fde->size_bytes == 0 || !is_code(file, fde->start_vaddr))
		return 0;
	if (fde->size_bytes > UINT32_MAX) {
		building->table->far_count++;
		return 0;
	}
	if (file->is_program && fde->start_vaddr == file->entry_vaddr)
		return add_end(building, fde->start_vaddr, fde->size_bytes);
	rc = cfi_run(&building->cfi, fde, add_row, building);
	if (rc == -EBADMSG) {
		building->rows.count = first_row;
		building->table->damaged_count++;
		return 0;
	}
	return rc < 0 ? rc : add_function(building, fde->start_vaddr, fde->size_bytes, first_row);
}

static int read_go_function(struct building *building, struct go_function *function)
{
	const struct go_frames frames = { building->file, building->bytes };
	size_t first_row = building->rows.count;
	uint64_t start_vaddr, size_bytes;
	int rc;

	if (!is_code(building->file, function->start_vaddr))
		return 0;
	if (building->file->is_program && function->start_vaddr == building->file->entry_vaddr)
		function->is_outermost = true;
	rc = go_frames_run(&frames, function, add_row, building, &start_vaddr, &size_bytes);
	if (rc == -EBADMSG) {
		building->rows.count = first_row;
		building->table->damaged_count++;
		return 0;
	}
	if (rc < 0 || size_bytes == 0)
		return rc;
	if (size_bytes > UINT32_MAX) {
		building->rows.count = first_row;
		building->table->far_count++;
		return 0;
	}
	return add_function(building, start_vaddr, size_bytes, first_row);
}

/* Must be called after the records were read, so that Go's own table takes precedence. */
static int read_go_functions(struct building *building)
{
	struct go_function function;

	while (go_functions_next(&building->go_functions, &function)) {
		int rc = read_go_function(building, &function);

		if (rc < 0)
			return rc;
	}
	building->table->damaged_count += building->go_functions.damaged_count;
	return 0;
}

/*
 * Orders functions by address. Functions with the same start stay in the order in which they were
 * added.
 */
static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->start_vaddr != b->start_vaddr)
		return a->start_vaddr < b->start_vaddr ? -1 : 1;
	return a->first_row < b->first_row ? -1 : a->first_row > b->first_row;
}

static void sort_functions(struct building *building)
{
	struct function *functions = building->functions.at;

	for (size_t i = 1; i < building->functions.count; i++) {
		if (compare_functions(&functions[i - 1], &functions[i]) > 0) {
			qsort(functions, building->functions.count, sizeof(*functions),
			      compare_functions);
			return;
		}
	}
}

static int add_entry(struct building *building)
{
	uint64_t entry = building->file->entry_vaddr;

	if (entry == 0 || !is_code(building->file, entry))
		return 0;
	for (size_t i = 0; i < building->functions.count; i++) {
		const struct function *function = &building->functions.at[i];

		if (entry >= function->start_vaddr &&
		    entry - function->start_vaddr < function->size_bytes)
			return 0;
	}
	return add_end(building, entry, ENTRY_BYTES);
}

static const struct unwind_rule *rule_of(const struct building *building, size_t row)
{
	return &building->rules.rules.at[building->rows.at[row].rule];
}

/*
 * If the code between two successive functions is the code in clone() around the system call
 * (clone_code.h), adds this code as a function. Such code is expected only if the second function
 * begins with the outermost frame of a thread. The new function gets the last rule of the first
 * function, with the flag UNWIND_CLONES.
 */
static int add_clone(struct building *building, struct function before, struct function after)
{
	uint64_t start = before.start_vaddr + before.size_bytes;
	uint64_t size_bytes = after.start_vaddr - start;
	size_t first_row = building->rows.count;
	uint8_t code[CLONE_CODE_MOST];
	struct unwind_rule rule;
	int rc;

	if (size_bytes < CLONE_CODE_LEAST || size_bytes > CLONE_CODE_MOST ||
	    before.row_count == 0 || after.row_count == 0 ||
	    rule_of(building, after.first_row)->kind != UNWIND_END)
		return 0;
	rule = *rule_of(building, before.first_row + before.row_count - 1);
	if (rule.kind != UNWIND_CFA || rule.cfa_base != UNWIND_BASE_SP ||
	    image_file_code(building->file, building->bytes, start, size_bytes, code) < 0 ||
	    !clone_code_is(code, size_bytes))
		return 0;
	rule.flags |= UNWIND_CLONES;
	rc = add_row(building, 0, &rule);
	return rc < 0 ? rc : add_function(building, start, size_bytes, first_row);
}

/*
 * Calls add_clone() for each pair of successive functions. The functions must be sorted. They are
 * sorted again at the end.
 */
static int add_clones(struct building *building)
{
	size_t count = building->functions.count;

	if (building->file->machine != EM_X86_64)
		return 0;
	for (size_t i = 1; i < count; i++) {
		int rc = add_clone(building, building->functions.at[i - 1],
				   building->functions.at[i]);

		if (rc < 0)
			return rc;
	}
	sort_functions(building);
	return 0;
}

/*
 * Appends a row to the table, whose array must be large enough. Does nothing if the last row
 * already has the same rule.
 */
static void put_row(struct unwind_table *table, uint64_t offset, uint16_t rule)
{
	size_t count = table->rows.count;

	if (count > 0 && table->rows.at[count - 1].rule == rule)
		return;
	table->rows.at[table->rows.count++] = (struct unwind_row){
		.offset = (uint32_t)offset,
		.rule = rule,
	};
}

/*
 * Appends the rows of a function up to @end, where another function or a gap begins. Leaves out the
 * rows from @end on.
 */
static void put_function(struct building *building, const struct function *function, uint64_t end)
{
	struct unwind_table *table = building->table;
	uint64_t start = function->start_vaddr - table->base_vaddr;

	for (size_t i = 0; i < function->row_count; i++) {
		const struct unwind_row *row = &building->rows.at[function->first_row + i];

		if (start + row->offset >= end)
			break;
		put_row(table, start + row->offset, row->rule);
	}
}

/* Appends the row for a gap between functions: UNWIND_PADDING or UNWIND_GAP (unwind_table.h). */
static int put_gap(struct building *building, uint64_t start, uint64_t end)
{
	const struct unwind_rule padding = { .kind = UNWIND_PADDING };
	uint64_t next_vaddr = building->table->base_vaddr + end;
	int rule = RULE_GAP;

	if (end - start < UNWIND_PADDING_ALIGNMENT && next_vaddr % UNWIND_PADDING_ALIGNMENT == 0)
		rule = rule_set_add(&building->rules, &padding);
	if (rule >= 0)
		put_row(building->table, start, (uint16_t)rule);
	return rule < 0 ? rule : 0;
}

static int put_functions(struct building *building)
{
	struct unwind_table *table = building->table;
	size_t count = building->functions.count;
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++) {
		const struct function *function = &building->functions.at[i];
		uint64_t start = function->start_vaddr - table->base_vaddr;
		uint64_t next = i + 1 < count ? function[1].start_vaddr - table->base_vaddr
					      : UINT64_MAX;

		if (next == start)
			/* of several functions with the same start, the last is used */
			continue;
		if (start + function->size_bytes > UINT32_MAX) {
			table->far_count++;
			continue;
		}
		if (start > end && put_gap(building, end, start) < 0)
			return -ENOMEM;
		end = start + function->size_bytes < next ? start + function->size_bytes : next;
		put_function(building, function, end);
	}
	put_row(table, end, RULE_GAP);
	return 0;
}

/*
 * Appends the rows of all functions and gaps to the table, in address order, and shrinks the array
 * to its final size.
 */
static int put_together(struct building *building)
{
	struct unwind_table *table = building->table;
	size_t most;
	void *shrunk;
	int rc;

	if (building->functions.count == 0)
		return 0;
	sort_functions(building);
	rc = add_clones(building);
	if (rc < 0)
		return rc;
	most = building->rows.count + building->functions.count + 1;
	table->fde_count = (uint32_t)building->functions.count;
	table->base_vaddr = building->functions.at[0].start_vaddr;
	if (vec_reserve(&table->rows, most) < 0)
		return -ENOMEM;
	if (put_functions(building) < 0)
		return -ENOMEM;
	shrunk = reallocarray(table->rows.at, table->rows.count, sizeof(*table->rows.at));
	if (shrunk) {
		table->rows.at = shrunk;
		table->rows.capacity = table->rows.count;
	}
	for (size_t i = 0; i < building->rows.count; i++)
		table->unsupported_rows += building->rows.at[i].rule == RULE_UNSUPPORTED;
	return 0;
}

/*
 * Gets the next record. A Go program's .debug_frame repeats what Go's own table says, except where
 * fp is saved, so it is not used.
 */
static int next_fde(struct building *building, struct frame_fde *ret_fde)
{
	if (building->go_functions.count > 0 && building->records.is_debug)
		return 0;
	return frame_records_next(&building->records, ret_fde);
}

static int read_records(struct building *building)
{
	struct frame_fde fde;
	int rc = add_init(building, &building->records.init);

	if (rc < 0)
		return rc;
	rc = add_init(building, &building->records.fini);
	if (rc < 0)
		return rc;
	rc = add_arm_code(building);
	if (rc < 0)
		return rc;
	while ((rc = next_fde(building, &fde)) > 0) {
		rc = read_fde(building, &fde);
		if (rc < 0)
			return rc;
	}
	building->table->damaged_count += building->records.damaged_count;
	if (rc == -ENOEXEC) {
		building->table->damaged_count++;
		rc = 0;
	}
	if (rc < 0)
		return rc;
	rc = read_go_functions(building);
	return rc < 0 ? rc : add_entry(building);
}

/*
 * Loads the table of functions, if the image is a Go program, and the frame records. A damaged
 * table of functions counts as missing. The .debug_frame of a Go program is usually compressed, so
 * it cannot be read. It is not needed, either.
 */
static int load(struct building *building)
{
	int rc = go_functions_read(building->file, building->bytes, &building->go_functions);

	if (rc == -ENOMEM)
		return rc;
	rc = frame_records_read(building->file, building->bytes, &building->records);
	return rc == -ENOTSUP && building->go_functions.count > 0 ? 0 : rc;
}

static int build(struct building *building, bool follow_kept)
{
	const struct image_file *file = building->file;
	int rc;

	if (!file->is_elf64 || file->swapped ||
	    cfi_init(&building->cfi, &building->records, file->machine, follow_kept) < 0)
		return -ENOEXEC;
	rc = rule_set_init(&building->rules);
	if (rc < 0)
		return rc;
	rc = load(building);
	if (rc < 0)
		return rc;
	rc = read_records(building);
	if (rc < 0)
		return rc;
	return put_together(building);
}

/* Moves the rules of the set to the table. Call rule_set_fini() afterwards. */
static void take_rules(struct unwind_table *table, struct rule_set *set)
{
	table->rules.count = set->rules.count;
	table->rules.capacity = set->rules.capacity;
	table->rules.at = TAKE_PTR(set->rules.at);
}

static int try_table(const struct image_file *file, const void *bytes, bool follow_kept,
		     struct unwind_table *ret_table)
{
	struct unwind_table table = { 0 };
	_cleanup_(building_fini) struct building building = {
		.file = file,
		.bytes = bytes,
		.table = &table,
	};
	int rc = build(&building, follow_kept);

	if (rc < 0)
		vec_free(&table.rows);
	take_rules(&table, &building.rules);
	*ret_table = table;
	return rc;
}

static int make_table(const struct image_file *file, const void *bytes, const char *name,
		      struct unwind_table *ret_table, struct err *err)
{
	int rc = try_table(file, bytes, false, ret_table);

	if (rc == -EAGAIN) {
		unwind_table_fini(ret_table);
		rc = try_table(file, bytes, true, ret_table);
	}
	if (rc == -ENOEXEC)
		return err_set(err, rc,
			       "%s: no unwind table: the file is damaged or for another machine",
			       name);
	return rc < 0 ? err_sys(err, rc, "cannot build the unwind table of %s", name) : 0;
}

int unwind_table_build(const struct image_file *file, struct unwind_table *ret_table,
		       struct err *err)
{
	char link[64], name[PATH_MAX];
	ssize_t length;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	length = readlink(link, name, sizeof(name) - 1);
	name[length > 0 ? length : 0] = '\0';
	return make_table(file, NULL, name, ret_table, err);
}

int unwind_table_build_bytes(const void *bytes, size_t size_bytes, const char *name,
			     struct unwind_table *ret_table, struct err *err)
{
	struct image_file file;
	int rc = image_file_from_bytes(bytes, size_bytes, name, &file, err);

	*ret_table = (struct unwind_table){ 0 };
	if (rc < 0)
		return rc;
	rc = make_table(&file, bytes, name, ret_table, err);
	image_file_fini(&file);
	return rc;
}

void unwind_table_fini(struct unwind_table *table)
{
	vec_free(&table->rows);
	vec_free(&table->rules);
}

const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t vaddr)
{
	static const struct unwind_rule gap = { .kind = UNWIND_GAP };
	uint64_t offset = vaddr - table->base_vaddr;
	size_t low = 0, high = table->rows.count;

	if (vaddr < table->base_vaddr || offset > UINT32_MAX)
		return &gap;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->rows.at[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? &gap : &table->rules.at[table->rows.at[low - 1].rule];
}
