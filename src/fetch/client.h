/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h - the child process that talks to servers
 *
 * Private to this room.  It sends messages of one size through a socket of whole packets: any
 * number of PROGRESS, then one of the others.  When the socket is closed it gives up.
 */
#ifndef ASSAY_FETCH_CLIENT_H
#define ASSAY_FETCH_CLIENT_H

#include <sys/types.h>

#include "elf/image_file.h"
#include "fetch/fetch.h"

/* The headers of what is put together: so much may a file be larger than its sections. */
#define CLIENT_SLACK_BYTES (UINT64_C(64) << 10)

enum client_message_kind { CLIENT_PROGRESS, CLIENT_FILE, CLIENT_FAILED };

struct client_message {
	uint32_t kind;			/* FILE: with a descriptor */
	int32_t code;			/* FAILED: negative errno */
	uint64_t size_bytes, of_bytes;	/* PROGRESS, FILE */
	char text[ERR_TEXT_MAX];	/* FAILED */
};

struct client_request {
	const struct fetch_options *options;
	int cache_fd;			/* a directory of @uid's, in or below options->cache_path */
	uid_t uid;			/* that it runs as: the caller's own unless that is root */
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	size_t build_id_size;
};

/* What the child does after fork(): it ends there.  @parent: its process, which may be gone. */
_Noreturn void client_run(const struct client_request *request, int socket, int parent);

#endif
