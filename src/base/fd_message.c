/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fd_message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(FD_MESSAGE_FDS_MAX * sizeof(int))];
};

int fd_message_send(int socket, const void *bytes, size_t size_bytes, const int *fds,
		    size_t fd_count, int flags)
{
	struct iovec part = { .iov_base = (void *)bytes, .iov_len = size_bytes };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	union control control = { 0 };

	if (fd_count > FD_MESSAGE_FDS_MAX)
		return -EINVAL;
	if (fd_count) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(fd_count * sizeof(*fds));
		memcpy(CMSG_DATA(&control.header), fds, fd_count * sizeof(*fds));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(fd_count * sizeof(*fds));
	}
	if (TEMP_FAILURE_RETRY(sendmsg(socket, &message, MSG_NOSIGNAL | flags)) < 0)
		return -errno;
	return 0;
}

/* Gives the first @fd_count descriptors to the caller and closes the others. */
static void take_fds(struct msghdr *message, int *ret_fds, size_t fd_count)
{
	size_t taken = 0;

	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
	     header = CMSG_NXTHDR(message, header)) {
		size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(header) + i * sizeof(fd), sizeof(fd));
			if (taken < fd_count)
				ret_fds[taken++] = fd;
			else
				(void)close(fd);
		}
	}
}

ssize_t fd_message_receive(int socket, void *bytes, size_t size_bytes, int *ret_fds,
			   size_t fd_count, int flags)
{
	struct iovec part = { .iov_base = bytes, .iov_len = size_bytes };
	union control control = { 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t n;

	for (size_t i = 0; i < fd_count; i++)
		ret_fds[i] = -1;
	if (fd_count) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	n = TEMP_FAILURE_RETRY(recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags));
	if (n < 0)
		return -errno;
	take_fds(&message, ret_fds, fd_count);
	if (!(message.msg_flags & MSG_TRUNC))
		return n;
	for (size_t i = 0; i < fd_count; i++) {
		if (ret_fds[i] >= 0)
			(void)close(ret_fds[i]);
		ret_fds[i] = -1;
	}
	return -EMSGSIZE;
}
