/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fd_message.h - messages between processes that may carry open files
 *
 * The socket is one of a pair of type SOCK_SEQPACKET or SOCK_DGRAM, so a message arrives whole or
 * not at all (unix(7)).
 */
#ifndef ASSAY_BASE_FD_MESSAGE_H
#define ASSAY_BASE_FD_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

#define FD_MESSAGE_FDS_MAX 4

/*
 * Sends @bytes and copies of the @fd_count descriptors. @flags are those of sendmsg(2). Never
 * raises SIGPIPE. Returns 0 or an error of sendmsg(2).
 */
int fd_message_send(int socket, const void *bytes, size_t size_bytes, const int *fds,
		    size_t fd_count, int flags);

/*
 * Receives a message of at most @size_bytes into @bytes, and at most @fd_count descriptors into
 * @ret_fds; the others become -1. The kernel closes descriptors that were not asked for. The
 * descriptors are owned by the caller and closed on exec. Returns the size of the message, 0 if the
 * other end is closed, -EMSGSIZE if the message is longer than @size_bytes, or an error of
 * recvmsg(2).
 */
ssize_t fd_message_receive(int socket, void *bytes, size_t size_bytes, int *ret_fds,
			   size_t fd_count, int flags);

#endif
