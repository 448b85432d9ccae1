/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/wire_record.h"

#include <errno.h>
#include <string.h>

#include "base/byte_reader.h"
#include "unwind/rule.h"

/* Copies the next @size_bytes bytes to @ret. If fewer bytes are left, fills @ret with zeros. */
static void take_bytes(struct byte_reader *r, void *ret, size_t size_bytes)
{
	const void *bytes = byte_reader_bytes(r, size_bytes);

	memset(ret, 0, size_bytes);
	if (bytes)
		memcpy(ret, bytes, size_bytes);
}

static const uint64_t *take_addrs(struct byte_reader *r, size_t count, size_t most)
{
	if (count > most)
		r->failed = true;
	return byte_reader_bytes(r, count * sizeof(uint64_t));
}

static void decode_stack(struct byte_reader *r, struct wire_record *record)
{
	struct wire_stack *stack = &record->stack;

	take_bytes(r, stack, sizeof(*stack));
	record->kernel = take_addrs(r, stack->kernel_count, WIRE_KERNEL_FRAMES_MAX);
	record->user = take_addrs(r, stack->user_count, WIRE_USER_FRAMES_MAX);
	if (stack->stop >= UNWIND_STOP_COUNT || stack->stack == 0)
		r->failed = true;
}

static void decode_raw(struct byte_reader *r, struct wire_record *record)
{
	struct wire_raw *raw = &record->raw;

	take_bytes(r, raw, sizeof(*raw));
	record->kernel = take_addrs(r, raw->kernel_count, WIRE_KERNEL_FRAMES_MAX);
	record->bytes = byte_reader_bytes(r, raw->size_bytes);
	if (raw->size_bytes > WIRE_RAW_BYTES ||
	    (raw->sample.stack != 0) != (raw->sample.event == WIRE_EVENT_WAITS))
		r->failed = true;
}

static void decode_wait(struct byte_reader *r, struct wire_record *record)
{
	struct wire_wait *wait = &record->wait;

	take_bytes(r, wait, sizeof(*wait));
	if (wait->flags & WIRE_WAIT_WAKER)
		take_bytes(r, &record->waker, sizeof(record->waker));
	if (wait->count == 0 && !(wait->flags & WIRE_WAIT_SHORT))
		r->failed = true;
}

/* Every record begins with these two members. */
struct wire_head {
	uint64_t time_ns;
	uint8_t kind;
};

int wire_record_decode(const void *bytes, size_t size_bytes, struct wire_record *ret_record)
{
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	struct wire_record record = { 0 };
	struct wire_head head;

	if (size_bytes < sizeof(head))
		return -EINVAL;
	memcpy(&head, bytes, sizeof(head));
	record.kind = head.kind;
	record.time_ns = head.time_ns;
	if (head.kind == WIRE_SAMPLE)
		take_bytes(&r, &record.sample, sizeof(record.sample));
	else if (head.kind == WIRE_STACK)
		decode_stack(&r, &record);
	else if (head.kind == WIRE_RAW)
		decode_raw(&r, &record);
	else if (head.kind == WIRE_WAIT)
		decode_wait(&r, &record);
	else if (head.kind == WIRE_SPAN)
		take_bytes(&r, &record.span, sizeof(record.span));
	if (r.failed || r.at == 0 || byte_reader_left(&r) > 0)
		return -EINVAL;
	*ret_record = record;
	return 0;
}

/* ---- translation to struct perf_record ---- */

static void translate_sample(const struct wire_sample *sample, struct perf_record *record)
{
	record->kind = RECORD_SAMPLE;
	record->tgid = sample->tgid;
	record->tid = sample->tid;
	record->id = sample->event;
	record->kernel_mode = sample->flags & WIRE_IN_KERNEL;
	record->sample.addr = sample->ip;
	record->sample.period = sample->period;
	record->sample.by_sampler = true;
	record->sample.has_user = sample->flags & WIRE_HAS_USER;
	record->sample.regs_bits = sample->flags & WIRE_32BIT ? 32 : 64;
	record->sample.walk_hash = sample->stack;
}

static struct record_owner owner_of(const struct wire_owner *owner)
{
	struct record_owner record = {
		.cgroup_id = owner->cgroup_id,
		.uid = owner->uid,
		.in_namespace = owner->in_namespace,
		.start_ns = owner->start_ns,
		.start_boot_ns = owner->start_boot_ns,
		.start_code = owner->start_code,
		.start_stack = owner->start_stack,
	};

	memcpy(record.comm, owner->comm, sizeof(record.comm) - 1);
	return record;
}

static void translate_raw(const struct wire_record *wire, struct perf_record *record)
{
	const struct wire_raw *raw = &wire->raw;
	struct record_sample *sample = &record->sample;

	translate_sample(&raw->sample, record);
	sample->copy_hash = raw->sample.stack;
	sample->walk_hash = 0;
	sample->life = raw->life;
	sample->code_pages = raw->code_pages;
	sample->owner = owner_of(&raw->owner);
	sample->user_regs = (struct unwind_regs){
		.ip = raw->user_ip,
		.sp = raw->user_sp,
		.fp = raw->user_fp,
		.extra = raw->user_extra,
		.kept = raw->user_kept,
		.link = raw->user_link,
		.has_extra = 1,
		.exact = raw->exact,
		.is_new = raw->is_new,
		.is_32bit = sample->regs_bits == 32,
	};
	sample->kernel = wire->kernel;
	sample->kernel_count = raw->kernel_count;
	sample->stack = wire->bytes;
	sample->stack_addr = raw->stack_addr;
	sample->stack_bytes = raw->size_bytes;
	sample->stack_is_cut = raw->is_cut;
}

static void translate_stack(const struct wire_record *wire, struct perf_record *record)
{
	record->kind = RECORD_STACK;
	record->tgid = wire->stack.tgid;
	record->tid = wire->stack.tid;
	record->stack = (struct record_stack){
		.hash = wire->stack.stack,
		.stop = wire->stack.stop,
		.kernel = wire->kernel,
		.user = wire->user,
		.kernel_count = wire->stack.kernel_count,
		.user_count = wire->stack.user_count,
		.life = wire->stack.life,
		.owner = owner_of(&wire->stack.owner),
	};
}

static void translate_wait(const struct wire_record *wire, struct perf_record *record)
{
	record->kind = RECORD_WAIT;
	record->tgid = wire->wait.tgid;
	record->tid = wire->wait.tid;
	record->wait = (struct record_wait){ wire->wait, wire->waker };
}

static void translate_span(const struct wire_record *wire, struct perf_record *record)
{
	record->kind = RECORD_SPAN;
	record->cpu = wire->span.cpu;
	record->tgid = wire->span.tgid;
	record->tid = wire->span.tid;
	record->span = wire->span;
}

void wire_record_translate(const struct wire_record *wire, uint32_t cpu,
			   struct perf_record *ret_record)
{
	*ret_record = (struct perf_record){ .time_ns = wire->time_ns, .cpu = cpu };
	if (wire->kind == WIRE_SAMPLE)
		translate_sample(&wire->sample, ret_record);
	else if (wire->kind == WIRE_RAW)
		translate_raw(wire, ret_record);
	else if (wire->kind == WIRE_WAIT)
		translate_wait(wire, ret_record);
	else if (wire->kind == WIRE_SPAN)
		translate_span(wire, ret_record);
	else
		translate_stack(wire, ret_record);
}

static const char *const reason_names[WIRE_REASON_COUNT] = {
#define ENDS(name, text) [WIRE_END_##name] = text,
#define LACKS(name, text) [WIRE_LACK_##name] = text,
#include "bpf/reasons.def"
#undef ENDS
#undef LACKS
};

const char *wire_reason_name(enum wire_reason reason)
{
	return reason_names[reason];
}
