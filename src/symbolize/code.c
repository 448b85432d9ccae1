/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/code.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "elf/own_vdso.h"
#include "elf/symbols.h"
#include "symbolize/code_job.h"
#include "symbolize/recorded.h"

#define KCORE "/proc/kcore"

#if defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

/* The request of a code_read() call, and where to store the result. */
struct request {
	const struct model *model;
	const struct function *function;
	const struct image *image;
	const struct code_options *options;
	struct code *code;
	struct err *err;
};

static const char *path_of(const struct request *request)
{
	return model_string(request->model, request->image->path);
}

/* Copies the function's code from @file. @bytes has the same meaning as in image_file_code(). */
static int copy_code(const struct request *request, const struct image_file *file,
		     const void *bytes, uint64_t vaddr, const char *where)
{
	const struct function *function = request->function;
	struct readers *readers = request->options->readers;
	struct code *code = request->code;
	int rc = readers && file->fd >= 0
			 ? code_job_ask(readers, file, vaddr, code->size_bytes, code->bytes)
			 : image_file_code(file, bytes, vaddr, code->size_bytes, code->bytes);

	if (rc == -ENOENT || rc == -ENOEXEC)
		return err_set(request->err, -ENODATA,
			       "%s has no code from 0x%" PRIx64 " to 0x%" PRIx64, where, vaddr,
			       vaddr + function->size_bytes);
	return rc < 0 ? err_sys(request->err, rc, "%s", where) : 0;
}

/* ---- files ---- */

static int refuse_other(const struct request *request, const struct image_file *file,
			const char *path)
{
	char here[BUILD_ID_TEXT_SIZE], recorded[BUILD_ID_TEXT_SIZE];

	if (request->image->kind == IMAGE_FILE && !request->image->build_id_size)
		return err_set(request->err, -ESTALE,
			       "%s may not be the file that was recorded, whose build-id is not "
			       "known; assay symbolize can be told to trust its path",
			       path);
	return err_set(request->err, -ESTALE,
		       "%s is not the file that was recorded: its build-id is %s, the recorded "
		       "build-id is %s",
		       path, build_id_text(file->build_id, file->build_id_size, here),
		       build_id_text(request->image->build_id, request->image->build_id_size,
				     recorded));
}

static int take_from_path(const struct request *request)
{
	const char *path = path_of(request);
	_cleanup_free_ char *below = NULL;
	struct image_file file;
	int rc;

	if (path[0] != '/')
		return err_set(request->err, -ENODATA,
			       "%s is not a file, so its code cannot be read", path);
	below = recorded_path_below(request->options->sysroot, path);
	if (!below)
		return err_set(request->err, -ENOMEM, "no memory for %s", path);
	rc = image_file_open(AT_FDCWD, below, &file, request->err);
	if (rc < 0)
		return rc;
	request->code->machine = file.machine;
	rc = recorded_file_is(request->image, &file)
		     ? copy_code(request, &file, NULL, request->function->vaddr, below)
		     : refuse_other(request, &file, below);
	image_file_fini(&file);
	return rc;
}

static int take_from_file(const struct request *request)
{
	const struct code_options *options = request->options;
	const struct image_file *pinned = NULL;

	if (options->image_file)
		pinned = options->image_file(options->image_file_context, request->function->image);
	if (!pinned)
		return take_from_path(request);
	request->code->machine = pinned->machine;
	return copy_code(request, pinned, NULL, request->function->vaddr, path_of(request));
}

static int take_from_vdso(const struct request *request)
{
	size_t size_bytes = 0;
	const void *vdso = own_vdso(&size_bytes);
	struct image_file own;
	int rc;

	if (!vdso || image_file_from_bytes(vdso, size_bytes, "[vdso]", &own, NULL) < 0)
		return err_set(request->err, -ENODATA,
			       "assay's own process has no vdso to read the code from");
	request->code->machine = own.machine;
	rc = recorded_vdso_is(request->model, request->image, &own)
		     ? copy_code(request, &own, vdso, request->function->vaddr, "[vdso]")
		     : refuse_other(request, &own, "this kernel's vdso");
	image_file_fini(&own);
	return rc;
}

/* ---- the kernel ---- */

static const char *symbol_name(const struct request *request)
{
	const struct function *function = request->function;

	return model_string(request->model,
			    function->linkage_name ? function->linkage_name : function->name);
}

static bool begins_here(const struct kallsyms *kallsyms, uint64_t addr, const char *name)
{
	uint64_t end_addr;
	const struct kernel_symbol *symbol = kallsyms_lookup(kallsyms, addr, &end_addr);

	return symbol && symbol->addr == addr &&
	       strcmp(kallsyms_string(kallsyms, symbol->name), name) == 0;
}

static int take_from_kcore(const struct request *request)
{
	const struct kallsyms *kallsyms = request->options->kallsyms;
	const char *kcore = request->options->kcore ? request->options->kcore : KCORE;
	const struct image_file *open = request->options->kcore_file;
	struct image_file file;
	int rc;

	if (!kallsyms)
		return err_set(request->err, -ESTALE,
			       "the code is not available: the running kernel is not the "
			       "recorded one, or its symbols cannot be read; name the recorded "
			       "kernel's vmlinux file");
	if (!begins_here(kallsyms, request->function->vaddr, symbol_name(request)))
		return err_set(request->err, -ESTALE, "%s of %s is not at its recorded address",
			       symbol_name(request), path_of(request));
	request->code->machine = OWN_MACHINE;
	if (open)
		return copy_code(request, open, NULL, request->function->vaddr, kcore);
	rc = image_file_open(AT_FDCWD, kcore, &file, NULL);
	if (rc < 0)
		return err_sys(request->err, rc,
			       "cannot read the kernel's code from %s (the recorded kernel's "
			       "vmlinux file can be given instead)",
			       kcore);
	rc = copy_code(request, &file, NULL, request->function->vaddr, kcore);
	image_file_fini(&file);
	return rc;
}

/* Returns the symbol called @name. Returns NULL if there is no such symbol or more than one. */
static const struct symbol *only_symbol(const struct symbol_table *table, const char *name)
{
	const struct symbol *found = NULL;

	for (size_t i = 0; i < table->symbols.count; i++) {
		if (strcmp(table->symbols.at[i].name, name) != 0)
			continue;
		if (found)
			return NULL;
		found = &table->symbols.at[i];
	}
	return found;
}

/*
 * Reads the code from a file whose link addresses differ from the addresses at which the code ran.
 * Therefore finds the function by its name in the symbol table of the file.
 */
static int take_by_name(const struct request *request, const struct image_file *file,
			const char *path)
{
	const struct symbol *symbol;
	struct symbol_table table;
	int rc = symbol_table_read(file, &(struct symbols_options){ .no_debug_files = true },
				   &table, request->err);

	if (rc < 0)
		return rc;
	request->code->machine = file->machine;
	symbol = only_symbol(&table, symbol_name(request));
	rc = symbol ? copy_code(request, file, NULL, symbol->vaddr, path)
		    : err_set(request->err, -ENODATA, "%s: symbol %s is missing or ambiguous", path,
			      symbol_name(request));
	symbol_table_fini(&table);
	return rc;
}

static int take_from_vmlinux(const struct request *request)
{
	const char *path = request->options->vmlinux;
	struct image_file file;
	int rc = symbolize_check_vmlinux(path, request->image->build_id,
					 request->image->build_id_size, request->err);

	if (rc < 0)
		return rc;
	rc = image_file_open(AT_FDCWD, path, &file, request->err);
	if (rc < 0)
		return rc;
	rc = take_by_name(request, &file, path);
	image_file_fini(&file);
	return rc;
}

/* ---- generated code ---- */

static int refuse_kind(const struct request *request)
{
	return err_set(request->err, -ENODATA,
		       "the code of %s (%s) is not in any file, and the recording does "
		       "not contain it",
		       path_of(request), image_kind_name(request->image->kind));
}

static int take_from_jit(const struct request *request)
{
	const struct jit *jit = request->options->jit;
	const struct code *kept = jit ? jit_code(jit, request->function) : NULL;

	if (!kept)
		return refuse_kind(request);
	request->code->machine = kept->machine;
	memcpy(request->code->bytes, kept->bytes, kept->size_bytes);
	return 0;
}

/* ---- any image ---- */

static int take_from_image(const struct request *request)
{
	switch (request->image->kind) {
	case IMAGE_FILE:
		return take_from_file(request);
	case IMAGE_VDSO:
		return take_from_vdso(request);
	case IMAGE_KERNEL:
		return request->options->vmlinux ? take_from_vmlinux(request)
						 : take_from_kcore(request);
	case IMAGE_MODULE:
		return take_from_kcore(request);
	case IMAGE_JIT:
		return take_from_jit(request);
	case IMAGE_BPF:
	case IMAGE_UNKNOWN:
		break;
	}
	return refuse_kind(request);
}

int code_read(const struct model *model, const struct function *function,
	      const struct code_options *options, struct code *ret_code, struct err *err)
{
	struct code code = { .image = function->image, .vaddr = function->vaddr };
	const struct request request = { model,	  function, &model->images.at[function->image],
					 options, &code,    err };
	int rc;

	if (function->size_bytes == 0)
		return err_set(err, -ENODATA, "the end of %s is not known",
			       model_string(model, function->name));
	if (function->size_bytes > CODE_BYTES_MAX)
		return err_set(err, -EFBIG,
			       "%s: a size of %" PRIu64 " bytes is too large for a "
			       "function",
			       model_string(model, function->name), function->size_bytes);
	code.size_bytes = (size_t)function->size_bytes;
	code.bytes = malloc(code.size_bytes);
	if (!code.bytes)
		return err_set(err, -ENOMEM, "no memory for the code of a function");
	rc = take_from_image(&request);
	if (rc < 0)
		code_fini(&code);
	else
		*ret_code = code;
	return rc;
}
