/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/clock.h"
#include "process/kernel_text.h"
#include "import/branch_chain.h"
#include "import/perf_data-private.h"

#if defined(__x86_64__)
#define OWN_ARCH "x86_64"
#elif defined(__aarch64__)
#define OWN_ARCH "aarch64"
#endif

/* ---- events ---- */

static bool is_sampled(const struct perf_event *event)
{
	bool is_dummy = event->attr.type == PERF_TYPE_SOFTWARE &&
			event->attr.config == PERF_COUNT_SW_DUMMY;

	return event->attr.sample_period && !is_dummy;
}

static int add_model_event(struct model *model, const struct perf_event *event, bool is_counter)
{
	struct event *slot = vec_push(&model->events);
	char name[EVENT_NAME_MAX];

	if (!slot)
		return -ENOMEM;
	perf_event_name(event, name);
	slot->name = model_intern(model, name);
	slot->type = event->attr.type;
	slot->config = event->attr.config;
	slot->period = event->attr.freq ? 0 : event->attr.sample_period;
	slot->frequency_hz = event->attr.freq ? event->attr.sample_freq : 0;
	slot->is_time = perf_event_is_time(event);
	if (slot->is_time && slot->frequency_hz && slot->frequency_hz <= NS_PER_SEC)
		slot->period = NS_PER_SEC / slot->frequency_hz;
	slot->is_counter = is_counter;
	return 0;
}

/*
 * Adds the sampled events. intake_event.has_ticks stays false, because a file does not say whether
 * its clocks took samples at regular intervals.
 */
static int add_sampled(struct perf_data *data)
{
	struct perf_session *session = &data->session;
	int rc = vec_reserve(&session->model_events, data->events.events.count);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < data->events.events.count; i++) {
		const struct perf_event *event = &data->events.events.at[i];
		uint32_t *slot = vec_push(&session->model_events);
		struct intake_event *intake_event;

		*slot = PERF_NO_EVENT;
		if (!is_sampled(event) || session->intake.events.count == SAMPLED_EVENTS_MAX)
			continue;
		*slot = (uint32_t)session->intake.events.count;
		intake_event = vec_push(&session->intake.events);
		if (!intake_event)
			return -ENOMEM;
		*intake_event = (struct intake_event){ .period = event->attr.sample_period };
		rc = add_model_event(data->import->model, event, false);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Adds the counters: the members of an event group that do not take samples themselves. A sample
 * contains the values of the counters in the order of the group. The file does not say to which
 * group a counter belongs. So counters are added only if there is a single sampled event, and
 * therefore a single group.
 */
static int add_counters(struct perf_data *data)
{
	struct intake *intake = &data->session.intake;
	size_t reader_count = 0, member_count = 0;

	for (size_t i = 0; i < data->events.events.count; i++) {
		const struct perf_event *event = &data->events.events.at[i];

		reader_count += event->attr.sample_period &&
				event->layout.sample_type & PERF_SAMPLE_READ;
		member_count += !event->attr.sample_period;
	}
	if (reader_count && (intake->events.count != 1 || member_count > RECORD_COUNTERS_MAX))
		import_lacks(data->import, LACK_COUNTERS);
	else if (reader_count)
		intake->counter_count = member_count;
	for (size_t i = 0; intake->counter_count && i < data->events.events.count; i++) {
		const struct perf_event *event = &data->events.events.at[i];
		int rc;

		if (event->attr.sample_period)
			continue;
		rc = add_model_event(data->import->model, event, true);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Adds the fields of samples that any sampled event has. */
static int add_fields(struct perf_data *data)
{
	static const uint64_t bits[FIELD_COUNT] = {
		[FIELD_DATA_ADDRESS] = PERF_SAMPLE_ADDR,
		[FIELD_DATA_SOURCE] = PERF_SAMPLE_DATA_SRC,
		[FIELD_LATENCY] = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT,
	};
	struct intake *intake = &data->session.intake;
	uint64_t types = 0;

	for (size_t i = 0; i < data->events.events.count; i++)
		if (is_sampled(&data->events.events.at[i]))
			types |= data->events.events.at[i].layout.sample_type;
	if (intake->counter_count + FIELD_COUNT > RECORD_COUNTERS_MAX)
		return 0;
	for (uint8_t field = 0; field < FIELD_COUNT; field++) {
		if (!(types & bits[field]))
			continue;
		intake->fields[intake->field_count++] = field;
		if (sample_field_add(data->import->model, (enum sample_field)field) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void tell_what_lacks(struct perf_data *data)
{
	struct import *import = data->import;
	bool callers = false, weights = true;

	for (size_t i = 0; i < data->events.events.count; i++) {
		const struct perf_event *event = &data->events.events.at[i];

		if (!is_sampled(event))
			continue;
		callers |= (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
		weights &= !event->attr.freq || event->attr.sample_type & PERF_SAMPLE_PERIOD;
	}
	if (!callers)
		import_lacks(import, LACK_CALLERS);
	if (!weights)
		import_lacks(import, LACK_WEIGHT);
	import_lacks(import, LACK_LATENESS);
	import_lacks(import, LACK_LEDGER);
	import_lacks(import, LACK_OWNERS);
}

/* ---- the stages of capture ---- */

/*
 * Returns true if perf knew that the kernel marks the COMM records of execs. Linux 3.16 was the
 * first one that does so.
 */
static bool tells_execs(const struct perf_data *data)
{
	for (size_t i = 0; i < data->events.events.count; i++)
		if (data->events.events.at[i].attr.comm_exec)
			return true;
	return false;
}

static int make_stages(struct perf_data *data)
{
	const struct tracker_options options = {
		.all_are_targets = true,
		.guess_execs = !tells_execs(data),
	};
	struct perf_session *session = &data->session;
	struct model *model = data->import->model;
	int rc = pins_new(model, NULL, &session->pins);

	if (rc < 0)
		return rc;
	rc = image_tables_new(session->pins, data->import->options.readers,
			      data->import->options.cache_dir, 0, &session->tables);
	if (rc < 0)
		return rc;
	rc = tracker_new(model, session->pins, &options, &session->tracker);
	if (rc < 0)
		return rc;
	rc = kernel_images_new_elsewhere(model, &session->kernel_images);
	if (rc < 0)
		return rc;
	rc = chains_new(model, session->tracker, session->kernel_images, &session->chains);
	if (rc < 0)
		return rc;
	session->walker = (struct stack_walker){
		.tracker = session->tracker,
		.tables = session->tables,
	};
	session->intake = (struct intake){
		.model = model,
		.tracker = session->tracker,
		.chains = session->chains,
		.kernel_images = session->kernel_images,
		.kernel_text = &session->kernel_text,
		.ids = &session->ids,
	};
	return 0;
}

/*
 * Called for the first record of a type that the kernel defines. By then, the records that describe
 * the events have been read.
 */
static int begin(struct perf_data *data)
{
	struct perf_session *session = &data->session;
	const char *arch = data->features.arch;
	int rc;

	session->begun = true;
	session->can_walk = !data->events.swapped && (!arch[0] || strcmp(arch, OWN_ARCH) == 0);
	rc = make_stages(data);
	if (rc < 0)
		return rc;
	rc = add_sampled(data);
	if (rc < 0)
		return rc;
	rc = add_counters(data);
	if (rc == 0)
		rc = add_fields(data);
	if (rc < 0)
		return rc;
	tell_what_lacks(data);
	return 0;
}

void perf_session_fini(struct perf_session *session)
{
	intake_fini(&session->intake);
	chains_free(session->chains);
	image_tables_free(session->tables);
	kernel_text_fini(&session->kernel_text);
	kernel_images_free(session->kernel_images);
	tracker_free(session->tracker);
	pins_free(session->pins);
	u64map_fini(&session->ids);
	vec_free(&session->model_events);
}

/* ---- samples ---- */

/* Selects the copied registers that a stack walk needs. Returns false if any of them is missing. */
static bool choose_registers(struct record_sample *sample, uint64_t copied,
			     uint64_t ret_values[static PERF_REGS_MAX])
{
	uint64_t wanted = stack_walk_registers();
	size_t count = 0, index = 0;

	if (!sample->regs || (copied & wanted) != wanted)
		return false;
	for (int bit = 0; bit < PERF_REGS_MAX; bit++) {
		if (!(copied >> bit & 1))
			continue;
		if (wanted >> bit & 1)
			memcpy(&ret_values[count++], (const char *)sample->regs + index * 8, 8);
		index++;
	}
	sample->regs = ret_values;
	sample->reg_count = count;
	return true;
}

static void note_times(struct import *import, uint64_t time_ns)
{
	if (time_ns == 0)
		import_lacks(import, LACK_TIME);
	else if (import->first_ns == 0)
		import->first_ns = time_ns;
	if (time_ns > import->last_ns)
		import->last_ns = time_ns;
}

static uint32_t cpu_of(struct import *import, const struct perf_record *record)
{
	if (record->cpu <= UINT16_MAX)
		return record->cpu;
	import_lacks(import, LACK_CPU);
	return 0;
}

/*
 * Decides whether to unwind the copied user stack of a sample. Returns false if the event copies no
 * stacks or if the copied stack cannot be unwound.
 */
static bool prepare_walk(struct perf_data *data, const struct record_layout *layout,
			 struct record_sample *sample, uint64_t *values)
{
	struct perf_session *session = &data->session;
	bool copied = layout->sample_type & PERF_SAMPLE_STACK_USER;
	bool walkable = copied && session->can_walk;

	if (walkable && sample->regs)
		walkable = choose_registers(sample, layout->regs_user, values);
	if (copied && !walkable)
		import_lacks(data->import, LACK_STACK_COPIES);
	chains_walk_stacks(session->chains, walkable ? &session->walker : NULL);
	session->intake.want_user_stack = copied ? walkable
						 : layout->sample_type & PERF_SAMPLE_CALLCHAIN;
	return walkable;
}

/*
 * Maps the record's event id to @model_event. If the file has only one event, its records may
 * contain no id or an arbitrary one. Such an id is replaced with 0. (The id also identifies the
 * counter values of the previous sample.)
 */
static int map_id(struct perf_data *data, uint32_t model_event, struct perf_record *record)
{
	struct perf_session *session = &data->session;
	uint32_t known;

	if (!perf_events_get(&data->events, record->id))
		record->id = 0;
	if (u64map_get(&session->ids, record->id, &known))
		return 0;
	return u64map_put(&session->ids, record->id, model_event);
}

static int take_sample(struct perf_data *data, const struct queued_record *queued,
		       struct perf_record *record)
{
	const struct perf_event *event = &data->events.events.at[queued->event];
	struct perf_session *session = &data->session;
	struct import *import = data->import;
	struct intake_source source = { 0 };
	uint64_t values[PERF_REGS_MAX], chain[BRANCH_CHAIN_MAX];
	int rc;

	if (queued->event >= session->model_events.count ||
	    session->model_events.at[queued->event] == PERF_NO_EVENT) {
		loss_add(&import->model->losses, LOSS_EVENT_UNKNOWN, 1);
		return 0;
	}
	branch_chain_join(&record->sample, chain);
	(void)prepare_walk(data, &event->layout, &record->sample, values);
	note_times(import, record->time_ns);
	if (record->kernel_mode && !session->kernel_text.ranges.count)
		import_lacks(import, LACK_ENTRY);
	source.cpu = cpu_of(import, record);
	rc = map_id(data, session->model_events.at[queued->event], record);
	if (rc < 0)
		return rc;
	rc = intake_record(&session->intake, &source, record, &import->batch);
	if (rc < 0)
		return rc;
	return import_maybe_flush(import, &data->err);
}

/* ---- records ---- */

/*
 * Returns true for records of a virtual machine. Their addresses cannot be resolved without the
 * virtual machine's files.
 */
static bool is_of_guest(const struct queued_record *queued)
{
	struct perf_event_header header;
	unsigned int mode;

	memcpy(&header, queued->bytes, sizeof(header));
	mode = header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

/*
 * If a record's timestamp is earlier than the previous record's, replaces it with the previous
 * record's, because all later stages rely on time order. The change is counted as a loss, but not
 * if samples have no timestamps. In that case, only forks and exits have timestamps.
 */
static void keep_order(struct perf_data *data, const struct queued_record *queued,
		       struct perf_record *record)
{
	if (record->time_ns == 0)
		return;
	if (record->time_ns < data->session.last_ns) {
		if (queued->time_ns)
			loss_add(&data->import->model->losses, LOSS_RECORD_LATE, 1);
		record->time_ns = data->session.last_ns;
	}
	data->session.last_ns = record->time_ns;
}

/*
 * Returns false if a record could add a thread but there are already PERF_THREADS_MAX live threads.
 * No real machine has that many, so the file is invalid.
 */
static bool has_room(struct perf_data *data, const struct perf_record *record)
{
	bool adds = record->kind == RECORD_SAMPLE || record->kind == RECORD_FORK ||
		    record->kind == RECORD_COMM || record->kind == RECORD_MMAP;

	if (!adds || tracker_thread_count(data->session.tracker) < PERF_THREADS_MAX)
		return true;
	loss_add(&data->import->model->losses, LOSS_MEMORY, 1);
	return false;
}

int perf_session_take(void *context, const struct queued_record *queued)
{
	struct perf_data *data = context;
	const struct perf_event *event = &data->events.events.at[queued->event];
	struct perf_record *record = &data->session.record;

	if (!data->session.begun) {
		int rc = begin(data);

		if (rc < 0)
			return rc;
	}
	if (record_decode(queued->bytes, queued->size_bytes, &event->layout, record) < 0) {
		loss_add(&data->import->model->losses, LOSS_RECORD_MALFORMED, 1);
		return 0;
	}
	if (!record->time_ns)
		record->time_ns = queued->time_ns;
	keep_order(data, queued, record);
	if (!has_room(data, record))
		return 0;
	if (record->kind != RECORD_SAMPLE)
		return perf_task_take(data, record);
	if (is_of_guest(queued)) {
		loss_add(&data->import->model->losses, LOSS_GUEST, 1);
		return 0;
	}
	return take_sample(data, queued, record);
}

/*
 * LOST_SAMPLES records contain the kernel's total number of lost records. LOST records count a part
 * of the same losses. So only the difference is added for LOST_SAMPLES.
 */
void perf_session_end(struct perf_data *data)
{
	const struct perf_session *session = &data->session;
	struct losses *losses = &data->import->model->losses;

	loss_add(losses, LOSS_SAMPLE_RING_FULL, session->lost);
	if (session->tables)
		loss_add(losses, LOSS_READER_ENDED, image_tables_take_lost(session->tables));
	if (session->lost_samples > session->lost)
		loss_add(losses, LOSS_SAMPLE_KERNEL_DROPPED, session->lost_samples - session->lost);
}
