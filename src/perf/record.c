/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "base/byte_reader.h"

/*
 * Fields of sample_type that also appear in the trailer of records other than samples (see
 * sample_id_all in perf_event_open(2)).
 */
#define TRAILER_WORDS \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/*
 * In FORK records, this bit has another meaning: PERF_RECORD_MISC_FORK_EXEC. Only the perf tool
 * writes records with it.
 */
#define MISC_WAS_THERE PERF_RECORD_MISC_COMM_EXEC

static uint64_t word_if(struct byte_reader *r, bool present)
{
	return present ? byte_reader_u64(r) : 0;
}

static void read_tgid_tid(struct byte_reader *r, struct perf_record *record)
{
	record->tgid = byte_reader_u32(r);
	record->tid = byte_reader_u32(r);
}

static void read_cpu(struct byte_reader *r, struct perf_record *record)
{
	record->cpu = byte_reader_u32(r);
	byte_reader_skip(r, sizeof(uint32_t));
}

/*
 * Reads the counter values of a group. The first value, which is the leader's, is dropped, because
 * the leader is the sampled event itself.
 */
static void read_group(struct byte_reader *r, uint64_t format, struct record_sample *sample)
{
	uint64_t count = byte_reader_u64(r);
	uint64_t per_member = format & (PERF_FORMAT_ID | PERF_FORMAT_LOST);
	size_t rest = 8 * (size_t)__builtin_popcountll(per_member);

	(void)word_if(r, format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	(void)word_if(r, format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	for (uint64_t i = 0; i < count && !r->failed; i++) {
		uint64_t value = byte_reader_u64(r);

		byte_reader_skip(r, rest);
		if (i > 0 && i <= RECORD_COUNTERS_MAX)
			sample->counters[sample->counter_count++] = value;
	}
}

static void read_values(struct byte_reader *r, uint64_t format, struct record_sample *sample)
{
	sample->counter_count = 0;
	if (format & PERF_FORMAT_GROUP) {
		read_group(r, format, sample);
		return;
	}
	(void)byte_reader_u64(r);
	(void)word_if(r, format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	(void)word_if(r, format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	(void)word_if(r, format & PERF_FORMAT_ID);
	(void)word_if(r, format & PERF_FORMAT_LOST);
}

static void read_chain(struct byte_reader *r, struct record_sample *sample)
{
	uint64_t count = byte_reader_u64(r);

	if (count > byte_reader_left(r) / sizeof(uint64_t)) {
		r->failed = true;
		return;
	}
	sample->chain_count = (size_t)count;
	sample->chain = byte_reader_bytes(r, sample->chain_count * sizeof(uint64_t));
}

static void read_regs(struct byte_reader *r, uint64_t mask, struct record_sample *sample)
{
	uint64_t abi = byte_reader_u64(r);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	sample->regs_bits = abi == PERF_SAMPLE_REGS_ABI_64 ? 64 : 32;
	sample->reg_count = (size_t)__builtin_popcountll(mask);
	sample->regs = byte_reader_bytes(r, sample->reg_count * sizeof(uint64_t));
}

/*
 * Reads the copied stack. The kernel always writes as many bytes as were requested, followed by the
 * number of bytes that are valid.
 */
static void read_stack(struct byte_reader *r, struct record_sample *sample)
{
	uint64_t size_bytes = byte_reader_u64(r), used_bytes;
	const void *bytes;

	if (size_bytes == 0)
		return;
	bytes = byte_reader_bytes(r, size_bytes);
	used_bytes = byte_reader_u64(r);
	if (!bytes || used_bytes > size_bytes) {
		r->failed = true;
		return;
	}
	sample->stack = bytes;
	sample->stack_bytes = (size_t)used_bytes;
	sample->stack_is_cut = used_bytes == size_bytes;
}

static void skip_raw(struct byte_reader *r)
{
	byte_reader_skip(r, byte_reader_u32(r));
}

/*
 * Reads the branch stack. Since Linux 6.8, the kernel can append an array with one word of counters
 * for each branch.
 */
static void read_branches(struct byte_reader *r, uint64_t branches, struct record_sample *sample)
{
	const size_t entry_bytes = sizeof(struct perf_branch_entry);
	const size_t counter_bytes = branches & RECORD_BRANCH_COUNTERS ? sizeof(uint64_t) : 0;
	uint64_t count = byte_reader_u64(r);

	if (branches & PERF_SAMPLE_BRANCH_HW_INDEX)
		byte_reader_skip(r, sizeof(uint64_t));
	if (count > byte_reader_left(r) / (entry_bytes + counter_bytes)) {
		r->failed = true;
		return;
	}
	sample->calls = byte_reader_bytes(r, (size_t)count * entry_bytes);
	sample->call_count = branches & PERF_SAMPLE_BRANCH_CALL_STACK ? (size_t)count : 0;
	byte_reader_skip(r, (size_t)count * counter_bytes);
}

/* Of a structure (union perf_sample_weight), the first field is the latency on all machines. */
static uint64_t read_weight(struct byte_reader *r, uint64_t type)
{
	uint64_t weight = word_if(r, type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT));

	return type & PERF_SAMPLE_WEIGHT_STRUCT ? (uint32_t)weight : weight;
}

/* Reads a sample. Stops after the data source, because the fields after it are not needed. */
static void read_sample(struct byte_reader *r, const struct record_layout *layout,
			struct perf_record *record)
{
	uint64_t type = layout->sample_type;
	struct record_sample *sample = &record->sample;

	record->kind = RECORD_SAMPLE;
	record->id = word_if(r, type & PERF_SAMPLE_IDENTIFIER);
	sample->addr = word_if(r, type & PERF_SAMPLE_IP);
	if (type & PERF_SAMPLE_TID)
		read_tgid_tid(r, record);
	record->time_ns = word_if(r, type & PERF_SAMPLE_TIME);
	sample->fields[FIELD_DATA_ADDRESS] = word_if(r, type & PERF_SAMPLE_ADDR);
	if (type & PERF_SAMPLE_ID)
		record->id = byte_reader_u64(r);
	(void)word_if(r, type & PERF_SAMPLE_STREAM_ID);
	if (type & PERF_SAMPLE_CPU)
		read_cpu(r, record);
	sample->period = word_if(r, type & PERF_SAMPLE_PERIOD);
	if (type & PERF_SAMPLE_READ)
		read_values(r, layout->read_format, sample);
	if (type & PERF_SAMPLE_CALLCHAIN)
		read_chain(r, sample);
	if (type & PERF_SAMPLE_RAW)
		skip_raw(r);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		read_branches(r, layout->branches, sample);
	if (type & PERF_SAMPLE_REGS_USER)
		read_regs(r, layout->regs_user, sample);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(r, sample);
	sample->fields[FIELD_LATENCY] = read_weight(r, type);
	sample->fields[FIELD_DATA_SOURCE] = word_if(r, type & PERF_SAMPLE_DATA_SRC);
}

/*
 * While any program on the machine requests build-ids, some kernels (such as 6.18) also set the
 * build-id flag in the records of programs that did not request them. Those records nevertheless
 * contain device and inode numbers. So if we did not request build-ids, the flag is believed only
 * if the first byte of the field is a valid size of a build-id. The first byte of a device number
 * is unlikely to have such a value. Records that the perf tool writes itself do contain a build-id.
 */
bool record_has_build_id(const struct perf_event_header *header, uint8_t first_byte,
			 const struct record_layout *layout)
{
	if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return false;
	return !layout->no_build_ids || first_byte == 16 || first_byte == BUILD_ID_MAX;
}

static uint8_t next_byte(struct byte_reader r)
{
	return byte_reader_u8(&r);
}

static void read_build_id(struct byte_reader *r, struct record_mmap *mmap)
{
	mmap->build_id_size = byte_reader_u8(r);
	byte_reader_skip(r, 3);
	if (mmap->build_id_size > BUILD_ID_MAX) {
		r->failed = true;
		return;
	}
	if (byte_reader_has(r, BUILD_ID_MAX))
		memcpy(mmap->build_id, byte_reader_bytes(r, BUILD_ID_MAX), BUILD_ID_MAX);
}

static void read_file_identity(struct byte_reader *r, struct record_mmap *mmap)
{
	uint32_t major = byte_reader_u32(r);
	uint32_t minor = byte_reader_u32(r);

	mmap->dev = makedev(major, minor);
	mmap->inode = byte_reader_u64(r);
	mmap->inode_generation = byte_reader_u64(r);
}

static void read_mmap(struct byte_reader *r, const struct perf_event_header *header,
		      const struct record_layout *layout, struct perf_record *record)
{
	struct record_mmap *mmap = &record->mmap;
	bool executable = !(header->misc & PERF_RECORD_MISC_MMAP_DATA);

	*mmap = (struct record_mmap){ 0 };
	read_tgid_tid(r, record);
	mmap->start_addr = byte_reader_u64(r);
	mmap->size_bytes = byte_reader_u64(r);
	mmap->offset = byte_reader_u64(r);
	if (header->type == PERF_RECORD_MMAP2) {
		if (record_has_build_id(header, next_byte(*r), layout))
			read_build_id(r, mmap);
		else
			read_file_identity(r, mmap);
		executable = executable && (byte_reader_u32(r) & PROT_EXEC);
		byte_reader_skip(r, sizeof(uint32_t)); /* flags */
	}
	mmap->path = byte_reader_string(r, NULL);
	record->kind = executable ? RECORD_MMAP : RECORD_OTHER;
}

static void read_comm(struct byte_reader *r, const struct perf_event_header *header,
		      struct perf_record *record)
{
	record->kind = RECORD_COMM;
	record->exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
	read_tgid_tid(r, record);
	record->comm.name = byte_reader_string(r, NULL);
}

static void read_task(struct byte_reader *r, const struct perf_event_header *header,
		      struct perf_record *record)
{
	record->kind = header->type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
	record->was_there = header->misc & MISC_WAS_THERE;
	record->tgid = byte_reader_u32(r);
	record->parent_tgid = byte_reader_u32(r);
	record->tid = byte_reader_u32(r);
	record->parent_tid = byte_reader_u32(r);
	record->time_ns = byte_reader_u64(r);
}

static void read_lost(struct byte_reader *r, const struct perf_event_header *header,
		      struct perf_record *record)
{
	record->kind = RECORD_LOST;
	record->lost.samples = header->type == PERF_RECORD_LOST_SAMPLES;
	if (!record->lost.samples)
		record->id = byte_reader_u64(r);
	record->lost.count = byte_reader_u64(r);
}

static void read_throttle(struct byte_reader *r, const struct perf_event_header *header,
			  struct perf_record *record)
{
	record->kind = header->type == PERF_RECORD_THROTTLE ? RECORD_THROTTLE : RECORD_UNTHROTTLE;
	record->time_ns = byte_reader_u64(r);
	record->id = byte_reader_u64(r);
	byte_reader_skip(r, sizeof(uint64_t)); /* stream id */
}

static void read_ksymbol(struct byte_reader *r, struct perf_record *record)
{
	record->kind = RECORD_KSYMBOL;
	record->ksymbol.addr = byte_reader_u64(r);
	record->ksymbol.size_bytes = byte_reader_u32(r);
	record->ksymbol.bpf = byte_reader_u16(r) == PERF_RECORD_KSYMBOL_TYPE_BPF;
	record->ksymbol.gone = byte_reader_u16(r) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	record->ksymbol.name = byte_reader_string(r, NULL);
}

static void read_body(struct byte_reader *r, const struct perf_event_header *header,
		      const struct record_layout *layout, struct perf_record *record)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		read_mmap(r, header, layout, record);
		break;
	case PERF_RECORD_COMM:
		read_comm(r, header, record);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		read_task(r, header, record);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		read_lost(r, header, record);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		read_throttle(r, header, record);
		break;
	case PERF_RECORD_KSYMBOL:
		read_ksymbol(r, record);
		break;
	default:
		break;
	}
}

/*
 * Reads the trailer, for the fields that are missing in the body. The ids in the trailer belong to
 * the task that was running when the record was written, so they are used only if the body contains
 * no ids. (The body of a FORK record contains the child's ids, but its trailer contains those of
 * the forking thread.)
 */
static void read_trailer(struct byte_reader *r, uint64_t type, struct perf_record *record)
{
	bool names_task = record->tgid || record->tid;
	uint64_t time_ns;

	if (type & PERF_SAMPLE_TID && names_task)
		byte_reader_skip(r, sizeof(uint64_t));
	else if (type & PERF_SAMPLE_TID)
		read_tgid_tid(r, record);
	time_ns = word_if(r, type & PERF_SAMPLE_TIME);
	if (time_ns)
		record->time_ns = time_ns;
	if (type & PERF_SAMPLE_ID)
		record->id = byte_reader_u64(r);
	(void)word_if(r, type & PERF_SAMPLE_STREAM_ID);
	if (type & PERF_SAMPLE_CPU)
		read_cpu(r, record);
	if (type & PERF_SAMPLE_IDENTIFIER)
		record->id = byte_reader_u64(r);
}

static size_t trailer_bytes(const struct record_layout *layout)
{
	if (!layout->sample_id_all)
		return 0;
	return 8 * (size_t)__builtin_popcountll(layout->sample_type & TRAILER_WORDS);
}

/* What KSYMBOL and BPF_EVENT records have before the name, or before the trailer. */
#define KERNEL_CODE_BYTES 24u

/*
 * Returns where the trailer begins: at the end of the record, except in records of kernel code. For
 * these, Linux raises the size with each event that gets the record, and does not lower it again
 * (kernel/events/core.c: perf_event_ksymbol_output(), perf_event_bpf_output()). So if several tools
 * listen, the trailer is behind the content, and behind the trailer is what the ring had before.
 */
static size_t trailer_at(const struct byte_reader *r, const struct perf_event_header *header,
			 size_t trailer_size)
{
	size_t end = r->size_bytes - trailer_size, at = KERNEL_CODE_BYTES;

	if ((header->type != PERF_RECORD_KSYMBOL && header->type != PERF_RECORD_BPF_EVENT) ||
	    end < at)
		return end;
	if (header->type == PERF_RECORD_KSYMBOL)
		at += (strnlen((const char *)r->bytes + at, end - at) + 8) / 8 * 8;
	return at < end ? at : end;
}

/*
 * Reads a record other than a sample. Separates the trailer from the body first, so that a
 * malformed body cannot make the decoder read the trailer as part of the body.
 */
static void read_sideband(struct byte_reader *r, const struct perf_event_header *header,
			  const struct record_layout *layout, struct perf_record *record)
{
	size_t trailer_size = trailer_bytes(layout);
	struct byte_reader body, trailer;

	if (!byte_reader_has(r, trailer_size))
		return;
	body = byte_reader_of(r->bytes, trailer_at(r, header, trailer_size));
	body.at = r->at;
	trailer = byte_reader_of(r->bytes + body.size_bytes, trailer_size);
	read_body(&body, header, layout, record);
	if (trailer_size)
		read_trailer(&trailer, layout->sample_type, record);
	r->failed = body.failed || trailer.failed;
}

/*
 * Points *ret_r to the first byte after the header of the record. Returns -EINVAL if the record is
 * not complete.
 */
static int open_record(const void *bytes, size_t size_bytes, struct perf_event_header *ret_header,
		       struct byte_reader *ret_r)
{
	if (size_bytes < sizeof(*ret_header))
		return -EINVAL;
	memcpy(ret_header, bytes, sizeof(*ret_header));
	if (ret_header->size < sizeof(*ret_header) || ret_header->size > size_bytes)
		return -EINVAL;
	*ret_r = byte_reader_of(bytes, ret_header->size);
	ret_r->at = sizeof(*ret_header);
	return 0;
}

int record_decode(const void *bytes, size_t size_bytes, const struct record_layout *layout,
		  struct perf_record *ret_record)
{
	struct perf_event_header header;
	struct byte_reader r;

	if (open_record(bytes, size_bytes, &header, &r) < 0)
		return -EINVAL;
	*ret_record = (struct perf_record){ .kind = RECORD_OTHER, .cpu = UINT32_MAX };
	ret_record->kernel_mode = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
				  PERF_RECORD_MISC_KERNEL;
	if (header.type == PERF_RECORD_SAMPLE)
		read_sample(&r, layout, ret_record);
	else
		read_sideband(&r, &header, layout, ret_record);
	return r.failed ? -EINVAL : 0;
}

int record_sample_time(const void *bytes, size_t size_bytes, const struct record_layout *layout,
		       uint64_t *ret_time_ns)
{
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	struct perf_event_header header;
	struct byte_reader r;

	if (open_record(bytes, size_bytes, &header, &r) < 0)
		return -EINVAL;
	byte_reader_skip(&r, 8 * (size_t)__builtin_popcountll(layout->sample_type & before));
	*ret_time_ns = word_if(&r, layout->sample_type & PERF_SAMPLE_TIME);
	return r.failed ? -EINVAL : 0;
}
