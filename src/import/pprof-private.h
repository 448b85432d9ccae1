/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof-private.h - a pprof profile while it is read
 *
 * The tables of a profile refer to each other by ids that the file's writer chose, and the tables
 * follow the samples. The samples are therefore kept in their encoded form (up to
 * PPROF_SAMPLES_BYTES_MAX) until the whole file has been read.
 *
 * Source: proto/profile.proto of github.com/google/pprof.
 */
#ifndef ASSAY_IMPORT_PPROF_PRIVATE_H
#define ASSAY_IMPORT_PPROF_PRIVATE_H

#include "import/import-private.h"
#include "import/named.h"

#define PPROF_ROWS_MAX (1u << 22)			/* limit on entries per table */
#define PPROF_SAMPLES_BYTES_MAX (UINT64_C(1) << 29)
#define PPROF_TYPES_MAX 32u

/* All names are indices into the file's string table. */
struct pprof_type {
	uint64_t name, unit;
	int event;		/* index of the event in the model; -1: none */
	uint64_t scale;		/* nanoseconds per unit; 1 if not a unit of time */
	uint64_t per_sample;	/* scaled value divided by the number of samples; 0: none yet */
	bool varies;		/* per_sample is not the same in all records */
	uint64_t negative_count, negative_sum;	/* values below 0; the sum is of their amounts */
};

struct pprof_mapping {
	uint64_t start_addr, offset, path, build_id;
	uint32_t image;		/* id of the image in the model; 0: not looked up yet */
};

struct pprof_function {
	uint64_t name, linkage_name, file;
};

struct pprof_line {
	uint64_t function;
	uint64_t line;
};

struct pprof_location {
	uint64_t mapping, addr;
	uint32_t first_line, line_count;
	bool is_entered;	/* the fields below are set */
	bool is_root;		/* not code: the name says how the stack ends (root) */
	enum stack_root root;
	uint32_t location;	/* id of the location in the model, unless is_root */
};

/* An ELF file. Its symbols are used for locations that have no names in the profile. */
struct pprof_file {
	uint32_t image;
	uint32_t path;
	struct image_file file;
};

struct pprof {
	struct named named;
	/* index in the file's string table -> id of the string in the model */
	VEC(uint32_t) strings;
	VEC(struct pprof_type) types;
	VEC(struct pprof_mapping) mappings;	/* entry 0 is for locations without a mapping */
	VEC(struct pprof_function) functions;
	VEC(struct pprof_line) lines;
	VEC(struct pprof_location) locations;
	/* id in the file -> index in mappings, functions or locations */
	struct u64map mapping_index, function_index, location_index;
	/* encoded messages, each preceded by its size (uint32_t) */
	VEC(uint8_t) samples;
	VEC(uint64_t) comments;
	VEC(uint32_t) frames;			/* frames of the current sample */
	VEC(struct pprof_file) files;
	uint64_t default_type, period;
	struct pprof_type period_type;
	uint64_t time_ns, duration_ns;
	/* index in types of the type that counts samples; -1: there is none */
	int count_type;
	/* if a sample's weight varies: one row of the recording for so many samples */
	uint64_t samples_per_row;
	uint32_t main_comm;			/* thread name for samples without a thread */
	bool has_threads;
};

/*
 * Adds the profile's samples, and all table entries that the samples refer to, to the model.
 * Returns 0, -ENOMEM or the error that import_flush_fn returned.
 */
int pprof_enter(struct pprof *pprof, struct err *err);

/*
 * Returns the model's id of the string with this index in the file, or 0 if the file has no such
 * string.
 */
uint32_t pprof_string(const struct pprof *pprof, uint64_t index);

/*
 * Returns the location with this id, or NULL if the file has no such location. Adds the location to
 * the model if it is not there yet.
 */
const struct pprof_location *pprof_place(struct pprof *pprof, uint64_t id);

#endif
