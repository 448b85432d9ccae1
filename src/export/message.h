/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - protobuf messages, one piece after the other
 *
 * The bytes of two messages of one type, one behind the other, are a message in which repeated
 * fields have the elements of both (protobuf.dev, "Last One Wins").  So what is to be large is
 * written as many messages of one element each, and never stands in memory.
 */
#ifndef ASSAY_EXPORT_MESSAGE_H
#define ASSAY_EXPORT_MESSAGE_H

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>

#include "base/strpool.h"

struct message_writer {
	FILE *out;
	uint8_t *bytes;			/* of the message at hand */
	size_t size_bytes;
	struct strpool strings;		/* the messages' table of strings */
};

/* 0 or -ENOMEM; message_writer_fini() after either. */
int message_writer_init(struct message_writer *writer, FILE *out);
void message_writer_fini(struct message_writer *writer);

/* 0 or -ENOMEM. */
int message_write(struct message_writer *writer, const ProtobufCMessage *message);

/* Figures of ours have no sign and theirs have: what is too large is the largest. */
static inline int64_t message_int64(uint64_t number)
{
	return number < INT64_MAX ? (int64_t)number : INT64_MAX;
}

/* The number of @text, escaped, in the table of strings. 0 or -ENOMEM. */
int message_string(struct message_writer *writer, const char *text, int64_t *ret_number);

#endif
