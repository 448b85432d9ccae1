/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   pingpong udp|tcp serve ADDRESS PORT
 *   pingpong udp|tcp SECONDS ADDRESS PORT
 *
 * Exchanges requests and responses of one byte as fast as possible. The client prints the number of
 * round trips. The server serves one client. It ends when it is killed (udp) or when the client
 * closes the connection (tcp).
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "burn.h"

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int serve(int fd, bool tcp, const struct sockaddr_in *address)
{
	struct sockaddr_in peer;
	socklen_t length = sizeof(peer);
	int on = 1;
	char byte;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		return fail("pingpong: bind");
	if (tcp) {
		if (listen(fd, 1) < 0 || (fd = accept(fd, NULL, NULL)) < 0)
			return fail("pingpong: accept");
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	} else {
		if (recvfrom(fd, &byte, 1, 0, (struct sockaddr *)&peer, &length) != 1 ||
		    connect(fd, (struct sockaddr *)&peer, length) < 0 || send(fd, "x", 1, 0) != 1)
			return fail("pingpong: first datagram");
	}
	while (recv(fd, &byte, 1, 0) == 1)
		if (send(fd, "x", 1, 0) != 1)
			return fail("pingpong: send");
	return 0;
}

static int ask(int fd, bool tcp, double seconds)
{
	struct timeval patience = { .tv_sec = 1 };
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
	unsigned long round_trips = 0;
	int on = 1;
	char byte;

	if (tcp)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		if (send(fd, "x", 1, 0) != 1)
			return fail("pingpong: send");
		if (recv(fd, &byte, 1, 0) != 1)
			return fail("pingpong: no answer");
		round_trips++;
	}
	printf("%lu\n", round_trips);
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET };

	if (argc != 5 || inet_pton(AF_INET, argv[3], &address.sin_addr) != 1) {
		fprintf(stderr, "usage: pingpong udp|tcp serve|SECONDS ADDRESS PORT\n");
		return 2;
	}
	address.sin_port = htons((uint16_t)strtoul(argv[4], NULL, 10));

	bool tcp = strcmp(argv[1], "tcp") == 0;
	int fd = socket(AF_INET, tcp ? SOCK_STREAM : SOCK_DGRAM, 0);

	if (fd < 0)
		return fail("pingpong: socket");
	if (strcmp(argv[2], "serve") == 0)
		return serve(fd, tcp, &address);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return fail("pingpong: connect");
	return ask(fd, tcp, strtod(argv[2], NULL));
}
