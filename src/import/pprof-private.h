/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof-private.h - a profile of pprof, as far as it was read
 *
 * Its tables refer to each other by ids that the file chooses, and come behind the samples.  So
 * samples wait as they are in the file (PPROF_SAMPLES_BYTES_MAX) until all is known.
 *
 * Source: proto/profile.proto of github.com/google/pprof.
 */
#ifndef ASSAY_IMPORT_PPROF_PRIVATE_H
#define ASSAY_IMPORT_PPROF_PRIVATE_H

#include "import/import-private.h"
#include "import/named.h"

#define PPROF_ROWS_MAX (1u << 22)			/* of each table */
#define PPROF_SAMPLES_BYTES_MAX (UINT64_C(1) << 29)
#define PPROF_TYPES_MAX 32u

/* All names are indices of the file's strings. */
struct pprof_type {
	uint64_t name, unit;
	int event;		/* of the model; -1: it is none */
	uint64_t scale;		/* nanoseconds for each; 1 for what is no time */
};

struct pprof_mapping {
	uint64_t start_addr, offset, path, build_id;
	uint32_t image;		/* of the model; 0: not looked at */
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
	bool is_entered;	/* and then: */
	bool is_root;		/* it stands for how a stack ended, */
	enum stack_root root;
	uint32_t location;	/* or is this one of the model */
};

/* A file that names what a profile has no names for. */
struct pprof_file {
	uint32_t image;
	uint32_t path;
	struct image_file file;
};

struct pprof {
	struct named named;
	VEC(uint32_t) strings;			/* of the model */
	VEC(struct pprof_type) types;
	VEC(struct pprof_mapping) mappings;	/* [0]: of what has none */
	VEC(struct pprof_function) functions;
	VEC(struct pprof_line) lines;
	VEC(struct pprof_location) locations;
	struct u64map mapping_index, function_index, location_index;	/* by the file's ids */
	VEC(uint8_t) samples;			/* messages, each behind its size (uint32_t) */
	VEC(uint64_t) comments;
	VEC(uint32_t) frames;			/* of the sample at hand */
	VEC(struct pprof_file) files;
	uint64_t default_type, period;
	struct pprof_type period_type;
	uint64_t time_ns, duration_ns;
	int count_type;				/* how many samples each is; -1: one */
	uint32_t main_comm;			/* of samples without a thread */
	bool has_threads;
};

/* Makes rows and samples of it. 0, -ENOMEM or what the flush returned. */
int pprof_enter(struct pprof *pprof, struct err *err);

/* The string of the model; 0 for what the file does not have. */
uint32_t pprof_string(const struct pprof *pprof, uint64_t index);

/* The model's location of that id, entered if it is new; NULL where the file has none. */
const struct pprof_location *pprof_place(struct pprof *pprof, uint64_t id);

#endif
