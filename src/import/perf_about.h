/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_about.h - what a perf.data says of its machine, its command and its files
 *
 * Sections behind the data of a file, or records of a pipe, one for each feature; their content is
 * the same.  Those that are not needed are not looked at, and one that is damaged says as much as
 * stood before the damage.
 * Source: tools/perf/Documentation/perf.data-file-format.txt of Linux 6.18.
 */
#ifndef ASSAY_IMPORT_PERF_ABOUT_H
#define ASSAY_IMPORT_PERF_ABOUT_H

#include "base/byte_reader.h"
#include "base/intern.h"
#include "import/perf_events.h"
#include "model/image.h"

/* Numbers of features: bits of the header, and what a record of a pipe names. */
enum perf_about_part {
	PERF_ABOUT_BUILD_ID = 2,
	PERF_ABOUT_HOSTNAME = 3,
	PERF_ABOUT_OSRELEASE = 4,
	PERF_ABOUT_VERSION = 5,
	PERF_ABOUT_ARCH = 6,
	PERF_ABOUT_NRCPUS = 7,
	PERF_ABOUT_CMDLINE = 11,
	PERF_ABOUT_EVENT_DESC = 12,
	PERF_ABOUT_DIR_FORMAT = 24,
	PERF_ABOUT_CLOCK_DATA = 29,
	PERF_ABOUT_COUNT = 256
};

#define PERF_BUILD_IDS_MAX (1u << 20)

struct perf_build_id {
	uint8_t size;
	uint8_t bytes[BUILD_ID_MAX];
	uint32_t path;			/* where in paths */
};

struct perf_about {
	char host[256], release[256], version[128], arch[64], command[2048];
	uint32_t cpu_count;		/* online; 0: not known */
	bool is_directory;
	uint64_t clock_wall_ns, clock_ns;	/* one moment by two clocks; 0, 0: not known */
	VEC(struct perf_build_id) build_ids;	/* [0]: none */
	VEC(char) paths;
	struct intern build_id_index;
};

void perf_about_fini(struct perf_about *features);

/* The content of one feature; EVENT_DESC names the events. 0 or -ENOMEM. */
int perf_about_read(struct perf_about *features, struct perf_events *events, uint64_t feature,
		    struct byte_reader *r);

/* One entry of PERF_ABOUT_BUILD_ID behind its header, which a pipe has as a record. */
int perf_about_add_build_id(struct perf_about *features, uint16_t misc, struct byte_reader *r);

/* Of the file that was mapped under this path, or NULL. */
const struct perf_build_id *perf_about_build_id(const struct perf_about *features,
						const char *path);

#endif
