/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/block_code.h"

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "cli/code_reader.h"
#include "cli/command.h"

struct reading {
	struct code_reader reader;
	struct disasm *disasm;
	uint16_t machine;	/* machine that @disasm was made for */
};

static void reading_fini(struct reading *reading)
{
	disasm_free(reading->disasm);
	code_reader_fini(&reading->reader);
}

/*
 * Creates a new disassembler if @machine differs from the machine of the current disassembler. This
 * is rare, because consecutive functions usually have the same machine.
 */
static int set_machine(struct reading *reading, uint16_t machine, struct err *err)
{
	if (reading->disasm && reading->machine == machine)
		return 0;
	disasm_free(TAKE_PTR(reading->disasm));
	reading->machine = machine;
	return disasm_new(machine, NULL, NULL, &reading->disasm, err);
}

static int walk(void *context, uint32_t function, struct instructions *instructions,
		struct err *err)
{
	struct reading *reading = context;
	_cleanup_(code_fini) struct code code = { 0 };
	const char *from;
	int rc = code_reader_read(&reading->reader, function_of(reading->reader.model, function),
				  &code, &from, err);

	if (rc < 0)
		return rc;
	rc = set_machine(reading, code.machine, err);
	if (rc < 0)
		return rc;
	return disasm_walk(reading->disasm, code.bytes, code.size_bytes, code.vaddr, instructions,
			   err);
}

int block_code_read(struct recording *recording, const struct profile *profile, const char *vmlinux,
		    struct code_blocks *ret_blocks, struct err *err)
{
	_cleanup_(reading_fini) struct reading reading = {
		.reader = { .recording = recording, .model = profile->model, .vmlinux = vmlinux },
	};
	const struct block_source source = { .read = walk, .context = &reading };
	int rc = code_blocks_make(profile, &source, ret_blocks);

	if (rc < 0)
		return err_set(err, rc, "no memory for the blocks of %zu locations",
			       profile->model->locations.count);
	if (ret_blocks->unread)
		cli_message("functions whose code cannot be read: %zu; error for the "
			    "hottest one: %s",
			    ret_blocks->unread, ret_blocks->why.text);
	return 0;
}
