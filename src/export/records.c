/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each sample with all that is known of it, an object or a row on each line: what `assay trace
 * --json` and --csv print with all fields.
 */
#include "base/cleanup.h"
#include "export/export-private.h"
#include "present/trace.h"

#define ALL_FIELDS "time,cpu,comm,pid,tid,event,context,late,weight,function,image,stack"

struct records {
	struct export *export;
	struct trace trace;
};

static void records_fini(struct records *records)
{
	trace_fini(&records->trace);
}

static int write_record(void *context, const struct sample *sample)
{
	struct records *records = context;

	records->trace.start_ns = records->export->start_ns;
	records->export->samples++;
	return trace_sample(&records->trace, sample);
}

static int write_records(struct export *export, enum trace_format format)
{
	_cleanup_(records_fini) struct records records = {
		.export = export,
		.trace = { .profile = &export->profile, .format = format, .out = export->out },
	};
	int rc = trace_fields_parse(ALL_FIELDS, &records.trace, export->err);

	if (rc < 0)
		return rc;
	trace_begin(&records.trace);
	return export_each_sample(export, write_record, &records);
}

static int ndjson_write(struct export *export)
{
	return write_records(export, TRACE_JSON);
}

static int csv_write(struct export *export)
{
	return write_records(export, TRACE_CSV);
}

const struct export_format export_ndjson = {
	.name = "ndjson",
	.description = "a JSON object for each sample",
	.write = ndjson_write,
};

const struct export_format export_csv = {
	.name = "csv",
	.description = "a row of CSV for each sample",
	.write = csv_write,
};
