/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/name_job.h"

#include "base/byte_writer.h"
#include "base/cleanup.h"
#include "base/write_all.h"
#include "symbolize/debug_access.h"
#include "symbolize/names.h"

#define KEPT_SYMBOLS_BYTES ((size_t)64 << 20)
/* limits on a reply: the losses, and for each address a function with its four strings */
#define REPLY_BYTES_MIN 4096u
#define REPLY_BYTES_EACH (4 * (NAME_MAX_BYTES + 1) + 64)

/* ---- in the reader ---- */

struct name_request {
	bool demangle, keep;
	uint32_t image;
	struct debug_request debug;
	struct byte_reader addresses;
	size_t count;
};

/* What the reader knows of the session's model: the addresses of one image. */
struct scratch {
	struct model model;
	VEC(struct hit) hits;
};

static void scratch_fini(struct scratch *scratch)
{
	vec_free(&scratch->hits);
	model_fini(&scratch->model);
}

static bool read_request(const struct reader_task *task, struct name_request *request)
{
	struct byte_reader r = byte_reader_of(task->request, task->request_bytes);
	bool is_read;

	request->demangle = byte_reader_u32(&r) != 0;
	request->keep = byte_reader_u32(&r) != 0;
	request->image = byte_reader_u32(&r);
	is_read = debug_request_read(&r, &request->debug);
	request->count = byte_reader_u32(&r);
	request->addresses = r;
	return is_read && !r.failed && byte_reader_left(&r) == request->count * sizeof(uint64_t);
}

/* Makes a model with one image and the requested locations. */
static int fill_scratch(struct name_request *request, struct scratch *scratch)
{
	const struct image image = { .kind = IMAGE_FILE };
	struct model *model = &scratch->model;
	uint32_t id = model_image_id(model, &image);

	if (!id || vec_reserve(&scratch->hits, request->count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < request->count; i++) {
		uint64_t vaddr = byte_reader_u64(&request->addresses);
		uint32_t location = model_location_id(model, id, vaddr);

		if (!location)
			return -ENOMEM;
		*vec_push(&scratch->hits) = (struct hit){
			.vaddr = vaddr,
			.image = id,
			.location = location,
		};
	}
	return 0;
}

static void write_function(const struct model *model, const struct function *function,
			   struct byte_writer *w)
{
	byte_writer_u64(w, function->vaddr);
	byte_writer_u64(w, function->size_bytes);
	byte_writer_u32(w, function->quality);
	byte_writer_u32(w, function->root);
	byte_writer_string(w, model_string(model, function->name));
	byte_writer_string(w, model_string(model, function->linkage_name));
	byte_writer_string(w, model_string(model, function->before));
	byte_writer_string(w, model_string(model, function->after));
}

static void write_losses(const struct losses *losses, struct byte_writer *w)
{
	uint32_t count = 0;

	for (size_t i = 0; i < LOSS_COUNT; i++)
		count += losses->count[i] != 0;
	byte_writer_u32(w, count);
	for (size_t i = 0; i < LOSS_COUNT; i++) {
		if (!losses->count[i])
			continue;
		byte_writer_u32(w, (uint32_t)i);
		byte_writer_u64(w, losses->count[i]);
	}
}

static int write_reply(const struct image_hits *hits, int fd)
{
	_cleanup_(byte_writer_fini) struct byte_writer w = { 0 };
	const struct model *model = hits->model;

	write_losses(&model->losses, &w);
	byte_writer_u32(&w, (uint32_t)model->functions.count - 1);
	for (size_t i = 1; i < model->functions.count; i++)
		write_function(model, &model->functions.at[i], &w);
	for (size_t i = 0; i < hits->count; i++)
		byte_writer_u32(&w, *hits_function(hits, i));
	return w.failed ? -ENOMEM : write_all(fd, w.bytes.at, w.bytes.count);
}

static int find_debug_file(void *context, const char *name, const uint8_t *build_id, size_t size)
{
	return reader_find();
}

static int name_in(struct reader_task *task, struct name_request *request, struct scratch *scratch)
{
	const struct symbolize_options options = { .demangle = request->demangle };
	const struct debug_source source = { .find = find_debug_file };
	struct symbols_options tables = { .places = debug_request_places(&request->debug) };
	_cleanup_(image_file_fini) struct image_file file = { .fd = -1 };
	struct image_hits hits = { .model = &scratch->model, .options = &options };
	int rc = fill_scratch(request, scratch);

	tables.places.source = &source;
	if (rc == 0 && request->keep && !*task->kept)
		rc = symbol_cache_new(KEPT_SYMBOLS_BYTES, (struct symbol_cache **)task->kept);
	if (rc == 0)
		rc = image_file_from_fd(TAKE_FD(task->file_fd), "image", &file, NULL);
	if (rc < 0)
		return rc;
	hits.image = scratch->hits.count ? scratch->hits.at[0].image : 0;
	hits.hits = scratch->hits.at;
	hits.count = scratch->hits.count;
	rc = names_from_file(&hits, &file, &tables, request->keep ? *task->kept : NULL,
			     request->image);
	return rc < 0 ? rc : write_reply(&hits, task->reply_fd);
}

static int run(struct reader_task *task)
{
	struct name_request request = { 0 };
	struct scratch scratch = { 0 };
	int rc;

	if (!read_request(task, &request))
		return -EBADMSG;
	rc = model_init(&scratch.model);
	if (rc < 0)
		return rc;
	rc = name_in(task, &request, &scratch);
	scratch_fini(&scratch);
	return rc;
}

const struct reader_job name_job = { .run = run };

/* ---- in the session ---- */

/* What a reader may ask for. */
struct wanted {
	const struct image_hits *hits;
	const struct image_file *file;
	struct debug_access access;
};

static int open_debug_file(void *context, const char *path)
{
	struct wanted *wanted = context;

	return debug_access_open(&wanted->access, path);
}

static int ask_debug_source(void *context)
{
	const struct wanted *wanted = context;
	const struct debug_source *source = wanted->hits->options->debug_source;
	const struct image_file *file = wanted->file;

	if (!source || file->build_id_size < 2)
		return -ENOENT;
	return source->find(source->context, hits_path(wanted->hits), file->build_id,
			    file->build_id_size);
}

static void write_request(const struct wanted *wanted, struct byte_writer *w)
{
	const struct image_hits *hits = wanted->hits;

	byte_writer_u32(w, hits->options->demangle);
	byte_writer_u32(w, hits->options->symbols != NULL);
	byte_writer_u32(w, hits->image);
	debug_access_write(&wanted->access, w);
	byte_writer_u32(w, (uint32_t)hits->count);
	for (size_t i = 0; i < hits->count; i++)
		byte_writer_u64(w, hits->hits[i].vaddr);
}

int name_job_ask(const struct image_hits *hits, const struct image_file *file)
{
	struct wanted wanted = { .hits = hits, .file = file };
	_cleanup_(byte_writer_fini) struct byte_writer w = { 0 };
	struct reader_question question = {
		.job = &name_job,
		.file_fd = file->fd,
		.files = { &wanted, open_debug_file, ask_debug_source },
	};
	_cleanup_free_ uint8_t *bytes = NULL;
	_cleanup_close_ int reply = -1;
	size_t size_bytes = 0;
	int rc;

	debug_access_init(&wanted.access, file->fd, hits->options->debug_dirs,
			  hits->options->opener);
	write_request(&wanted, &w);
	if (w.failed)
		return -ENOMEM;
	question.request = w.bytes.at;
	question.request_bytes = w.bytes.count;
	rc = readers_ask(hits->options->readers, &question, &reply);
	if (rc == 0)
		rc = reader_load(reply, REPLY_BYTES_MIN + hits->count * REPLY_BYTES_EACH, &bytes,
				 &size_bytes);
	return rc < 0 ? rc : name_job_take(hits, bytes, size_bytes);
}

static void take_losses(struct byte_reader *r, struct losses *losses)
{
	uint32_t count = byte_reader_u32(r);

	for (size_t i = 0; i < count && !r->failed; i++) {
		uint32_t reason = byte_reader_u32(r);
		uint64_t lost = byte_reader_u64(r);

		if (reason >= LOSS_COUNT || lost > UINT32_MAX)
			r->failed = true;
		else
			loss_add(losses, reason, lost);
	}
}

static uint32_t take_string(const struct image_hits *hits, struct byte_reader *r)
{
	size_t length;
	const char *text = byte_reader_string(r, &length);

	return name_intern(hits->model, text, length);
}

static uint32_t take_function(const struct image_hits *hits, struct byte_reader *r)
{
	struct function function = { .image = hits->image };
	uint32_t quality;

	function.vaddr = byte_reader_u64(r);
	function.size_bytes = byte_reader_u64(r);
	quality = byte_reader_u32(r);
	function.root = byte_reader_u32(r) != 0;
	function.name = take_string(hits, r);
	function.linkage_name = take_string(hits, r);
	function.before = take_string(hits, r);
	function.after = take_string(hits, r);
	if (quality >= QUALITY_NONE || quality == QUALITY_JIT)
		r->failed = true;
	if (r->failed)
		return 0;
	function.quality = quality;
	return name_function_id(hits, &function);
}

int name_job_take(const struct image_hits *hits, const void *reply, size_t size_bytes)
{
	struct byte_reader r = byte_reader_of(reply, size_bytes);
	_cleanup_free_ uint32_t *functions = NULL;
	struct byte_reader numbers;
	struct losses losses = { 0 };
	uint32_t count;

	take_losses(&r, &losses);
	count = byte_reader_u32(&r);
	if (r.failed || count > hits->count)	/* each function has an address */
		return -EBADMSG;
	functions = calloc(count + 1, sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	for (size_t i = 1; i <= count && !r.failed; i++)
		functions[i] = take_function(hits, &r);
	numbers = r;
	for (size_t i = 0; i < hits->count; i++)
		r.failed |= byte_reader_u32(&r) > count;
	if (r.failed || byte_reader_left(&r))
		return -EBADMSG;
	for (size_t i = 0; i < hits->count; i++)
		*hits_function(hits, i) = functions[byte_reader_u32(&numbers)];
	for (size_t i = 0; i < LOSS_COUNT; i++)
		loss_add(&hits->model->losses, (enum loss)i, losses.count[i]);
	return 0;
}
