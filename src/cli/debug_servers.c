/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/debug_servers.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/profile.h"
#include "base/clock.h"
#include "cli/cache_dir.h"
#include "cli/command.h"
#include "cli/rights.h"
#include "present/escape.h"

#define FILE_MAX_BYTES (UINT64_C(1) << 30)
#define IDLE_SECONDS 30
#define IMAGE_SECONDS 600
#define PROGRESS_NS (NS_PER_SEC / 10)

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
	is_interrupted = 1;
}

/*
 * Catches only the first SIGINT, so that a second SIGINT kills the process. If SIGINT is ignored,
 * as in background jobs of a shell, does nothing.
 */
static void catch_interrupt(void)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND };
	struct sigaction now;

	if (!is_interrupted && sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
		(void)sigaction(SIGINT, &action, NULL);
}

static void release_interrupt(void)
{
	struct sigaction now;

	if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == interrupt)
		(void)signal(SIGINT, SIG_DFL);
}

static bool is_stopped(void *context)
{
	return is_interrupted;
}

/* ---- progress ---- */

static void clear_line(const struct debug_servers *servers)
{
	if (servers->shown_ns)
		(void)fputs("\r\033[K", stderr);
}

static void show_progress(void *context, uint64_t size_bytes, uint64_t of_bytes)
{
	struct debug_servers *servers = context;
	uint64_t now_ns = clock_monotonic_ns();

	if (!isatty(STDERR_FILENO) || now_ns - servers->shown_ns < PROGRESS_NS)
		return;
	servers->shown_ns = now_ns;
	(void)fputs("\rfetching debug information of ", stderr);
	escape_text(stderr, servers->image_name);
	(void)fprintf(stderr, ": %" PRIu64, size_bytes / 1024);
	if (of_bytes)
		(void)fprintf(stderr, " of %" PRIu64, of_bytes / 1024);
	(void)fputs(" KB \033[K", stderr);
}

/* ---- the source ---- */

static int find(void *context, const char *name, const uint8_t *build_id, size_t size)
{
	struct debug_servers *servers = context;
	const char *slash = name ? strrchr(name, '/') : NULL;
	size_t failed = fetch_totals(servers->fetch).failed;
	struct err err;
	int rc;

	servers->image_name = slash ? slash + 1 : name ? name : "?";
	catch_interrupt();
	rc = fetch_debug_file(servers->fetch, build_id, size, &err);
	release_interrupt();
	clear_line(servers);
	if (fetch_totals(servers->fetch).failed > failed && rc != -EINTR)
		cli_message("%s: %s", servers->image_name, err.text);
	return rc;
}

/* ---- the environment ---- */

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	char *end;
	unsigned long long value;

	if (!text || *text < '0' || *text > '9')
		return otherwise;
	errno = 0;
	value = strtoull(text, &end, 10);
	return errno || *end || !value ? otherwise : value;
}

static unsigned int seconds_of(const char *name, unsigned int otherwise)
{
	uint64_t value = number_of(name, otherwise);

	return value > INT_MAX / 1000 ? INT_MAX / 1000 : (unsigned int)value;
}

static const char *cache_path(char *path, size_t size_bytes)
{
	const char *given = getenv("DEBUGINFOD_CACHE_PATH");
	char own[PATH_MAX];
	int length;

	if (given && *given)
		return given;
	if (!cache_dir(own, sizeof(own)))
		return NULL;
	(void)mkdir(own, 0700);
	length = snprintf(path, size_bytes, "%s/debuginfod", own);
	return length > 0 && (size_t)length < size_bytes ? path : NULL;
}

static int open_fetch(struct debug_servers *servers, const char *urls, struct err *err)
{
	struct fetch_options options = {
		.urls = urls,
		.cache_path = cache_path(servers->cache_path, sizeof(servers->cache_path)),
		.file_max_bytes = number_of("DEBUGINFOD_MAXSIZE", FILE_MAX_BYTES),
		.idle_seconds = seconds_of("DEBUGINFOD_TIMEOUT", IDLE_SECONDS),
		.image_seconds = seconds_of("DEBUGINFOD_MAXTIME", IMAGE_SECONDS),
		.total_seconds = servers->total_seconds,
		.context = servers,
		.progress = show_progress,
		.is_stopped = is_stopped,
	};

	if (!options.cache_path)
		return err_set(err, -EPERM,
			       "debug information from servers needs a cache, but neither "
			       "XDG_CACHE_HOME nor HOME is a directory of this user; set "
			       "DEBUGINFOD_CACHE_PATH");
	return fetch_new(&options, &servers->fetch, err);
}

/* Returns NULL if the user names no server. */
static const char *server_urls(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && urls[strspn(urls, " ")] ? urls : NULL;
}

bool debug_servers_are_wanted(void)
{
	return server_urls() != NULL;
}

void debug_servers_begin(struct debug_servers *servers, const char *path,
			 unsigned int total_seconds, struct symbolize_options *options)
{
	const char *urls = server_urls();
	struct err err;

	*servers = (struct debug_servers){ .path = path, .total_seconds = total_seconds };
	if (!urls)
		return;
	if (rights_are_given_up()) {
		cli_message("debug servers are not asked, because others may have written %s and "
			    "assay has given up its rights",
			    path);
		return;
	}
	if (open_fetch(servers, urls, &err) < 0) {
		cli_error(&err);
		return;
	}
	servers->source = (struct debug_source){ .context = servers, .find = find };
	options->debug_source = &servers->source;
	is_interrupted = 0;
}

/*
 * If there are no samples or no memory for the ranks, images are fetched in the order in which the
 * recorder first saw them.
 */
void debug_servers_rank(struct debug_servers *servers, struct recording *recording,
			struct model *model, struct symbolize_options *options)
{
	const struct profile_options all = { 0 };
	struct profile profile = { 0 };

	if (!servers->fetch)
		return;
	servers->image_ranks = calloc(model->images.count + 1, sizeof(*servers->image_ranks));
	if (servers->image_ranks && profile_read(recording, model, &all, &profile, NULL) == 0) {
		for (size_t i = 0; i < profile.hits.count; i++)
			servers->image_ranks[profile.hits.at[i].image] +=
				profile.hits.at[i].count.samples;
		options->image_ranks = servers->image_ranks;
	}
	profile_fini(&profile);
}

static void say_totals(const struct debug_servers *servers)
{
	struct fetch_totals totals = fetch_totals(servers->fetch);
	size_t missing = totals.failed + totals.not_asked;

	if (totals.fetched && !servers->total_seconds)
		cli_message("images with debug information from servers: %zu (%" PRIu64 " KB)",
			    totals.fetched, totals.size_bytes / 1024);
	if (missing)
		cli_message("images for which no server provided debug information: %zu; 'assay "
			    "symbolize %s' asks again%s",
			    missing, servers->path,
			    servers->total_seconds ? " without a limit on the total time" : "");
}

void debug_servers_end(struct debug_servers *servers)
{
	free(servers->image_ranks);
	if (!servers->fetch)
		return;
	say_totals(servers);
	fetch_free(servers->fetch);
}
