/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Provides the virtual tables `stack`, `location`, `function`, `line`, `mapping`, `stack_frame` and
 * `location_line`, which show the dictionaries that are stored in blocks. Each table keeps its own
 * decoded copy of the dictionaries, because SQLite reads rows by id in any order. Recordings of
 * earlier versions have a real table `mapping`, which SQLite then uses.
 */
#include "model/location.h"
#include "store/dictionary.h"
#include "store/vtab.h"

#define CHAIN_MAX 256	/* longest inline chain; a longer one means damage */

enum table_kind {
	KIND_STACK,
	KIND_LOCATION,
	KIND_FUNCTION,
	KIND_STACK_FRAME,
	KIND_LINE,
	KIND_LOCATION_LINE,
	KIND_MAPPING,
	KIND_COUNT
};

struct kind {
	const char *name;
	unsigned int dictionaries;	/* bits of the dictionaries that the table reads */
	const char *declaration;
};

static const struct kind kinds[KIND_COUNT] = {
	[KIND_STACK] = {
		"stack", DICTIONARY_STACKS,
		"CREATE TABLE x(id INTEGER PRIMARY KEY, parent INTEGER, root TEXT,"
		" location INTEGER)",
	},
	[KIND_LOCATION] = {
		"location", DICTIONARY_LOCATIONS | DICTIONARY_FUNCTIONS,
		"CREATE TABLE x(id INTEGER PRIMARY KEY, image INTEGER, vaddr INTEGER,"
		" function INTEGER, line INTEGER)",
	},
	[KIND_FUNCTION] = {
		"function", DICTIONARY_FUNCTIONS,
		"CREATE TABLE x(id INTEGER PRIMARY KEY, name TEXT, linkage_name TEXT,"
		" image INTEGER, quality TEXT, root INTEGER, vaddr INTEGER, size_bytes INTEGER,"
		" before TEXT, after TEXT)",
	},
	[KIND_STACK_FRAME] = {
		"stack_frame", DICTIONARY_STACKS,
		"CREATE TABLE x(stack INTEGER, depth INTEGER, node INTEGER, location INTEGER)",
	},
	[KIND_LINE] = {
		"line", DICTIONARY_LINES,
		"CREATE TABLE x(id INTEGER PRIMARY KEY, caller INTEGER, file TEXT, line INTEGER,"
		" function INTEGER)",
	},
	[KIND_LOCATION_LINE] = {
		"location_line", DICTIONARY_LOCATIONS | DICTIONARY_LINES,
		"CREATE TABLE x(location INTEGER, depth INTEGER, line INTEGER)",
	},
	[KIND_MAPPING] = {
		"mapping", DICTIONARY_MAPPINGS,
		"CREATE TABLE x(id INTEGER PRIMARY KEY, process INTEGER, image INTEGER,"
		" start_addr INTEGER, end_addr INTEGER, bias INTEGER, time_ns INTEGER)",
	},
};

struct dictionary_table {
	sqlite3_vtab base;
	sqlite3 *db;
	enum table_kind kind;
	struct dictionary dictionary;
	/* SQLite's data version when the file was last read; 0: never read */
	unsigned int data_version;
};

struct dictionary_cursor {
	sqlite3_vtab_cursor base;
	/* current and last id; the cursor is at the end if id > last_id */
	uint64_t id, last_id;
	/* only for stack_frame and location_line: current node and depth in the path of `id` */
	uint32_t node;
	uint32_t depth;
};

/*
 * Returns true if an id of the table has one row for each node of its path: a stack has one row per
 * frame, a location one row per line of its inline chain. Otherwise each id has a single row.
 */
static bool is_path(const struct dictionary_table *table)
{
	return table->kind == KIND_STACK_FRAME || table->kind == KIND_LOCATION_LINE;
}

static int dictionary_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			      sqlite3_vtab **ret_vtab, char **ret_message)
{
	const struct kind *kind = aux;
	struct dictionary_table *table = sqlite3_malloc(sizeof(*table));
	int code;

	if (!table)
		return SQLITE_NOMEM;
	*table = (struct dictionary_table){ .db = db, .kind = (enum table_kind)(kind - kinds) };
	code = sqlite3_declare_vtab(db, kind->declaration);
	if (code == SQLITE_OK)
		code = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	if (code != SQLITE_OK) {
		sqlite3_free(table);
		return code;
	}
	*ret_vtab = &table->base;
	return SQLITE_OK;
}

static int dictionary_disconnect(sqlite3_vtab *vtab)
{
	struct dictionary_table *table = (struct dictionary_table *)vtab;

	dictionary_fini(&table->dictionary);
	sqlite3_free(table);
	return SQLITE_OK;
}

/*
 * The first column of every table is an id. Plan 1, for a query with "=" on this column, reads only
 * the rows of one id.
 */
static int dictionary_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct dictionary_table *table = (const struct dictionary_table *)vtab;

	info->estimatedCost = 1e6;
	info->estimatedRows = 100000;
	for (int i = 0; i < info->nConstraint; i++) {
		if (!info->aConstraint[i].usable || info->aConstraint[i].iColumn != 0 ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->idxNum = 1;
		info->aConstraintUsage[i].argvIndex = 1;
		info->estimatedCost = 10;
		info->estimatedRows = is_path(table) ? 20 : 1;
		if (!is_path(table))
			info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
		break;
	}
	return SQLITE_OK;
}

static int dictionary_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret_cursor)
{
	struct dictionary_cursor *cursor = sqlite3_malloc(sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct dictionary_cursor){ 0 };
	*ret_cursor = &cursor->base;
	return SQLITE_OK;
}

static int dictionary_close(sqlite3_vtab_cursor *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

static uint64_t first_id(const struct dictionary_table *table)
{
	return table->kind == KIND_STACK || table->kind == KIND_STACK_FRAME ? STACK_ROOT_COUNT : 1;
}

static uint64_t end_id(const struct dictionary_table *table)
{
	switch (table->kind) {
	case KIND_LOCATION:
	case KIND_LOCATION_LINE:
		return table->dictionary.locations.count;
	case KIND_FUNCTION:
		return table->dictionary.functions.count;
	case KIND_LINE:
		return table->dictionary.lines.count;
	case KIND_MAPPING:
		return table->dictionary.mappings.count;
	default:
		return table->dictionary.stacks.count;
	}
}

/*
 * Returns the node where the path of @id starts. For location_line that is the innermost line of
 * the location, or 0 if the line does not exist, which happens if blocks contradict each other.
 */
static uint32_t first_node(const struct dictionary_table *table, uint64_t id)
{
	uint32_t line;

	if (table->kind != KIND_LOCATION_LINE)
		return (uint32_t)id;
	line = table->dictionary.locations.at[id].line;
	return line < table->dictionary.lines.count ? line : 0;
}

/* Moves to the first id that has a path, starting at the current id. */
static void enter_path(const struct dictionary_table *table, struct dictionary_cursor *cursor)
{
	cursor->depth = 0;
	for (; cursor->id <= cursor->last_id; cursor->id++) {
		cursor->node = first_node(table, cursor->id);
		if (cursor->node)
			break;
	}
}

/*
 * Reads the blocks that were added to the file since the last call, unless SQLite's data version
 * shows that nothing was added.
 */
static int refresh(struct dictionary_table *table)
{
	unsigned int version = 0;
	int rc;

	(void)sqlite3_file_control(table->db, "main", SQLITE_FCNTL_DATA_VERSION, &version);
	if (version && version == table->data_version)
		return SQLITE_OK;
	rc = dictionary_read(&table->dictionary, table->db, kinds[table->kind].dictionaries);
	if (rc < 0)
		return rc == -ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
	table->data_version = version;
	return SQLITE_OK;
}

static int dictionary_filter(sqlite3_vtab_cursor *base, int plan, const char *plan_text, int argc,
			     sqlite3_value **argv)
{
	struct dictionary_table *table = (struct dictionary_table *)base->pVtab;
	struct dictionary_cursor *cursor = (struct dictionary_cursor *)base;
	int code = refresh(table);

	if (code != SQLITE_OK)
		return code;
	cursor->id = first_id(table);
	cursor->last_id = end_id(table) - 1;
	if (plan == 1) {
		uint64_t wanted = (uint64_t)sqlite3_value_int64(argv[0]);

		if (sqlite3_value_numeric_type(argv[0]) == SQLITE_INTEGER && wanted >= cursor->id &&
		    wanted <= cursor->last_id)
			cursor->id = cursor->last_id = wanted;
		else
			cursor->last_id = cursor->id - 1;
	}
	enter_path(table, cursor);
	return SQLITE_OK;
}

static bool next_node(const struct dictionary_table *table, struct dictionary_cursor *cursor)
{
	const struct dictionary *dictionary = &table->dictionary;

	cursor->depth++;
	if (table->kind == KIND_STACK_FRAME) {
		cursor->node = dictionary->stacks.at[cursor->node].parent;
		return cursor->node >= STACK_ROOT_COUNT;
	}
	if (table->kind != KIND_LOCATION_LINE || cursor->depth == CHAIN_MAX)
		return false;
	cursor->node = dictionary->lines.at[cursor->node].caller;
	return cursor->node != 0;
}

static int dictionary_next(sqlite3_vtab_cursor *base)
{
	const struct dictionary_table *table = (const struct dictionary_table *)base->pVtab;
	struct dictionary_cursor *cursor = (struct dictionary_cursor *)base;

	if (next_node(table, cursor))
		return SQLITE_OK;
	cursor->id++;
	enter_path(table, cursor);
	return SQLITE_OK;
}

static int dictionary_eof(sqlite3_vtab_cursor *base)
{
	const struct dictionary_cursor *cursor = (const struct dictionary_cursor *)base;

	return cursor->id > cursor->last_id;
}

static void stack_column(const struct stack_node *node, sqlite3_context *result, int column)
{
	static const char *const roots[STACK_ROOT_COUNT] = {
		[STACK_ROOT_END] = "end",
		[STACK_ROOT_TRUNCATED] = "truncated",
		[STACK_ROOT_BROKEN] = "broken",
		[STACK_ROOT_NONE] = "none",
	};
	bool outermost = node->parent < STACK_ROOT_COUNT;

	if (column == 1 && !outermost)
		sqlite3_result_int64(result, node->parent);
	if (column == 2 && outermost)
		sqlite3_result_text(result, roots[node->parent], -1, SQLITE_STATIC);
	if (column == 3)
		sqlite3_result_int64(result, node->location);
}

static void location_column(const struct location *location, sqlite3_context *result, int column)
{
	if (column == 1)
		sqlite3_result_int64(result, location->image);
	if (column == 2)
		sqlite3_result_int64(result, (sqlite3_int64)location->vaddr);
	if (column == 3)
		sqlite3_result_int64(result, location->function);
	if (column == 4)
		sqlite3_result_int64(result, location->line);
}

static void line_column(const struct dictionary *dictionary, const struct source_line *line,
			sqlite3_context *result, int column)
{
	if (column == 1 && line->caller)
		sqlite3_result_int64(result, line->caller);
	if (column == 2 && line->file)
		sqlite3_result_text(result, dictionary_text(dictionary, line->file), -1,
				    SQLITE_TRANSIENT);
	if (column == 3 && line->line)
		sqlite3_result_int64(result, line->line);
	if (column == 4)
		sqlite3_result_int64(result, line->function);
}

static void mapping_column(const struct mapping *mapping, sqlite3_context *result, int column)
{
	const uint64_t numbers[] = {
		[1] = mapping->process,	 [2] = mapping->image, [3] = mapping->start_addr,
		[4] = mapping->end_addr, [5] = mapping->bias,  [6] = mapping->time_ns,
	};

	sqlite3_result_int64(result, (sqlite3_int64)numbers[column]);
}

static void chain_column(const struct dictionary_cursor *cursor, sqlite3_context *result,
			 int column)
{
	if (column == 1)
		sqlite3_result_int64(result, cursor->depth);
	if (column == 2)
		sqlite3_result_int64(result, cursor->node);
}

/* A missing neighbour is NULL. */
static void neighbour_column(const struct dictionary *dictionary, uint32_t text,
			     sqlite3_context *result)
{
	if (*dictionary_text(dictionary, text))
		sqlite3_result_text(result, dictionary_text(dictionary, text), -1,
				    SQLITE_TRANSIENT);
}

static void function_column(const struct dictionary *dictionary, const struct function *function,
			    sqlite3_context *result, int column)
{
	const sqlite3_int64 numbers[] = {
		[3] = function->image,
		[5] = function->root,
		[6] = (sqlite3_int64)function->vaddr,
		[7] = (sqlite3_int64)function->size_bytes,
	};

	if (column == 1)
		sqlite3_result_text(result, dictionary_text(dictionary, function->name), -1,
				    SQLITE_TRANSIENT);
	else if (column == 2)
		sqlite3_result_text(result, dictionary_text(dictionary, function->linkage_name), -1,
				    SQLITE_TRANSIENT);
	else if (column == 4)
		sqlite3_result_text(result, quality_name(function->quality), -1, SQLITE_STATIC);
	else if (column == 8)
		neighbour_column(dictionary, function->before, result);
	else if (column == 9)
		neighbour_column(dictionary, function->after, result);
	else
		sqlite3_result_int64(result, numbers[column]);
}

static void frame_column(const struct dictionary_cursor *cursor, const struct stack_node *node,
			 sqlite3_context *result, int column)
{
	if (column == 1)
		sqlite3_result_int64(result, cursor->depth);
	if (column == 2)
		sqlite3_result_int64(result, cursor->node);
	if (column == 3)
		sqlite3_result_int64(result, node->location);
}

static int dictionary_column(sqlite3_vtab_cursor *base, sqlite3_context *result, int column)
{
	const struct dictionary_table *table = (const struct dictionary_table *)base->pVtab;
	const struct dictionary_cursor *cursor = (const struct dictionary_cursor *)base;
	const struct dictionary *dictionary = &table->dictionary;

	if (column == 0)
		sqlite3_result_int64(result, (sqlite3_int64)cursor->id);
	else if (table->kind == KIND_STACK)
		stack_column(&dictionary->stacks.at[cursor->id], result, column);
	else if (table->kind == KIND_LOCATION)
		location_column(&dictionary->locations.at[cursor->id], result, column);
	else if (table->kind == KIND_FUNCTION)
		function_column(dictionary, &dictionary->functions.at[cursor->id], result, column);
	else if (table->kind == KIND_LINE)
		line_column(dictionary, &dictionary->lines.at[cursor->id], result, column);
	else if (table->kind == KIND_MAPPING)
		mapping_column(&dictionary->mappings.at[cursor->id], result, column);
	else if (table->kind == KIND_LOCATION_LINE)
		chain_column(cursor, result, column);
	else
		frame_column(cursor, &dictionary->stacks.at[cursor->node], result, column);
	return SQLITE_OK;
}

/*
 * The row id of a frame consists of its stack id and, in the low 12 bits, its depth. With default
 * settings, a recorded stack has at most 127 kernel frames and 512 user frames, so 12 bits are
 * enough.
 */
static int dictionary_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret_id)
{
	const struct dictionary_table *table = (const struct dictionary_table *)base->pVtab;
	const struct dictionary_cursor *cursor = (const struct dictionary_cursor *)base;

	*ret_id = (sqlite3_int64)cursor->id;
	if (is_path(table))
		*ret_id = *ret_id << 12 | (cursor->depth & 0xfff);
	return SQLITE_OK;
}

int vtab_register_dictionary(sqlite3 *db)
{
	static const sqlite3_module module = {
		.xConnect = dictionary_connect,
		.xBestIndex = dictionary_best_index,
		.xDisconnect = dictionary_disconnect,
		.xOpen = dictionary_open,
		.xClose = dictionary_close,
		.xFilter = dictionary_filter,
		.xNext = dictionary_next,
		.xEof = dictionary_eof,
		.xColumn = dictionary_column,
		.xRowid = dictionary_rowid,
	};

	for (size_t i = 0; i < KIND_COUNT; i++) {
		int code = sqlite3_create_module_v2(db, kinds[i].name, &module, (void *)&kinds[i],
						    NULL);

		if (code != SQLITE_OK)
			return code;
	}
	return SQLITE_OK;
}

int vtab_register(sqlite3 *db)
{
	int code = vtab_register_sample(db);

	return code == SQLITE_OK ? vtab_register_dictionary(db) : code;
}
