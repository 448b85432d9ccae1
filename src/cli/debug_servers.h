/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_servers.h - debug information from servers, for commands that make source lines
 *
 * Asked only with DEBUGINFOD_URLS set, only by who asks for lines (fetch/fetch.h says how), and
 * for the images with most samples first.  Recording, and a report that wants no lines, ask
 * nobody: build-ids tell others what runs here, and a report is there at once.
 *
 * The environment of debuginfod clients is in force: DEBUGINFOD_URLS, _CACHE_PATH, _TIMEOUT,
 * _MAXTIME and _MAXSIZE.  The cache is only used if it is the user's own and nobody else can write
 * there; the default is below that of assay (cache_dir.h).
 */
#ifndef ASSAY_CLI_DEBUG_SERVERS_H
#define ASSAY_CLI_DEBUG_SERVERS_H

#include <limits.h>

#include "fetch/fetch.h"
#include "store/recording.h"
#include "symbolize/symbolize.h"

/* What a report waits for servers, all images together. */
#define DEBUG_SERVERS_REPORT_SECONDS 10

struct debug_servers {
	struct fetch *fetch;		/* NULL: nobody is asked */
	const char *path;		/* of the recording; borrowed */
	unsigned int total_seconds;	/* 0: as long as it takes */
	struct debug_source source;
	uint64_t *image_ranks;
	const char *image_name;		/* at hand */
	char cache_path[PATH_MAX];	/* unless the environment names one */
	uint64_t shown_ns;
};

/*
 * Completes @options for symbolize_refine() and lines_resolve(), where there are servers to ask.
 * While a server is being asked, one SIGINT ends the asking and nothing else.
 */
void debug_servers_begin(struct debug_servers *servers, const char *path,
			 unsigned int total_seconds, struct symbolize_options *options);

/* Orders what will be asked for by the samples of @recording, which is loaded in @model. */
void debug_servers_rank(struct debug_servers *servers, struct recording *recording,
			struct model *model, struct symbolize_options *options);

/* Says what came of it. */
void debug_servers_end(struct debug_servers *servers);

#endif
