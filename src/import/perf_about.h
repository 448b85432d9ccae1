/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_about.h - read from a perf.data file the facts about its machine, command and files
 *
 * perf calls these facts data features. In a perf.data file, each feature has a section after the
 * records. In a pipe, each feature is the content of a record instead. The content is the same in
 * both cases. Features that are not needed are skipped. If a feature is damaged, the values that
 * precede the damage are used. Source: tools/perf/Documentation/perf.data-file-format.txt of Linux
 * 6.18.
 */
#ifndef ASSAY_IMPORT_PERF_ABOUT_H
#define ASSAY_IMPORT_PERF_ABOUT_H

#include "base/byte_reader.h"
#include "base/intern.h"
#include "import/perf_events.h"
#include "model/image.h"

/*
 * Feature numbers. In a file, the header has one bit for each feature. In a pipe, each FEATURE
 * record contains the number of its feature.
 */
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
	uint32_t path;			/* offset of the file's path in perf_about.paths */
};

struct perf_about {
	char host[256], release[256], version[128], arch[64], command[2048];
	uint32_t cpu_count;		/* online CPUs; 0: not known */
	bool is_directory;
	/* the same point in time on the wall clock and on the samples' clock; 0, 0: unknown */
	uint64_t clock_wall_ns, clock_ns;
	VEC(struct perf_build_id) build_ids;	/* entry 0 is unused */
	VEC(char) paths;
	struct intern build_id_index;
};

void perf_about_fini(struct perf_about *features);

/* Reads the content of one feature. EVENT_DESC sets the names of @events. Returns 0 or -ENOMEM. */
int perf_about_read(struct perf_about *features, struct perf_events *events, uint64_t feature,
		    struct byte_reader *r);

/*
 * Adds one entry of PERF_ABOUT_BUILD_ID. @misc is the misc field of the entry's header, and @r must
 * be at the byte after that header. In a pipe, each entry is a record of its own. Returns 0 or
 * -ENOMEM.
 */
int perf_about_add_build_id(struct perf_about *features, uint16_t misc, struct byte_reader *r);

/* Returns the build-id that the perf.data file lists for @path, or NULL. */
const struct perf_build_id *perf_about_build_id(const struct perf_about *features,
						const char *path);

#endif
