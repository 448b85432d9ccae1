/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes OpenTelemetry profiles (OTLP, v1development) as a file with one ProfilesData message.
 *
 * A profile is nested in two other messages, and the size of each nested message precedes its
 * content. So all content is generated twice: once to compute the sizes, and once to write it.
 * Messages are written in pieces, as message.h describes.
 */
#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "export/otlp.h"
#include "otlp.pb-c.h"

#define SAMPLE_ATTRIBUTES 4
#define TAG(field) ((field) << 3 | 2)	/* tag of a field whose content is preceded by its size */
#define FIELD_RESOURCE_PROFILES 1
#define FIELD_SCOPE_PROFILES 2
#define FIELD_PROFILES 2

static void otlp_fini(struct otlp *otlp)
{
	message_writer_fini(&otlp->writer);
	free(otlp->stack_numbers);
	vec_free(&otlp->stacks);
}

int otlp_number_stack(struct otlp *otlp, uint32_t stack, int32_t *ret_number)
{
	uint32_t *entry;

	if (!otlp->stack_numbers[stack]) {
		entry = vec_push(&otlp->stacks);
		if (!entry)
			return -ENOMEM;
		*entry = stack;
		otlp->stack_numbers[stack] = (uint32_t)otlp->stacks.count;
	}
	*ret_number = (int32_t)otlp->stack_numbers[stack];
	return 0;
}

/* ---- sizes ---- */

static uint64_t varint_bytes(uint64_t number)
{
	uint64_t bytes = 1;

	while (number >>= 7)
		bytes++;
	return bytes;
}

static void put_varint(FILE *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		(void)fputc((int)(0x80 | (number & 0x7f)), out);
	(void)fputc((int)number, out);
}

static uint64_t framed_bytes(uint64_t size_bytes)
{
	return 1 + varint_bytes(size_bytes) + size_bytes;
}

static void put_frame(FILE *out, int field, uint64_t size_bytes)
{
	(void)fputc(TAG(field), out);
	put_varint(out, size_bytes);
}

/*
 * If @size_bytes is NULL, writes @message. Otherwise only adds the size of @message to *size_bytes.
 */
static int emit(struct otlp *otlp, const ProtobufCMessage *message, uint64_t *size_bytes)
{
	if (!size_bytes)
		return message_write(&otlp->writer, message);
	*size_bytes += protobuf_c_message_get_packed_size(message);
	return 0;
}

/* ---- one profile ---- */

static int emit_sample(struct otlp *otlp, const struct hit *hit, uint64_t *size_bytes)
{
	int32_t thread = otlp_thread_attribute(hit->thread);
	int32_t attributes[SAMPLE_ATTRIBUTES] = { otlp_context_attribute(hit->context), thread,
						  thread + 1, thread + 2 };
	int64_t value = message_int64(hit->count.weight);
	Assay__Otlp__Sample sample = ASSAY__OTLP__SAMPLE__INIT, *samples[] = { &sample };
	Assay__Otlp__Profile part = ASSAY__OTLP__PROFILE__INIT;

	if (otlp_number_stack(otlp, hit->stack_class, &sample.stack_index) < 0)
		return -ENOMEM;
	sample.attribute_indices = attributes;
	sample.n_attribute_indices = SAMPLE_ATTRIBUTES;
	sample.values = &value;
	sample.n_values = 1;
	part.samples = samples;
	part.n_samples = 1;
	return emit(otlp, &part.base, size_bytes);
}

static int strindex(struct otlp *otlp, const char *text, int32_t *ret_index)
{
	int64_t number;
	int rc = message_string(&otlp->writer, text, &number);

	if (rc < 0)
		return rc;
	*ret_index = (int32_t)number;
	return 0;
}

static int emit_head(struct otlp *otlp, uint8_t event, uint64_t *size_bytes)
{
	const struct export *export = otlp->export;
	const struct model *model = export->model;
	uint64_t start_ns = model_fact_u64(model, FACT_START_NS);
	uint64_t end_ns = model_fact_u64(model, FACT_END_NS);
	Assay__Otlp__ValueType type = ASSAY__OTLP__VALUE_TYPE__INIT;
	Assay__Otlp__Profile part = ASSAY__OTLP__PROFILE__INIT;
	int32_t losses[LOSS_COUNT], count = 0;

	if (strindex(otlp, export_event_name(export, event), &type.type_strindex) < 0 ||
	    strindex(otlp, export_event_unit(export, event, "nanoseconds", "count"),
		     &type.unit_strindex) < 0)
		return -ENOMEM;
	for (int i = 0; i < LOSS_COUNT; i++)
		if (model->losses.count[i]) {
			losses[count] = (int32_t)otlp->first_loss + count;
			count++;
		}
	part.n_attribute_indices = (size_t)count;
	part.attribute_indices = losses;
	part.sample_type = &type;
	part.period_type = &type;
	part.period = event < model->events.count ? message_int64(model->events.at[event].period)
						  : 0;
	part.time_unix_nano = model_fact_u64(model, FACT_START_REALTIME_NS);
	part.duration_nano = end_ns > start_ns ? end_ns - start_ns : 0;
	return emit(otlp, &part.base, size_bytes);
}

static int emit_profile(struct otlp *otlp, const struct profile *profile, uint8_t event,
			uint64_t *size_bytes)
{
	int rc = emit_head(otlp, event, size_bytes);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < profile->hits.count; i++) {
		if (profile->hits.at[i].event != event)
			continue;
		rc = emit_sample(otlp, &profile->hits.at[i], size_bytes);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- the enclosing messages ---- */

static int emit_scope(struct otlp *otlp, uint64_t *size_bytes)
{
	char name[] = "assay", version[] = ASSAY_VERSION;
	Assay__Otlp__InstrumentationScope scope = ASSAY__OTLP__INSTRUMENTATION_SCOPE__INIT;
	Assay__Otlp__ScopeProfiles part = ASSAY__OTLP__SCOPE_PROFILES__INIT;

	scope.name = name;
	scope.version = version;
	part.scope = &scope;
	return emit(otlp, &part.base, size_bytes);
}

static int emit_resource(struct otlp *otlp, uint64_t *size_bytes)
{
	char key[] = "process.command_line";
	_cleanup_free_ char *command = export_escaped(export_title(otlp->export), NULL);
	Assay__Otlp__AnyValue value = ASSAY__OTLP__ANY_VALUE__INIT;
	Assay__Otlp__KeyValue pair = ASSAY__OTLP__KEY_VALUE__INIT, *pairs[] = { &pair };
	Assay__Otlp__Resource resource = ASSAY__OTLP__RESOURCE__INIT;
	Assay__Otlp__ResourceProfiles part = ASSAY__OTLP__RESOURCE_PROFILES__INIT;

	if (!command)
		return -ENOMEM;
	value.value_case = ASSAY__OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value.string_value = command;
	pair.key = key;
	pair.value = &value;
	resource.attributes = pairs;
	resource.n_attributes = 1;
	part.resource = &resource;
	return emit(otlp, &part.base, size_bytes);
}

static int measure(struct otlp *otlp, const struct profile *profile,
		   uint64_t profile_bytes[static 256], uint64_t *ret_scope, uint64_t *ret_resource)
{
	uint64_t scope = 0, resource = 0;
	int rc = emit_scope(otlp, &scope);

	if (rc < 0)
		return rc;
	for (unsigned int event = 0; event < 256; event++) {
		profile_bytes[event] = 0;
		if (!profile->total_samples[event])
			continue;
		rc = emit_profile(otlp, profile, (uint8_t)event, &profile_bytes[event]);
		if (rc < 0)
			return rc;
		scope += framed_bytes(profile_bytes[event]);
	}
	rc = emit_resource(otlp, &resource);
	if (rc < 0)
		return rc;
	*ret_scope = scope;
	*ret_resource = resource + framed_bytes(scope);
	return 0;
}

static int write_profiles(struct otlp *otlp, const struct profile *profile)
{
	FILE *out = otlp->writer.out;
	uint64_t profile_bytes[256], scope_bytes, resource_bytes;
	int rc = measure(otlp, profile, profile_bytes, &scope_bytes, &resource_bytes);

	if (rc < 0)
		return rc;
	put_frame(out, FIELD_RESOURCE_PROFILES, resource_bytes);
	rc = emit_resource(otlp, NULL);
	if (rc < 0)
		return rc;
	put_frame(out, FIELD_SCOPE_PROFILES, scope_bytes);
	rc = emit_scope(otlp, NULL);
	if (rc < 0)
		return rc;
	for (unsigned int event = 0; event < 256; event++) {
		if (!profile->total_samples[event])
			continue;
		put_frame(out, FIELD_PROFILES, profile_bytes[event]);
		rc = emit_profile(otlp, profile, (uint8_t)event, NULL);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int otlp_write(struct export *export)
{
	const struct model *model = export->model;
	_cleanup_(profile_fini) struct profile profile;
	_cleanup_(otlp_fini) struct otlp otlp = {
		.export = export,
		.stack_numbers = calloc(model->stacks.count + STACK_ROOT_COUNT, sizeof(uint32_t)),
		.first_loss = 1 + CONTEXT_COUNT + 3 * (int64_t)model->threads.count,
	};
	int rc = export_read_stacks(export, &profile);

	if (rc < 0)
		return rc;
	if (!otlp.stack_numbers || message_writer_init(&otlp.writer, export->out) < 0)
		return -ENOMEM;
	rc = write_profiles(&otlp, &profile);
	if (rc < 0)
		return rc;
	return otlp_write_dictionary(&otlp);
}

const struct export_format export_otlp = {
	.name = "otlp",
	.description = "OpenTelemetry's profiles (v1development), one message in a file",
	.is_binary = true,
	.has_losses = true,
	.write = otlp_write,
};
