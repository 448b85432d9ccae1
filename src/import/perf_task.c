/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes the records of a perf.data file that are about tasks, about the files that tasks map,
 * and about the kernel's code.
 */
#include <errno.h>
#include <time.h>

#include "process/jit_dumps.h"
#include "process/kernel_text.h"
#include "import/perf_data-private.h"

#define KTHREADD 2		/* parent of all kernel threads, and a kernel thread itself */
#define KERNEL_PLACES_MAX 8192	/* limit on modules and BPF programs; no real kernel has more */
#define KERNEL_NAME "[kernel.kallsyms]"
#define MODULE_NAME_MAX 64

static bool is_same_host(const struct perf_data *data)
{
	const char *host = data->import->options.host;

	return host && host[0] && strcmp(host, data->features.host) == 0;
}

/* ---- the kernel ---- */

static bool has_place(struct perf_data *data)
{
	return data->session.kernel_place_count++ < KERNEL_PLACES_MAX;
}

/*
 * Returns true if the symbols of @kernel were not requested before. Each request reads files, so a
 * kernel is tried only once, and the number of different kernels is limited.
 */
static bool is_new(struct perf_data *data, const struct import_kernel *kernel)
{
	struct perf_session *session = &data->session;
	struct kernel_try *try = session->kernel_tries;
	struct kernel_try *end = try + session->kernel_try_count;

	for (; try < end; try++)
		if (try->symbol_addr == kernel->symbol_addr &&
		    strncmp(try->symbol, kernel->symbol, sizeof(try->symbol) - 1) == 0 &&
		    try->build_id_size == kernel->build_id_size &&
		    memcmp(try->build_id, kernel->build_id, try->build_id_size) == 0)
			return false;
	if (session->kernel_try_count == KERNEL_TRIES_MAX)
		return false;
	session->kernel_try_count++;
	*try = (struct kernel_try){
		.symbol_addr = kernel->symbol_addr,
		.build_id_size = kernel->build_id_size,
	};
	(void)snprintf(try->symbol, sizeof(try->symbol), "%s", kernel->symbol);
	memcpy(try->build_id, kernel->build_id, kernel->build_id_size);
	return true;
}

static void read_symbols(struct perf_data *data, const struct import_kernel *kernel)
{
	struct import *import = data->import;

	if (!import->options.kallsyms || import->kallsyms.symbols.count || !is_new(data, kernel))
		return;
	if (!import->options.kallsyms(import->options.context, kernel, &import->kallsyms,
				      &import->same_boot))
		return;
	if (kernel_text_from_kallsyms(&import->kallsyms, &data->session.kernel_text) < 0)
		loss_add(&import->model->losses, LOSS_MEMORY, 1);
}

/*
 * Handles the mapping of the kernel. The path in the record is KERNEL_NAME followed by the name of
 * a symbol in the kernel's text. The record's offset field contains the address of that symbol.
 */
static int take_kernel(struct perf_data *data, const struct record_mmap *mmap)
{
	const struct perf_build_id *id = perf_about_build_id(&data->features, KERNEL_NAME);
	const struct kernel_place_told place = {
		.start_addr = mmap->start_addr,
		.size_bytes = mmap->size_bytes,
		.build_id = id ? id->bytes : mmap->build_id,
		.build_id_size = id ? id->size : mmap->build_id_size,
	};
	const struct import_kernel kernel = {
		.symbol = mmap->path + strlen(KERNEL_NAME),
		.symbol_addr = mmap->offset ? mmap->offset : mmap->start_addr,
		.build_id = place.build_id,
		.build_id_size = place.build_id_size,
		.same_host = is_same_host(data),
	};

	read_symbols(data, &kernel);
	return kernel_images_place(data->session.kernel_images, &place);
}

/*
 * Stores the name of a module in @ret_name: both "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz" and
 * "[ext4]" become "ext4". As in the kernel, '-' becomes '_'.
 */
static void module_name(const char *path, char ret_name[static MODULE_NAME_MAX])
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strcspn(name + (name[0] == '['), slash ? "." : "]");

	name += name[0] == '[';
	(void)snprintf(ret_name, MODULE_NAME_MAX, "%.*s", (int)(length & INT16_MAX), name);
	for (char *c = ret_name; *c; c++)
		if (*c == '-')
			*c = '_';
}

static int take_module(struct perf_data *data, const struct record_mmap *mmap)
{
	const struct perf_build_id *id = perf_about_build_id(&data->features, mmap->path);
	char name[MODULE_NAME_MAX];
	const struct kernel_place_told place = {
		.name = name,
		.start_addr = mmap->start_addr,
		.size_bytes = mmap->size_bytes,
		.build_id = id ? id->bytes : mmap->build_id,
		.build_id_size = id ? id->size : mmap->build_id_size,
	};

	module_name(mmap->path, name);
	return kernel_images_place(data->session.kernel_images, &place);
}

static int take_kernel_mmap(struct perf_data *data, const struct perf_record *record)
{
	if (!record->kernel_mode || !has_place(data))
		return 0;
	if (strncmp(record->mmap.path, KERNEL_NAME, strlen(KERNEL_NAME)) == 0)
		return take_kernel(data, &record->mmap);
	return take_module(data, &record->mmap);
}

/* ---- files ---- */

/*
 * Identifies a mapped file by its build-id, which is in the record or in the build-id list of the
 * perf.data file. A mapped file without a build-id is identified by its inode, but only if the
 * recording was made on this host. If it was made on another host, no local file is accepted as the
 * mapped file.
 */
static void identify(struct perf_data *data, struct record_mmap *mmap)
{
	const struct perf_build_id *id;

	if (mmap->build_id_size || mmap->path[0] != '/')
		return;
	id = perf_about_build_id(&data->features, mmap->path);
	if (id) {
		mmap->build_id_size = id->size;
		memcpy(mmap->build_id, id->bytes, sizeof(mmap->build_id));
		return;
	}
	import_lacks(data->import, LACK_BUILD_IDS);
	if (!mmap->inode || !is_same_host(data))
		mmap->inode = UINT64_MAX;
}

/*
 * Returns true if the timestamps of all samples come from CLOCK_MONOTONIC, like the timestamps in a
 * jitdump. With any other clock, the two cannot be compared, so it would be a guess which code was
 * at an address when a sample was taken.
 */
static bool is_monotonic(const struct perf_data *data)
{
	for (size_t i = 0; i < data->events.events.count; i++) {
		const struct perf_event_attr *attr = &data->events.events.at[i].attr;

		if (!attr->use_clockid || attr->clockid != CLOCK_MONOTONIC)
			return false;
	}
	return true;
}

/*
 * Reports the first jitdump that each program maps. A forked child inherits its parent's mapping,
 * but the parent's jitdump does not describe the child's code. So a jitdump is ignored if the pid
 * in its name is not the pid of the process.
 */
static void see_jitdump(struct perf_data *data, const struct perf_record *record)
{
	struct import *import = data->import;
	struct live_process *process = tracker_process(data->session.tracker, record->tgid);
	const struct record_mmap *mmap = &record->mmap;
	struct import_jitdump dump = {
		.tgid = record->tgid,
		.named_pid = jit_dumps_pid(mmap->path),
		.path = mmap->path,
		.dev = mmap->dev,
		.inode = mmap->inode,
		.same_host = is_same_host(data),
	};

	if (!process || !dump.named_pid || dump.named_pid != record->tgid ||
	    !import->options.jitdump ||
	    (process->dump_was_seen && process->dump_exec_ns == process->exec_ns))
		return;
	process->dump_was_seen = true;
	process->dump_exec_ns = process->exec_ns;
	if (!is_monotonic(data)) {
		import_lacks(import, LACK_JIT_CLOCK);
		loss_add(&import->model->losses, LOSS_JITDUMP_REFUSED, 1);
		return;
	}
	dump.start_ns = process->start_ns;
	dump.exec_ns = process->exec_ns;
	import->options.jitdump(import->options.context, &dump);
}

static int take_mmap(struct perf_data *data, struct perf_record *record)
{
	const struct record_mmap as_told = record->mmap;
	int rc;

	if (record->tgid == LIVE_ID_GONE)
		return take_kernel_mmap(data, record);
	if (record->mmap.size_bytes > UINT64_MAX - record->mmap.start_addr) {
		loss_add(&data->import->model->losses, LOSS_RECORD_MALFORMED, 1);
		return 0;
	}
	identify(data, &record->mmap);
	rc = tracker_apply(data->session.tracker, record);
	record->mmap = as_told;
	if (rc < 0)
		return rc;
	see_jitdump(data, record);
	return 0;
}

/* ---- tasks ---- */

/*
 * perf also writes fork records for tasks that existed before the recording. Newer versions of perf
 * mark these records (was_there). Older versions only set their timestamps to zero. A real fork
 * always has a timestamp in the body of its record, even if samples have no timestamps.
 */
static int take_fork(struct perf_data *data, const struct perf_record *record)
{
	struct tracker *tracker = data->session.tracker;

	if (record->was_there || record->time_ns == 0)
		return tracker_enter(tracker, record,
				     record->parent_tgid == KTHREADD || record->tgid == KTHREADD);
	return tracker_apply(tracker, record);
}

int perf_task_take(struct perf_data *data, struct perf_record *record)
{
	struct perf_session *session = &data->session;

	switch (record->kind) {
	case RECORD_MMAP:
		return take_mmap(data, record);
	case RECORD_FORK:
		return take_fork(data, record);
	case RECORD_COMM:
	case RECORD_EXIT:
		return tracker_apply(session->tracker, record);
	case RECORD_LOST:
		if (record->lost.samples)
			session->lost_samples += record->lost.count;
		else
			session->lost += record->lost.count;
		return 0;
	case RECORD_THROTTLE:
		loss_add(&data->import->model->losses, LOSS_THROTTLED, 1);
		return 0;
	case RECORD_KSYMBOL:
		if (has_place(data))
			kernel_images_apply(session->kernel_images, record);
		return 0;
	default:
		return 0;
	}
}
