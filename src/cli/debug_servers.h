/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_servers.h - fetches debug information from debuginfod servers, for commands that need
 * source lines
 *
 * Servers are contacted only if DEBUGINFOD_URLS is set and the command needs source lines. The
 * debug files of the images with the most samples are fetched first. fetch/fetch.h describes how
 * files are fetched.
 *
 * Commands that record never contact a server, and neither does a report without source lines.
 * There are two reasons:
 * - Privacy: a request contains a build-id, which reveals a program that runs on this machine.
 * - Speed: a report should appear at once.
 *
 * The usual environment variables of debuginfod clients apply: DEBUGINFOD_URLS,
 * DEBUGINFOD_CACHE_PATH, DEBUGINFOD_TIMEOUT, DEBUGINFOD_MAXTIME and DEBUGINFOD_MAXSIZE. The default
 * cache is inside assay's cache directory (cache_dir.h). The cache is used only if it belongs to
 * the user and no other user can write to it.
 */
#ifndef ASSAY_CLI_DEBUG_SERVERS_H
#define ASSAY_CLI_DEBUG_SERVERS_H

#include <limits.h>

#include "fetch/fetch.h"
#include "store/recording.h"
#include "symbolize/symbolize.h"

/* Maximum time that a report waits for servers, in total for all images. */
#define DEBUG_SERVERS_REPORT_SECONDS 10

struct debug_servers {
	struct fetch *fetch;		/* the debuginfod client; NULL if no servers are used */
	const char *path;		/* path of the recording; borrowed */
	unsigned int total_seconds;	/* time limit for all images together; 0: unlimited */
	struct debug_source source;
	uint64_t *image_ranks;
	const char *image_name;		/* the image being fetched */
	/* default cache directory, used unless the environment names another directory */
	char cache_path[PATH_MAX];
	uint64_t shown_ns;
};

/* Returns true if DEBUGINFOD_URLS names a server. */
bool debug_servers_are_wanted(void);

/*
 * Sets up @options so that symbolize_refine() and lines_resolve() fetch missing debug files from
 * the servers in DEBUGINFOD_URLS. Leaves @options unchanged if DEBUGINFOD_URLS names no server.
 * While a file is being fetched, the first SIGINT stops all fetching but does not kill the process.
 */
void debug_servers_begin(struct debug_servers *servers, const char *path,
			 unsigned int total_seconds, struct symbolize_options *options);

/*
 * Ranks the images of @model by their number of samples in @recording, so that the debug files of
 * the most important images are fetched first. @model must have been loaded from @recording.
 */
void debug_servers_rank(struct debug_servers *servers, struct recording *recording,
			struct model *model, struct symbolize_options *options);

/*
 * Prints how many debug files were fetched and how many are missing, then frees all resources of
 * @servers.
 */
void debug_servers_end(struct debug_servers *servers);

#endif
