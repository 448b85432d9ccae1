/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs_fields.h - the fields of a tracepoint's records, from its "format" in tracefs
 *
 * Each line of that file describes a field: its type and name, its offset, its size, and whether it
 * is signed. The first fields, such as common_pid, are the same in all records.
 * Source: Linux, kernel/trace/trace_events.c, f_show().
 */
#ifndef ASSAY_PERF_TRACEFS_FIELDS_H
#define ASSAY_PERF_TRACEFS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TRACEFS_NAME_MAX 64
#define TRACEFS_FIELDS_MAX 64u

struct tracefs_field {
	char name[TRACEFS_NAME_MAX];
	uint32_t offset, size_bytes;
	bool is_signed;
	bool is_number;		/* no array or text; 1, 2, 4 or 8 bytes */
};

struct tracefs_fields {
	struct tracefs_field at[TRACEFS_FIELDS_MAX];
	size_t count;
};

/*
 * Reads the fields of the tracepoint @group:@name, without the common ones. Fields after the first
 * TRACEFS_FIELDS_MAX are left out. Returns 0 or a negative errno with a message.
 */
int tracefs_fields_read(const char *group, const char *name, struct tracefs_fields *ret_fields,
			struct err *err);

/* Parses one line. Returns false if it describes no field. */
bool tracefs_field_parse(const char *line, struct tracefs_field *ret_field);

#endif
