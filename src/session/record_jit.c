/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/record_jit.h"

struct jit *record_jit_new(struct model *model, size_t bytes_max, struct file_opener *opener,
			   struct readers *readers)
{
	const struct jit_options options = {
		.bytes_max = bytes_max,
		.opener = opener,
		.readers = readers,
	};
	struct jit *jit = NULL;

	if (jit_new(model, &options, &jit) < 0)
		loss_add(&model->losses, LOSS_MEMORY, 1);
	return jit;
}

void record_jit_watch(struct jit *jit, struct capture *capture)
{
	struct jit_mapped_dump mapped;

	while (jit && capture_take_jit_dump(capture, &mapped))
		jit_take_dump(jit, &(struct jit_seen_dump){
					   .tgid = mapped.tgid,
					   .named_pid = mapped.named_pid,
					   .start_ns = mapped.start_ns,
					   .exec_ns = mapped.exec_ns,
					   .fd = mapped.fd,
				   });
	if (jit)
		jit_watch(jit);
}

void record_jit_settle(struct jit *jit, struct capture *capture, struct sample_batch *batch)
{
	record_jit_watch(jit, capture);
	if (jit)
		jit_settle(jit, batch);
}

void record_jit_name_now(struct jit *jit)
{
	if (jit)
		jit_name_now(jit);
}

void record_jit_name(struct jit *jit)
{
	if (jit)
		jit_name(jit);
}

void record_jit_say(const struct model *model, const struct session_listener *listener)
{
	const char *why = model_fact(model, FACT_JITDUMP_REFUSED);

	if (why)
		session_note(listener, "%s; generated code of this process may have no names", why);
}
