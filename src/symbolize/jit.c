/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "symbolize/jit-private.h"
#include "symbolize/perf_map.h"

/* number of descriptors that the limit must allow for each watched process */
#define FILES_PER_WATCH 8
#define WATCHED_MIN 8

int jit_new(struct model *model, const struct jit_options *options, struct jit **ret_jit)
{
	struct jit *jit = calloc(1, sizeof(*jit));
	struct rlimit limit;

	if (!jit)
		return -ENOMEM;
	jit->model = model;
	jit->options = *options;
	jit->budget.bytes_max = options->bytes_max ? options->bytes_max : JIT_BYTES_MAX;
	jit->budget.keeps_all = options->is_past;
	jit->watched_max = WATCHED_MIN;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / FILES_PER_WATCH > WATCHED_MIN)
		jit->watched_max = limit.rlim_cur / FILES_PER_WATCH < JIT_WATCHED_MAX
					   ? (size_t)limit.rlim_cur / FILES_PER_WATCH
					   : JIT_WATCHED_MAX;
	jit->seen_images = jit->seen_processes = 1;
	*ret_jit = jit;
	return 0;
}

static void close_files(struct jit_image *image)
{
	jit_map_fini(&image->map);
	jit_dump_fini(&image->dump);
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	for (size_t i = 0; i < jit->images.count; i++) {
		close_files(&jit->images.at[i]);
		jit_history_fini(&jit->images.at[i].history);
	}
	for (size_t i = 0; i < jit->pending.count; i++)
		file_opener_close(jit->options.opener, jit->pending.at[i].fd);
	for (size_t i = 0; i < jit->codes.count; i++)
		code_fini(&jit->codes.at[i]);
	vec_free(&jit->images);
	vec_free(&jit->pending);
	vec_free(&jit->of_location);
	vec_free(&jit->is_generated);
	vec_free(&jit->path);
	vec_free(&jit->locations);
	vec_free(&jit->codes);
	free(jit);
}

static void add_loss(struct jit *jit, enum loss reason)
{
	loss_add(&jit->model->losses, reason, 1);
}

/* ---- jitdumps ---- */

/*
 * Returns true if the jitdump was made by @process. A forked child inherits the parent's mapping of
 * the jitdump, but the child's own generated code is not in that jitdump. So the pid in the name of
 * the file must match, too.
 */
static bool is_of(const struct jit_seen_dump *seen, const struct process *process,
		  uint32_t inner_tgid)
{
	return seen->named_pid == inner_tgid && seen->tgid == process->tgid &&
	       seen->exec_ns == process->exec_ns &&
	       (!seen->start_ns || !process->start_ns || seen->start_ns == process->start_ns);
}

/*
 * Gives the image the first pending jitdump that belongs to its process. A jitdump is pending if no
 * image uses it yet, for example because its process has no samples in generated code so far. A
 * program has only one jitdump.
 */
static void attach(struct jit *jit, struct jit_image *image)
{
	const struct process *process = &image->process;
	uint32_t inner_tgid = jit->model->images.at[image->image].tgid;

	for (size_t i = 0; i < jit->pending.count && image->dump.file.fd < 0 && !image->has_dump;
	     i++) {
		if (!is_of(&jit->pending.at[i], process, inner_tgid))
			continue;
		jit_dump_init(&image->dump, dump_file_of(jit->pending.at[i].fd, jit->options.opener,
							 jit->options.readers));
		image->dump.is_past = jit->options.is_past;
		jit->pending.at[i] = jit->pending.at[--jit->pending.count];
	}
}

void jit_take_dump(struct jit *jit, const struct jit_seen_dump *seen)
{
	struct jit_seen_dump *pending;

	if (jit->pending.count >= JIT_PENDING_MAX) {
		file_opener_close(jit->options.opener, jit->pending.at[0].fd);
		memmove(jit->pending.at, jit->pending.at + 1,
			--jit->pending.count * sizeof(*jit->pending.at));
		add_loss(jit, LOSS_JIT_UNWATCHED);
	}
	pending = vec_push(&jit->pending);
	if (pending) {
		*pending = *seen;
		return;
	}
	file_opener_close(jit->options.opener, seen->fd);
	add_loss(jit, LOSS_MEMORY);
}

static void report_refused(struct jit *jit, const struct jit_image *image, int rc,
			   const struct err *err)
{
	enum loss reason = LOSS_JITDUMP_REFUSED;

	if (rc == -EBADMSG)
		reason = LOSS_JITDUMP_DAMAGED;
	else if (rc == -EFBIG)
		reason = LOSS_JITDUMP_UNREAD;
	add_loss(jit, reason);
	model_fact_set(jit->model, FACT_JITDUMP_REFUSED, "the jitdump of process %u: %s",
		       image->process.tgid, err->text);
}

/*
 * Reads new records. When the jitdump is accepted, everything learned from the perf map is dropped,
 * because only the jitdump's records have times.
 */
static void read_dump(struct jit *jit, struct jit_image *image)
{
	struct err err = { 0 };
	int rc = 0;

	image->dump.is_behind = false;
	if (image->dump.file.fd < 0)
		return;
	if (!image->has_dump)
		rc = jit_dump_begin(&image->dump, &image->process, &err);
	if (rc > 0) {
		jit_history_clear(&image->history);
		jit_map_fini(&image->map);
		jit_map_init(&image->map);
		image->has_dump = true;
	}
	if (rc >= 0)
		rc = jit_dump_read(&image->dump, &image->history,
				   image->ended || jit->options.is_past, &err);
	if (rc < 0)
		report_refused(jit, image, rc, &err);
	if (rc == -EPERM)
		image->has_dump = false;
}

/*
 * Reads one step of each jitdump in turn, until all are read to their ends or @most_bytes have been
 * read in total.
 */
static void read_dumps(struct jit *jit, uint64_t most_bytes)
{
	bool is_first = true, is_behind = true;

	jit->budget.dump_bytes = most_bytes;
	while (is_behind && (is_first || jit->budget.dump_bytes)) {
		is_behind = false;
		for (size_t i = 0; i < jit->images.count; i++) {
			struct jit_image *image = &jit->images.at[i];

			if (image->is_closed || (!is_first && !image->dump.is_behind))
				continue;
			read_dump(jit, image);
			is_behind |= image->dump.is_behind;
		}
		is_first = false;
	}
}

/* ---- perf maps ---- */

static void look_for_map(struct jit *jit, struct jit_image *image)
{
	const struct image *row = &jit->model->images.at[image->image];
	const struct process *process = &image->process;
	int fd;

	if (image->map.fd >= 0 || image->has_dump || image->was_replaced || jit->options.is_past ||
	    (jit->options.is_there && !jit->options.is_there(process)))
		return;
	fd = perf_map_open(jit->options.opener, jit->options.sysroot, process, row->tgid);
	image->map_refused = fd < 0 && fd != -ENOENT;
	if (fd < 0)
		return;
	jit_map_open(&image->map, fd);
}

static void take_lines(struct jit *jit, struct jit_image *image, bool is_last)
{
	if (jit_map_read(&image->map, &image->history, &image->process, is_last) == 0)
		return;
	image->map_refused = true;
	image->was_replaced = true;	/* so that the map is not looked for again */
}

/*
 * Reads the perf map. If the file was removed, first reads the rest of the removed file. Then opens
 * and reads the new file of the same name, if there is one.
 */
static void read_map(struct jit *jit, struct jit_image *image, bool is_last)
{
	uint64_t looked_ns = image->map.looked_ns;

	if (image->was_replaced || (!is_last && jit_map_is_resting(&image->map)))
		return;
	if (jit_map_is_removed(&image->map)) {
		take_lines(jit, image, true);
		jit_map_fini(&image->map);
		/* the new file may have existed since the previous look */
		image->map.looked_ns = looked_ns;
	}
	look_for_map(jit, image);
	take_lines(jit, image, is_last);
}

/* ---- which processes to watch ---- */

/* Returns an element for another image: one whose watch has ended, or a new one. */
static struct jit_image *free_image(struct jit *jit)
{
	for (size_t i = 0; i < jit->images.count; i++)
		if (jit->images.at[i].is_closed)
			return &jit->images.at[i];
	return vec_push(&jit->images);
}

static void add_image(struct jit *jit, uint32_t id)
{
	struct jit_image *image;

	if (jit->watched >= jit->watched_max) {
		add_loss(jit, LOSS_JIT_UNWATCHED);
		return;
	}
	image = free_image(jit);
	if (!image) {
		add_loss(jit, LOSS_MEMORY);
		return;
	}
	*image = (struct jit_image){
		.image = id,
		.process = jit->model->processes.at[jit->model->images.at[id].process],
		.dump.file.fd = -1,
	};
	jit_map_init(&image->map);
	jit_history_init(&image->history, &jit->budget);
	jit->watched++;
	attach(jit, image);
	read_map(jit, image, false);
}

/*
 * Reads the perf maps that are open. If a map is read more often, the times of its claims are known
 * more exactly, and fewer names are uncertain.
 */
static void look_at_maps(struct jit *jit)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns < jit->next_look_ns)
		return;
	jit->next_look_ns = now_ns + JIT_LOOK_NS;
	for (size_t i = 0; i < jit->images.count; i++)
		if (!jit->images.at[i].is_closed && jit->images.at[i].map.fd >= 0)
			read_map(jit, &jit->images.at[i], false);
}

void jit_watch(struct jit *jit)
{
	look_at_maps(jit);
	for (; jit->seen_images < jit->model->images.count; jit->seen_images++)
		if (jit->model->images.at[jit->seen_images].kind == IMAGE_JIT)
			add_image(jit, (uint32_t)jit->seen_images);
}

static bool is_gone(const struct process *process)
{
	return kill((pid_t)process->tgid, 0) < 0 && errno == ESRCH;
}

/*
 * Checks the entries that were added to model.processes. A later entry with the same tgid means
 * that the process runs another program, or that the tgid now belongs to another process.
 */
static void see_processes(struct jit *jit)
{
	const struct model *model = jit->model;

	for (; jit->seen_processes < model->processes.count; jit->seen_processes++)
		for (size_t i = 0; i < jit->images.count; i++) {
			struct jit_image *image = &jit->images.at[i];

			if (image->is_closed ||
			    image->process.tgid != model->processes.at[jit->seen_processes].tgid)
				continue;
			if (model->images.at[image->image].process < jit->seen_processes)
				image->ended = image->was_replaced = true;
		}
}

static void read_files(struct jit *jit, uint64_t most_bytes)
{
	for (size_t i = 0; i < jit->images.count; i++) {
		struct jit_image *image = &jit->images.at[i];

		if (image->is_closed)
			continue;
		if (!image->ended && !jit->options.is_past)
			image->ended = is_gone(&image->process);
		attach(jit, image);
	}
	read_dumps(jit, most_bytes);
	for (size_t i = 0; i < jit->images.count; i++) {
		struct jit_image *image = &jit->images.at[i];

		if (!image->is_closed && !image->has_dump)
			read_map(jit, image, image->ended);
	}
}

static void end_watch(struct jit *jit, struct jit_image *image)
{
	struct err err = { 0 };
	int rc = jit_dump_end(&image->dump, &image->history, &err);

	if (rc < 0)
		report_refused(jit, image, rc, &err);
	if (image->history.is_full)
		add_loss(jit, LOSS_JIT_NO_ROOM);
	if (image->map_refused)
		add_loss(jit, LOSS_PERF_MAP_REFUSED);
	jit_name_image(jit, image);
	close_files(image);
	jit_history_fini(&image->history);
	image->is_closed = true;
	jit->watched--;
}

static void settle(struct jit *jit, struct sample_batch *batch, uint64_t most_bytes)
{
	jit_watch(jit);
	if (!jit->images.count)
		return;
	see_processes(jit);
	read_files(jit, most_bytes);
	jit_settle_locations(jit);
	for (size_t i = 0; i < jit->images.count; i++)
		if (!jit->images.at[i].is_closed)
			jit_history_settle(&jit->images.at[i].history);
	jit_settle_samples(jit, batch);
	for (size_t i = 0; i < jit->images.count; i++) {
		struct jit_image *image = &jit->images.at[i];

		if (!image->is_closed && image->ended && !image->dump.is_behind &&
		    image->quiet++ >= JIT_QUIET_SETTLES)
			end_watch(jit, image);
	}
}

void jit_settle(struct jit *jit, struct sample_batch *batch)
{
	settle(jit, batch, jit->options.is_past ? JIT_PAST_BYTES : JIT_SETTLE_BYTES);
}

void jit_name(struct jit *jit)
{
	struct sample_batch none = { 0 };

	for (size_t i = 0; i < jit->images.count; i++)
		/*
		 * read the map even if jit_map_is_resting(), because an unread line could change a
		 * name
		 */
		jit->images.at[i].map.next_ns = 0;
	settle(jit, &none, JIT_NAME_BYTES);
	for (size_t i = 0; i < jit->images.count; i++)
		if (!jit->images.at[i].is_closed)
			end_watch(jit, &jit->images.at[i]);
}

/*
 * Does not count losses, because each call names the same locations again. jit_name() counts the
 * losses at the end.
 */
void jit_name_now(struct jit *jit)
{
	const struct losses losses = jit->model->losses;

	for (size_t i = 0; i < jit->images.count; i++)
		if (!jit->images.at[i].is_closed)
			jit_name_image_now(jit, &jit->images.at[i]);
	jit->model->losses = losses;
}
