/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/row_table.h"

#include "base/hex.h"

static void bind_u64(sqlite3_stmt *insert, int parameter, uint64_t value)
{
	(void)sqlite3_bind_int64(insert, parameter, (sqlite3_int64)value);
}

/*
 * SQLite does not need to copy the text, because the statement runs before the model can move the
 * text.
 */
static void bind_string(sqlite3_stmt *insert, int parameter, const struct model *model, uint32_t id)
{
	(void)sqlite3_bind_text(insert, parameter, model_string(model, id), -1, SQLITE_STATIC);
}

static uint64_t read_u64(sqlite3_stmt *select, int column)
{
	return (uint64_t)sqlite3_column_int64(select, column);
}

/* Values that do not fit 32 bits become UINT32_MAX, which is not a valid id. */
static uint32_t read_u32(sqlite3_stmt *select, int column)
{
	uint64_t value = read_u64(select, column);

	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static bool read_bool(sqlite3_stmt *select, int column)
{
	return sqlite3_column_int64(select, column) != 0;
}

uint32_t table_read_string(sqlite3_stmt *select, int column, struct model *model)
{
	const unsigned char *text = sqlite3_column_text(select, column);

	return text ? model_intern(model, (const char *)text) : 0;
}

#define append_row(array, row)                                                          \
	({                                                                              \
		__typeof__((array)->at) _new = vec_push(array);                         \
		if (_new)                                                               \
			*_new = (row);                                                  \
		_new ? 0 : -ENOMEM;                                                     \
	})

/* Defines the functions `count` and `fill` of struct table. */
#define DEFINE_ROWS(array)                                                              \
	static size_t count_##array(const struct model *model)                          \
	{                                                                               \
		return model->array.count;                                              \
	}                                                                               \
	static int fill_##array(struct model *model, size_t end)                        \
	{                                                                               \
		while (model->array.count < end)                                        \
			if (!vec_push(&model->array))                                   \
				return -ENOMEM;                                         \
		return 0;                                                               \
	}                                                                               \
	struct define_rows_needs_semicolon

/* ---- event ---- */

DEFINE_ROWS(events);

static void bind_event(sqlite3_stmt *insert, int at, const struct model *model, size_t id)
{
	const struct event *event = &model->events.at[id];

	bind_string(insert, at + 1, model, event->name);
	bind_u64(insert, at + 2, event->type);
	bind_u64(insert, at + 3, event->config);
	bind_u64(insert, at + 4, event->period);
	bind_u64(insert, at + 5, event->frequency_hz);
	bind_u64(insert, at + 6, event->is_time);
	bind_u64(insert, at + 7, event->has_ticks);
	bind_u64(insert, at + 8, event->is_counter);
}

static int read_event(sqlite3_stmt *select, struct model *model)
{
	struct event event = {
		.name = table_read_string(select, 1, model),
		.type = read_u32(select, 2),
		.config = read_u64(select, 3),
		.period = read_u64(select, 4),
		.frequency_hz = read_u64(select, 5),
		.is_time = read_bool(select, 6),
		.has_ticks = read_bool(select, 7),
		.is_counter = read_bool(select, 8),
	};

	return append_row(&model->events, event);
}

/* ---- image ---- */

DEFINE_ROWS(images);

static void bind_build_id(sqlite3_stmt *insert, int parameter, const struct image *image)
{
	char hex[2 * BUILD_ID_MAX + 1];

	for (size_t i = 0; i < image->build_id_size; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", image->build_id[i]);
	if (image->build_id_size)
		(void)sqlite3_bind_text(insert, parameter, hex, -1, SQLITE_TRANSIENT);
	else
		(void)sqlite3_bind_null(insert, parameter);
}

static void bind_image(sqlite3_stmt *insert, int at, const struct model *model, size_t id)
{
	const struct image *image = &model->images.at[id];

	(void)sqlite3_bind_text(insert, at + 1, image_kind_name(image->kind), -1, SQLITE_STATIC);
	bind_string(insert, at + 2, model, image->path);
	bind_build_id(insert, at + 3, image);
	bind_u64(insert, at + 4, image->dev);
	bind_u64(insert, at + 5, image->inode);
	bind_u64(insert, at + 6, image->mtime_ns);
	bind_u64(insert, at + 7, image->base_addr);
	bind_u64(insert, at + 8, image->process);
	bind_u64(insert, at + 9, image->tgid);
	bind_u64(insert, at + 10, image->unread);
}

static int read_build_id(sqlite3_stmt *select, int column, struct image *image)
{
	const char *hex = (const char *)sqlite3_column_text(select, column);
	size_t length = hex ? strlen(hex) : 0;

	if (length % 2 || length / 2 > BUILD_ID_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < length / 2; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EBADMSG;
		image->build_id[i] = (uint8_t)(high << 4 | low);
	}
	image->build_id_size = (uint8_t)(length / 2);
	return 0;
}

/*
 * Evaluates to the enum value whose name is @text, or to -1 if there is none up to @last. @name_of
 * returns the name of a value.
 */
#define enum_of_text(text, last, name_of)                                               \
	({                                                                              \
		int _found = -1;                                                        \
		for (int _i = 0; (text) && _i <= (int)(last); _i++)                     \
			if (strcmp(text, name_of((unsigned int)_i)) == 0)               \
				_found = _i;                                            \
		_found;                                                                 \
	})

static int read_image(sqlite3_stmt *select, struct model *model)
{
	const char *kind = (const char *)sqlite3_column_text(select, 1);
	int found = enum_of_text(kind, IMAGE_JIT, image_kind_name);
	struct image image = {
		.kind = (enum image_kind)found,
		.path = table_read_string(select, 2, model),
		.dev = read_u64(select, 4),
		.inode = read_u64(select, 5),
		.mtime_ns = read_u64(select, 6),
		.base_addr = read_u64(select, 7),
		.process = read_u32(select, 8),
		.tgid = read_u32(select, 9),
		/* recordings of earlier versions lack this column */
		.unread = sqlite3_column_count(select) > 10 && read_bool(select, 10),
	};

	if (found < 0 || read_build_id(select, 3, &image) < 0)
		return -EBADMSG;
	return append_row(&model->images, image);
}

/* ---- application, process, thread ---- */

DEFINE_ROWS(applications);

static void bind_application(sqlite3_stmt *insert, int at, const struct model *model, size_t id)
{
	const struct application *application = &model->applications.at[id];

	bind_string(insert, at + 1, model, application->name);
	bind_u64(insert, at + 2, application->instance_count);
}

static int read_application(sqlite3_stmt *select, struct model *model)
{
	struct application application = {
		.name = table_read_string(select, 1, model),
		.instance_count = read_u32(select, 2),
	};

	return append_row(&model->applications, application);
}

DEFINE_ROWS(processes);

static void bind_process(sqlite3_stmt *insert, int at, const struct model *model, size_t id)
{
	const struct process *process = &model->processes.at[id];

	bind_u64(insert, at + 1, process->tgid);
	bind_u64(insert, at + 2, process->parent_tgid);
	bind_u64(insert, at + 3, process->parent);
	bind_u64(insert, at + 4, process->application);
	bind_u64(insert, at + 5, process->instance);
	bind_u64(insert, at + 6, process->uid);
	bind_u64(insert, at + 7, process->exe);
	bind_u64(insert, at + 8, process->cgroup);
	bind_u64(insert, at + 9, process->start_ns);
	bind_u64(insert, at + 10, process->exec_ns);
	bind_u64(insert, at + 11, process->kernel_thread);
}

static int read_process(sqlite3_stmt *select, struct model *model)
{
	struct process process = {
		.tgid = read_u32(select, 1),
		.parent_tgid = read_u32(select, 2),
		.parent = read_u32(select, 3),
		.application = read_u32(select, 4),
		.instance = read_u32(select, 5),
		.uid = read_u32(select, 6),
		.exe = table_read_string(select, 7, model),
		.cgroup = table_read_string(select, 8, model),
		.start_ns = read_u64(select, 9),
		.exec_ns = read_u64(select, 10),
		.kernel_thread = read_bool(select, 11),
	};

	return append_row(&model->processes, process);
}

DEFINE_ROWS(threads);

static void bind_thread(sqlite3_stmt *insert, int at, const struct model *model, size_t id)
{
	const struct thread *thread = &model->threads.at[id];

	bind_u64(insert, at + 1, thread->process);
	bind_u64(insert, at + 2, thread->tid);
	bind_string(insert, at + 3, model, thread->comm);
	bind_u64(insert, at + 4, thread->start_ns);
}

static int read_thread(sqlite3_stmt *select, struct model *model)
{
	struct thread thread = {
		.process = read_u32(select, 1),
		.tid = read_u32(select, 2),
		.comm = table_read_string(select, 3, model),
		.start_ns = read_u64(select, 4),
	};

	return append_row(&model->threads, thread);
}

/* ---- mapping: only read, as recordings have them in blocks now ---- */

DEFINE_ROWS(mappings);

static int read_mapping(sqlite3_stmt *select, struct model *model)
{
	struct mapping mapping = {
		.process = read_u32(select, 1),
		.image = read_u32(select, 2),
		.start_addr = read_u64(select, 3),
		.end_addr = read_u64(select, 4),
		.bias = read_u64(select, 5),
		.time_ns = read_u64(select, 6),
	};

	return append_row(&model->mappings, mapping);
}

static const struct table tables[TABLE_COUNT] = {
	[TABLE_EVENT] = {
		.name = "event",
		.columns = 9,
		.select = "SELECT id, name, type, config, period, frequency_hz, is_time,"
			  " has_ticks, is_counter FROM event ORDER BY id",
		.first_id = 0,
		.count = count_events,
		.fill = fill_events,
		.bind = bind_event,
		.read = read_event,
	},
	[TABLE_IMAGE] = {
		.name = "image",
		.columns = 11,
		.select = "SELECT * FROM image ORDER BY id",
		.first_id = 1,
		.count = count_images,
		.fill = fill_images,
		.bind = bind_image,
		.read = read_image,
	},
	[TABLE_APPLICATION] = {
		.name = "application",
		.columns = 3,
		.on_conflict = " ON CONFLICT(id) DO UPDATE SET instance_count"
			       " = excluded.instance_count",
		.select = "SELECT id, name, instance_count FROM application ORDER BY id",
		.first_id = 1,
		.count = count_applications,
		.fill = fill_applications,
		.bind = bind_application,
		.read = read_application,
	},
	[TABLE_PROCESS] = {
		.name = "process",
		.columns = 12,
		.select = "SELECT p.id, tgid, parent_tgid, parent, application, instance,"
			  " uid, x.text, g.text, start_ns, exec_ns, kernel_thread"
			  " FROM process p LEFT JOIN string x ON x.id = p.exe"
			  " LEFT JOIN string g ON g.id = p.cgroup ORDER BY p.id",
		.first_id = 1,
		.count = count_processes,
		.fill = fill_processes,
		.bind = bind_process,
		.read = read_process,
	},
	[TABLE_THREAD] = {
		.name = "thread",
		.columns = 5,
		.select = "SELECT id, process, tid, comm, start_ns FROM thread ORDER BY id",
		.first_id = 1,
		.count = count_threads,
		.fill = fill_threads,
		.bind = bind_thread,
		.read = read_thread,
	},
	[TABLE_MAPPING] = {
		.name = "mapping",
		.columns = 7,
		.select = "SELECT id, process, image, start_addr, end_addr, bias, time_ns"
			  " FROM mapping ORDER BY id",
		.first_id = 1,
		.count = count_mappings,
		.fill = fill_mappings,
		.read = read_mapping,
	},
};

const struct table *table_of(enum table_id id)
{
	return &tables[id];
}

char *table_insert_text(enum table_id id, int row_count)
{
	const struct table *table = table_of(id);
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendf(text, "INSERT INTO %s VALUES", table->name);
	for (int row = 0; row < row_count; row++)
		for (int column = 0; column < table->columns; column++)
			sqlite3_str_appendall(text, column ? ",?" : row ? "),(?" : "(?");
	sqlite3_str_appendf(text, ")%s", table->on_conflict ? table->on_conflict : "");
	return sqlite3_str_finish(text);
}

void table_bind(enum table_id id, sqlite3_stmt *insert, int row, const struct model *model,
		size_t model_id)
{
	const struct table *table = table_of(id);
	int at = 1 + row * table->columns;

	bind_u64(insert, at, model_id);
	table->bind(insert, at, model, model_id);
}
