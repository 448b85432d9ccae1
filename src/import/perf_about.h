/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_about.h - what a perf.data says about its machine, command and files
 *
 * perf calls these facts features. A file has one section per feature after its data; a pipe has
 * one record per feature. The content is the same. Features that are not needed are skipped. A
 * damaged feature yields what precedes the damage. Source:
 * tools/perf/Documentation/perf.data-file-format.txt of Linux 6.18.
 */
#ifndef ASSAY_IMPORT_PERF_ABOUT_H
#define ASSAY_IMPORT_PERF_ABOUT_H

#include "base/byte_reader.h"
#include "base/intern.h"
#include "import/perf_events.h"
#include "model/image.h"

/* Feature numbers: bits in the header of a file, or the number in a pipe's FEATURE record. */
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
	uint32_t path;			/* offset in paths */
};

struct perf_about {
	char host[256], release[256], version[128], arch[64], command[2048];
	uint32_t cpu_count;		/* online CPUs; 0: not known */
	bool is_directory;
	uint64_t clock_wall_ns, clock_ns;	/* the same moment on two clocks; 0, 0: not known */
	VEC(struct perf_build_id) build_ids;	/* [0] is unused */
	VEC(char) paths;
	struct intern build_id_index;
};

void perf_about_fini(struct perf_about *features);

/* Reads the content of one feature. EVENT_DESC sets the names of @events. Returns 0 or -ENOMEM. */
int perf_about_read(struct perf_about *features, struct perf_events *events, uint64_t feature,
		    struct byte_reader *r);

/*
 * Adds one entry of PERF_ABOUT_BUILD_ID. @r is after the entry's header. In a pipe, each entry is a
 * record.
 */
int perf_about_add_build_id(struct perf_about *features, uint16_t misc, struct byte_reader *r);

/* Returns the build-id of the file that was mapped under @path, or NULL. */
const struct perf_build_id *perf_about_build_id(const struct perf_about *features,
						const char *path);

#endif
