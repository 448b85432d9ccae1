/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/schema.h"

/*
 * Columns for the CPU times of the first or the last reading of the ledger (@half is "first" or
 * "last"). cpu_time_name() returns the same names.
 */
#define CPU_TIMES(half)								\
	"user_" half "_ns INTEGER, nice_" half "_ns INTEGER, system_" half "_ns INTEGER, "	\
	"idle_" half "_ns INTEGER, iowait_" half "_ns INTEGER, irq_" half "_ns INTEGER, "	\
	"softirq_" half "_ns INTEGER, steal_" half "_ns INTEGER"

#define DICTIONARIES								\
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"	\
	"CREATE TABLE string(id INTEGER PRIMARY KEY, text TEXT);"		\
	"CREATE TABLE context(id INTEGER PRIMARY KEY, name TEXT);"		\
	"CREATE TABLE event(id INTEGER PRIMARY KEY, name TEXT, type INTEGER, config INTEGER,"	\
	" period INTEGER, frequency_hz INTEGER, is_time INTEGER, has_ticks INTEGER,"		\
	" is_counter INTEGER);"							\
	"CREATE TABLE image(id INTEGER PRIMARY KEY, kind TEXT, path TEXT, build_id TEXT,"	\
	" dev INTEGER, inode INTEGER, mtime_ns INTEGER, base_addr INTEGER, process INTEGER,"	\
	" tgid INTEGER, unread INTEGER);"					\
	"CREATE TABLE application(id INTEGER PRIMARY KEY, name TEXT, instance_count INTEGER);"	\
	"CREATE TABLE process(id INTEGER PRIMARY KEY, tgid INTEGER, parent_tgid INTEGER,"	\
	" parent INTEGER, application INTEGER, instance INTEGER, uid INTEGER, exe INTEGER,"	\
	" cgroup INTEGER, start_ns INTEGER, exec_ns INTEGER, kernel_thread INTEGER);"		\
	"CREATE TABLE command_line(process INTEGER PRIMARY KEY, text TEXT);"			\
	"CREATE TABLE thread(id INTEGER PRIMARY KEY, process INTEGER, tid INTEGER, comm TEXT,"	\
	" start_ns INTEGER);"							\
	"CREATE TABLE loss(reason TEXT PRIMARY KEY, count INTEGER, unit TEXT, meaning TEXT)"	\
	" WITHOUT ROWID;"							\
	"CREATE TABLE ledger(cpu INTEGER PRIMARY KEY, start_ns INTEGER, end_ns INTEGER,"	\
	" sample_count INTEGER, " CPU_TIMES("first") ", " CPU_TIMES( \
		"last") "," \
			" idle_count INTEGER);" \
			"CREATE TABLE image_health(image INTEGER, outcome TEXT, count INTEGER," \
			" PRIMARY KEY(image, outcome)) WITHOUT ROWID;"

#define INTERRUPTS								\
	"CREATE TABLE interrupt_time(kind TEXT, vector INTEGER, cpu INTEGER, name TEXT,"	\
	" count INTEGER, ns INTEGER, PRIMARY KEY(kind, vector, cpu)) WITHOUT ROWID;"		\
	"CREATE TABLE interrupt_victim(kind TEXT, tgid INTEGER, name TEXT, count INTEGER,"	\
	" ns INTEGER, PRIMARY KEY(kind, tgid)) WITHOUT ROWID;"			\
	"CREATE TABLE tick(event INTEGER, cpu INTEGER, outcome TEXT, count INTEGER,"		\
	" PRIMARY KEY(event, cpu, outcome)) WITHOUT ROWID;"

#define SPANS									\
	"CREATE TABLE span_total(event INTEGER PRIMARY KEY, count INTEGER, ns INTEGER,"		\
	" square_ns2 REAL, least_ns INTEGER, most_ns INTEGER, open INTEGER,"			\
	" no_entry INTEGER, too_deep INTEGER, no_memory INTEGER, unsent INTEGER,"		\
	" inside_ns INTEGER, slow_ns INTEGER);"					\
	"CREATE TABLE span_bucket(event INTEGER, from_ns INTEGER, to_ns INTEGER,"		\
	" count INTEGER, PRIMARY KEY(event, from_ns)) WITHOUT ROWID;"		\
	"CREATE TABLE span_amount(event INTEGER, counter INTEGER, total INTEGER,"		\
	" missing INTEGER, inside INTEGER, PRIMARY KEY(event, counter)) WITHOUT ROWID;"

#define BULK									\
	"CREATE TABLE block(id INTEGER PRIMARY KEY, kind TEXT, first INTEGER, count INTEGER,"	\
	" time_min_ns INTEGER, time_max_ns INTEGER, checksum INTEGER, data BLOB);"		\
	"CREATE TABLE hit(application INTEGER, process INTEGER, event INTEGER,"	\
	" context INTEGER, function INTEGER, samples INTEGER, weight INTEGER,"			\
	" PRIMARY KEY(application, process, event, context, function)) WITHOUT ROWID;"		\
	"CREATE TABLE hot_function(id INTEGER PRIMARY KEY, name TEXT, image INTEGER,"		\
	" quality TEXT, vaddr INTEGER, size_bytes INTEGER);"			\
	"CREATE TABLE thread_time(thread INTEGER, event INTEGER, context INTEGER,"		\
	" samples INTEGER, weight INTEGER, PRIMARY KEY(thread, event, context)) WITHOUT ROWID;"

#define VIEW_FLAT								\
	"CREATE VIEW flat AS SELECT e.name AS event,"				\
	" coalesce(f.name, iif(h.function, '[below 0.05 %]', '[unknown]')) AS function,"	\
	" i.path AS image,"							\
	" sum(h.samples) AS samples,"						\
	" round(100.0 * sum(h.samples) /"					\
	"  sum(sum(h.samples)) OVER (PARTITION BY h.event), 2) AS percent,"	\
	" f.quality AS quality"							\
	" FROM hit h JOIN event e ON e.id = h.event"				\
	" LEFT JOIN hot_function f ON f.id = h.function"			\
	" LEFT JOIN image i ON i.id = f.image"					\
	" WHERE h.context <> (SELECT id FROM context WHERE name = 'idle')"			\
	" GROUP BY h.event, h.function ORDER BY h.event, samples DESC;"

#define VIEW_PROCESS_TIME							\
	"CREATE VIEW process_time AS SELECT e.name AS event, p.tgid,"			\
	" iif(h.thread < 0, '[below 0.05 %]', a.name) AS application,"		\
	" p.instance, x.text AS exe, p.uid, g.text AS cgroup,"			\
	" sum(h.samples) AS samples,"						\
	" sum(h.samples * (c.name = 'user')) AS user_samples,"			\
	" sum(h.samples * (c.name IN ('syscall', 'exception', 'kthread', 'kernel')))"		\
	"  AS system_samples,"							\
	" sum(h.samples * (c.name IN ('softirq', 'hardirq', 'nmi'))) AS interrupt_samples,"	\
	" sum(h.samples * (c.name = 'idle')) AS idle_samples,"			\
	" sum(h.weight) AS weight"						\
	" FROM thread_time h JOIN event e ON e.id = h.event"			\
	" JOIN context c ON c.id = h.context"					\
	" LEFT JOIN thread t ON t.id = h.thread LEFT JOIN process p ON p.id = t.process"	\
	" LEFT JOIN application a ON a.id = p.application"			\
	" LEFT JOIN string x ON x.id = p.exe LEFT JOIN string g ON g.id = p.cgroup"		\
	" WHERE p.id IS NOT NULL OR h.thread < 0"					\
	" GROUP BY h.event, p.id ORDER BY h.event, samples DESC;"

#define VIEW_STACK_FRAMES							\
	"CREATE VIEW stack_frames AS SELECT s.stack, s.depth, f.name AS function,"		\
	" i.path AS image, l.vaddr, s.node, s.location, f.quality"		\
	" FROM stack_frame s LEFT JOIN location l ON l.id = s.location"		\
	" LEFT JOIN function f ON f.id = l.function LEFT JOIN image i ON i.id = l.image;"

#define VIEW_STACK_LINES							\
	"CREATE VIEW stack_lines AS SELECT s.stack, s.depth, c.depth AS inlined,"	\
	" coalesce(g.name, f.name) AS function, i.path AS image, n.file, n.line, l.vaddr,"	\
	" s.location, coalesce(g.quality, f.quality) AS quality"		\
	" FROM stack_frame s LEFT JOIN location l ON l.id = s.location"		\
	" LEFT JOIN image i ON i.id = l.image LEFT JOIN function f ON f.id = l.function"	\
	" LEFT JOIN location_line c ON c.location = s.location"		\
	" LEFT JOIN line n ON n.id = c.line LEFT JOIN function g ON g.id = n.function;"

/* Single spans. 1073741824 is EVENT_TYPE_SPAN of model/span.h. */
#define VIEW_SPAN								\
	"CREATE VIEW span AS SELECT substr(e.name, 6) AS name,"			\
	" s.time_ns - s.weight AS start_ns, s.time_ns AS end_ns,"			\
	" max(s.weight - coalesce(s.late_ns, 0), 0) AS ns, s.late_ns AS other_ns,"		\
	" s.weight - coalesce(s.late_ns, 0) >= t.slow_ns AND t.slow_ns > 0 AS slow,"		\
	" s.thread, s.cpu, s.event, s.counter_1, s.counter_2, s.counter_3,"		\
	" s.counter_4, s.counter_5, s.counter_6, s.counter_7, s.counter_8"			\
	" FROM sample s JOIN event e ON e.id = s.event"				\
	" LEFT JOIN span_total t ON t.event = s.event WHERE e.type = 1073741824;"

/*
 * The views come first. SQLite would put their text into the last pages of a small recording, and
 * without a page of the schema nothing can be read of a file that was cut.
 */
const char schema_sql[] = SCHEMA_SEALED ";" VIEW_FLAT VIEW_PROCESS_TIME VIEW_STACK_FRAMES
	VIEW_STACK_LINES VIEW_SPAN DICTIONARIES INTERRUPTS SPANS BULK;
