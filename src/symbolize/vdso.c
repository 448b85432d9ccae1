/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names code in the vdso. The vdso is not a file, but the kernel maps the same vdso into every
 * 64-bit process. So assay can use the vdso in its own memory, if this vdso has the recorded
 * build-id. If the recording has no build-id, the machine must not have rebooted since the
 * recording. "[vdso32]" and "[vsyscall]" contain different code, for which no names are available.
 */
#include <fcntl.h>

#include "base/cleanup.h"
#include "elf/own_vdso.h"
#include "elf/symbols.h"
#include "symbolize/hits.h"
#include "symbolize/names.h"
#include "symbolize/recorded.h"

static bool is_this_boot(const struct model *model)
{
	_cleanup_close_ int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	const char *recorded = model_fact(model, FACT_BOOT_ID);
	char now[64];
	ssize_t got = fd >= 0 ? read(fd, now, sizeof(now) - 1) : -1;

	if (got <= 0 || !recorded)
		return false;
	now[got] = '\0';
	now[strcspn(now, "\n")] = '\0';
	return strcmp(now, recorded) == 0;
}

bool recorded_vdso_is(const struct model *model, const struct image *image,
		      const struct image_file *own)
{
	if (!image->build_id_size)
		return is_this_boot(model);
	return own->build_id_size == image->build_id_size &&
	       memcmp(own->build_id, image->build_id, image->build_id_size) == 0;
}

void vdso_name(const struct image_hits *hits)
{
	size_t size_bytes = 0;
	const void *vdso = own_vdso(&size_bytes);
	bool is_64_bit = strcmp(hits_path(hits), "[vdso]") == 0;
	struct image_file own;
	struct symbol_table table;
	struct named_code code = { .table = &table };
	bool usable;

	if (!vdso || !is_64_bit ||
	    image_file_from_bytes(vdso, size_bytes, "[vdso]", &own, NULL) < 0)
		return;
	usable = recorded_vdso_is(hits->model, hits_image(hits), &own);
	image_file_fini(&own);
	if (!usable || symbol_table_from_bytes(vdso, size_bytes, &table, NULL) < 0)
		return;
	names_from_table(hits, &code);
	symbol_table_fini(&table);
}
