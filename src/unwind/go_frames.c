/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/go_frames.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* How the rules of a function are made (go_frames.h). */
enum way {
	WAY_PLAIN,		/* by the frame sizes */
	WAY_OUTERMOST,
	WAY_LEAVES,		/* goes to another stack for ever */
	WAY_SWITCHES,		/* goes to another stack and comes back */
	WAY_CLONES,		/* its child has another stack */
	WAY_UNKNOWN,
	WAY_SIGNAL_RETURN
};

struct named_way {
	const char *name;
	enum way way;
};

struct run {
	const struct go_frames *frames;
	const struct go_function *function;
	enum way way;
	bool is_aarch64;
	bool saves_fp;			/* the frame contains the caller's fp */
	int32_t first_frame_bytes;	/* first frame size above 0; 0: none yet */
	int32_t largest_frame_bytes;	/* for WAY_LEAVES */
	cfi_rule_fn rule;
	void *context;
};

/*
 * Offsets in the signal frame of x86_64 from sp at runtime.sigreturn on, where the kernel stored
 * struct ucontext. Its registers begin at byte 40.
 */
#define SIGNAL_FP 120
#define SIGNAL_SP 160
#define SIGNAL_IP 168

/* ---- special functions ---- */

static enum way way_named(const struct named_way *ways, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(ways[i].name, name) == 0)
			return ways[i].way;
	return WAY_PLAIN;
}

/* Returns the way for functions whose flags are missing or not sufficient. */
static enum way way_by_name(const char *name, bool is_aarch64)
{
	static const struct named_way ways[] = {
		{ "runtime.mcall", WAY_LEAVES },
		{ "runtime.clone", WAY_CLONES },
		{ "gogo", WAY_UNKNOWN },
		{ "runtime.gogo", WAY_UNKNOWN },
		{ "runtime.jmpdefer", WAY_UNKNOWN },
		{ "runtime.morestack", WAY_UNKNOWN },
		/* before Go 1.17, there are no flags */
		{ "runtime.goexit", WAY_OUTERMOST },
		{ "runtime.mstart", WAY_OUTERMOST },
		{ "runtime.rt0_go", WAY_OUTERMOST },
		{ "runtime.asmcgocall", WAY_SWITCHES },
		{ "runtime.cgocallback", WAY_SWITCHES },
		{ "runtime.cgocallback_gofunc", WAY_SWITCHES },
		{ "runtime.nanotime", WAY_SWITCHES },
		{ "runtime.nanotime1", WAY_SWITCHES },
		{ "runtime.systemstack", WAY_SWITCHES },
		{ "runtime.walltime", WAY_SWITCHES },
		{ "runtime.walltime1", WAY_SWITCHES },
		{ "time.now", WAY_SWITCHES },
	};

	/* aarch64 returns from signals through the vdso, which has call frame information */
	if (!is_aarch64 && (strcmp(name, "runtime.sigreturn") == 0 ||
			    strcmp(name, "runtime.sigreturn__sigaction") == 0))
		return WAY_SIGNAL_RETURN;
	return way_named(ways, sizeof(ways) / sizeof(ways[0]), name);
}

/*
 * Returns true for the functions that the kernel calls for a signal. They have the flag of an
 * outermost function, but return to code from which the interrupted frame can be found.
 */
static bool handles_signals(const char *name)
{
	return strcmp(name, "runtime.sigtramp") == 0 || strcmp(name, "runtime.cgoSigtramp") == 0;
}

static enum way way_of(const struct go_function *function, bool is_aarch64)
{
	enum way way = way_by_name(function->name, is_aarch64);

	if (handles_signals(function->name))
		return WAY_PLAIN;
	if (function->is_outermost)
		return WAY_OUTERMOST;
	if (way == WAY_SWITCHES && function->is_assembly)
		way = WAY_PLAIN;	/* the flags are present, and more exact than the name */
	return way == WAY_PLAIN && function->switches_stack ? WAY_SWITCHES : way;
}

/* ---- code ---- */

/* Copies @size_bytes of code at @offset in the function. Returns false if there is no such code. */
static bool read_code(const struct run *run, uint64_t offset, size_t size_bytes, uint8_t *ret_code)
{
	return image_file_code(run->frames->file, run->frames->bytes,
			       run->function->start_vaddr + offset, size_bytes, ret_code) == 0;
}

/*
 * Returns the size of the x86_64 instruction at @code, which has the operands fp and n(sp): three
 * bytes up to the kind of operand, a byte for sp, and n. Returns 0 if the code is not such an
 * instruction with @opcode.
 */
static size_t stack_operand(const uint8_t *code, uint8_t opcode)
{
	if (code[0] != 0x48 || code[1] != opcode || (code[2] & 0x3f) != 0x2c || code[3] != 0x24)
		return 0;
	switch (code[2] >> 6) {
	case 0:
		return 4;
	case 1:
		return 5;
	case 2:
		return 8;
	default:
		return 0;
	}
}

/*
 * Returns the size of the code at the start of @part with which the prologue sets fp, or 0 if there
 * is no such code. Sets *@ret_saves if the code before it or the code itself saves fp. Until Go
 * 1.20, the frame grows at once: mov %rbp, n(%rsp); lea n(%rsp), %rbp. Later: push %rbp, which
 * grows the frame; mov %rsp, %rbp.
 */
static size_t prologue_size(const struct run *run, const struct go_frame_part *part,
			    bool *ret_saves)
{
	uint8_t code[17] = { 0 };
	size_t save;

	if (part->start == 0 || !read_code(run, part->start - 1, sizeof(code), code))
		return 0;
	if (code[0] == 0x55 && part->frame_bytes == 8) {
		*ret_saves = true;
		return code[1] == 0x48 && code[2] == 0x89 && code[3] == 0xe5 ? 3 : 0;
	}
	save = stack_operand(code + 1, 0x89);
	if (save == 0)
		return 0;
	*ret_saves = true;
	return save + stack_operand(code + 1 + save, 0x8d);
}

/*
 * Returns the size of the instruction at the end of @part with which an epilogue frees the frame,
 * add n, %rsp, or 0 if the part does not end so.
 */
static size_t epilogue_size(const struct run *run, const struct go_frame_part *part)
{
	uint8_t code[7] = { 0 };

	if (part->end - part->start < sizeof(code) ||
	    !read_code(run, part->end - sizeof(code), sizeof(code), code))
		return 0;
	if (code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xc4)
		return 7;
	if (code[3] == 0x48 && code[4] == 0x83 && (code[5] == 0xc4 || code[5] == 0xec))
		return 4;
	return 0;
}

/* ---- rules ---- */

static int add(const struct run *run, uint64_t offset, enum unwind_kind kind)
{
	const struct unwind_rule rule = { .kind = (uint8_t)kind };

	return run->rule(run->context, offset, &rule);
}

static int add_signal_return(const struct run *run)
{
	const struct unwind_rule rule = {
		.kind = UNWIND_CFA_AT,
		.flags = UNWIND_SIGNAL,
		.cfa_base = UNWIND_BASE_SP,
		.fp_base = UNWIND_BASE_SP,
		.ra_base = UNWIND_BASE_SP,
		.kept_words = UNWIND_KEPT_LOST,
		.cfa_offset = SIGNAL_SP,
		.fp_offset = SIGNAL_FP,
		.ra_offset = SIGNAL_IP,
	};

	return run->rule(run->context, 0, &rule);
}

/* Returns the distance from the CFA down to the return address. */
static int32_t ra_distance(const struct run *run)
{
	return run->is_aarch64 ? run->first_frame_bytes : 8;
}

/* Adds the rule by the frame size. fp is saved in the frame if @saves_fp is true. */
static int add_by_size(const struct run *run, uint64_t offset, int32_t frame_bytes, bool saves_fp)
{
	bool has_frame = frame_bytes > 0;
	struct unwind_rule rule = {
		.kind = UNWIND_CFA,
		.flags = run->way == WAY_CLONES ? UNWIND_CLONES : 0,
		.cfa_base = UNWIND_BASE_SP,
		.kept_words = UNWIND_KEPT_LOST,
		.cfa_offset = frame_bytes + (run->is_aarch64 ? 0 : 8),
	};

	if (has_frame || !run->is_aarch64) {
		rule.ra_base = UNWIND_BASE_CFA;
		rule.ra_offset = -ra_distance(run);
	}
	if (has_frame && saves_fp) {
		rule.fp_base = UNWIND_BASE_CFA;
		rule.fp_offset = -ra_distance(run) - 8;
	}
	return run->rule(run->context, offset, &rule);
}

static int add_switch(const struct run *run, uint64_t offset, enum unwind_kind kind)
{
	const struct unwind_rule rule = {
		.kind = (uint8_t)kind,
		.cfa_base = UNWIND_BASE_FP,
		.fp_base = UNWIND_BASE_CFA,
		.ra_base = UNWIND_BASE_CFA,
		.kept_words = UNWIND_KEPT_LOST,
		.cfa_offset = ra_distance(run) + 8,
		.fp_offset = -ra_distance(run) - 8,
		.ra_offset = -ra_distance(run),
	};

	return run->rule(run->context, offset, &rule);
}

/* Adds the rules for a part of a function that switches stacks. */
static int add_switching(const struct run *run, const struct go_frame_part *part)
{
	bool saves = false;
	size_t before, after;
	int rc;

	if (!run->saves_fp && run->is_aarch64)
		return add(run, part->start, UNWIND_UNSUPPORTED);
	if (!run->saves_fp)
		return add_switch(run, part->start, UNWIND_SWITCH_PAST);
	if (part->frame_bytes == 0)
		return add_by_size(run, part->start, 0, false);
	if (run->is_aarch64)
		return add_switch(run, part->start, UNWIND_SWITCH);
	before = prologue_size(run, part, &saves);
	after = epilogue_size(run, part);
	if (before + after >= part->end - part->start)
		return add_by_size(run, part->start, part->frame_bytes, false);
	rc = before ? add_by_size(run, part->start, part->frame_bytes, false) : 0;
	if (rc == 0)
		rc = add_switch(run, part->start + before, UNWIND_SWITCH);
	if (rc == 0 && after)
		rc = add_by_size(run, part->end - after, part->frame_bytes, false);
	return rc;
}

static int add_part(const struct run *run, const struct go_frame_part *part)
{
	if (part->frame_bytes < 0 || part->frame_bytes % 8 != 0)
		return add(run, part->start, UNWIND_UNSUPPORTED);
	switch (run->way) {
	case WAY_LEAVES:
		if (part->frame_bytes > 0 && part->frame_bytes == run->largest_frame_bytes)
			return add(run, part->start, UNWIND_END);
		return add_by_size(run, part->start, part->frame_bytes, run->saves_fp);
	case WAY_SWITCHES:
		return add_switching(run, part);
	default:
		return add_by_size(run, part->start, part->frame_bytes, run->saves_fp);
	}
}

/* ---- a function ---- */

/*
 * Finds the first frame size, the largest one, and whether the function saves fp. Whether a
 * function that was written in assembly saves fp is decided by its code.
 */
static void look_ahead(struct run *run)
{
	struct go_function function = *run->function;
	struct go_frame_part part = { 0 };

	run->saves_fp = !function.is_assembly && run->way == WAY_PLAIN;
	while (go_function_part(&function, &part) > 0) {
		if (part.frame_bytes > run->largest_frame_bytes)
			run->largest_frame_bytes = part.frame_bytes;
		if (run->first_frame_bytes || part.frame_bytes <= 0)
			continue;
		run->first_frame_bytes = part.frame_bytes;
		if (run->is_aarch64)
			run->saves_fp = true;
		else if (!run->saves_fp)
			(void)prologue_size(run, &part, &run->saves_fp);
	}
}

/* Adds the rules by the frame sizes, and sets *@ret_end to the offset at which they end. */
static int add_parts(struct run *run, uint64_t *ret_end)
{
	struct go_function function = *run->function;
	struct go_frame_part part = { 0 };
	int rc;

	look_ahead(run);
	while ((rc = go_function_part(&function, &part)) > 0) {
		rc = add_part(run, &part);
		if (rc != 0)
			return rc;
	}
	*ret_end = part.end;
	return rc;
}

int go_frames_run(const struct go_frames *frames, struct go_function *function, cfi_rule_fn rule,
		  void *context, uint64_t *ret_start_vaddr, uint64_t *ret_size_bytes)
{
	struct run run = {
		.frames = frames,
		.function = function,
		.is_aarch64 = frames->file->machine == EM_AARCH64,
		.rule = rule,
		.context = context,
	};

	*ret_start_vaddr = function->start_vaddr;
	*ret_size_bytes = function->frames.failed ? 0 : function->size_bytes;
	if (*ret_size_bytes == 0)
		return 0;
	run.way = way_of(function, run.is_aarch64);
	switch (run.way) {
	case WAY_OUTERMOST:
		return add(&run, 0, UNWIND_END);
	case WAY_UNKNOWN:
		return add(&run, 0, UNWIND_UNSUPPORTED);
	case WAY_SIGNAL_RETURN:
		/* the kernel's "return address" is the first byte, and is looked up minus 1 */
		--*ret_start_vaddr;
		++*ret_size_bytes;
		return add_signal_return(&run);
	default:
		return add_parts(&run, ret_size_bytes);
	}
}
