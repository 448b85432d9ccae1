/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - writes large protobuf messages in pieces
 *
 * If the bytes of two messages of one type are concatenated, the result is a message whose repeated
 * fields have the elements of both (protobuf.dev, "Last One Wins"). A large message is therefore
 * written as many messages with one element each, and never needs to be in memory as a whole.
 */
#ifndef ASSAY_EXPORT_MESSAGE_H
#define ASSAY_EXPORT_MESSAGE_H

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>

#include "base/strpool.h"

struct message_writer {
	FILE *out;
	uint8_t *bytes;			/* buffer for the current message */
	size_t size_bytes;
	struct strpool strings;		/* string table of the whole message */
};

/* Returns 0 or -ENOMEM; message_writer_fini() is needed in both cases. */
int message_writer_init(struct message_writer *writer, FILE *out);
void message_writer_fini(struct message_writer *writer);

/* Packs and writes @message. Returns 0 or -ENOMEM. Write errors show up on the stream. */
int message_write(struct message_writer *writer, const ProtobufCMessage *message);

/*
 * Converts an unsigned number to the signed type of the format; numbers that are too large become
 * INT64_MAX.
 */
static inline int64_t message_int64(uint64_t number)
{
	return number < INT64_MAX ? (int64_t)number : INT64_MAX;
}

/*
 * Escapes @text, adds it to the string table and stores its number in *ret_number. Returns 0 or
 * -ENOMEM.
 */
int message_string(struct message_writer *writer, const char *text, int64_t *ret_number);

#endif
