/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h - the child process that talks to debuginfod servers
 *
 * Private to src/fetch. The child sends messages of a fixed size through a SOCK_SEQPACKET socket:
 * any number of PROGRESS messages, then one FILE or FAILED message. If the parent closes its end of
 * the socket, the child stops.
 */
#ifndef ASSAY_FETCH_CLIENT_H
#define ASSAY_FETCH_CLIENT_H

#include <sys/types.h>

#include "elf/image_file.h"
#include "fetch/fetch.h"

/*
 * The file built from the sections has headers, so it is larger than the sections together. This is
 * the maximum difference in bytes.
 */
#define CLIENT_SLACK_BYTES (UINT64_C(64) << 10)

enum client_message_kind { CLIENT_PROGRESS, CLIENT_FILE, CLIENT_FAILED };

struct client_message {
	uint32_t kind;			/* a FILE message also passes a descriptor */
	int32_t code;			/* for FAILED: negative errno */
	uint64_t size_bytes, of_bytes;	/* for PROGRESS and FILE */
	char text[ERR_TEXT_MAX];	/* for FAILED: error message */
};

struct client_request {
	const struct fetch_options *options;
	/* directory owned by @uid; either options->cache_path or a directory below it */
	int cache_fd;
	/* user id of the child: the caller's own, or that of "nobody" if the caller is root */
	uid_t uid;
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	size_t build_id_size;
};

/*
 * The main function of the child after fork(); never returns. @parent is the pid of the parent
 * process, which may already have exited.
 */
_Noreturn void client_run(const struct client_request *request, int socket, int parent);

#endif
