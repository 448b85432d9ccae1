/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h - the child process that talks to servers
 *
 * Private to src/fetch. The child sends messages of a fixed size through a SOCK_SEQPACKET socket:
 * any number of PROGRESS messages, then one FILE or FAILED message. If the other end of the socket
 * is closed, the child gives up.
 */
#ifndef ASSAY_FETCH_CLIENT_H
#define ASSAY_FETCH_CLIENT_H

#include <sys/types.h>

#include "elf/image_file.h"
#include "fetch/fetch.h"

/*
 * Room for the headers of the assembled file, which may be larger than its sections by this much.
 */
#define CLIENT_SLACK_BYTES (UINT64_C(64) << 10)

enum client_message_kind { CLIENT_PROGRESS, CLIENT_FILE, CLIENT_FAILED };

struct client_message {
	uint32_t kind;			/* FILE comes with a descriptor */
	int32_t code;			/* FAILED: negative errno */
	uint64_t size_bytes, of_bytes;	/* PROGRESS and FILE */
	char text[ERR_TEXT_MAX];	/* FAILED: error message */
};

struct client_request {
	const struct fetch_options *options;
	/* directory owned by @uid, at or below options->cache_path */
	int cache_fd;
	/* user id for the child; the caller's own, unless that is root */
	uid_t uid;
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	size_t build_id_size;
};

/*
 * Runs the child after fork(), and exits. @parent is the pid of its parent process, which may have
 * exited.
 */
_Noreturn void client_run(const struct client_request *request, int socket, int parent);

#endif
