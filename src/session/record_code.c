/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/record_code.h"

#include "store/code_table.h"
#include "symbolize/code.h"

static void keep_function(const struct model *model, uint32_t id,
			  const struct code_options *options, struct code_list *codes,
			  size_t *size_bytes)
{
	const struct function *function = &model->functions.at[id];
	struct code *code;

	if (function->size_bytes > CODE_KEPT_EACH_BYTES_MAX ||
	    *size_bytes + function->size_bytes > CODE_KEPT_BYTES_MAX)
		return;
	code = vec_push(&codes->list);
	if (!code)
		return;
	if (code_read(model, function, options, code, NULL) < 0) {
		codes->list.count--;
		return;
	}
	*size_bytes += code->size_bytes;
}

void record_code_keep(struct recording *recording, const struct model *model,
		      const struct symbolize_options *named, const struct jit *jit,
		      const struct image_file *kcore)
{
	const struct code_options options = {
		.kallsyms = named->kallsyms,
		.jit = jit,
		.kcore_file = kcore,
		.image_file = named->image_file,
		.image_file_context = named->image_file_context,
		.readers = named->readers,
	};
	struct function_ids hot = { 0 };
	struct code_list codes = { 0 };
	size_t size_bytes = 0;

	if (recording_hot_functions(recording, &hot, NULL) == 0)
		for (size_t i = 0; i < hot.list.count; i++)
			if (hot.list.at[i] < model->functions.count)
				keep_function(model, hot.list.at[i], &options, &codes, &size_bytes);
	(void)recording_keep_code(recording, &codes, NULL);
	code_list_fini(&codes);
	vec_free(&hot.list);
}
