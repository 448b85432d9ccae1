/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - writes large protobuf messages in pieces
 *
 * If the encoded bytes of two messages of the same type are concatenated, the result is the
 * encoding of one message. Each repeated field of this message has the elements of both
 * (protobuf.dev, "Last One Wins"). So a large message is written as many messages with one element
 * each, and never has to be in memory as a whole.
 */
#ifndef ASSAY_EXPORT_MESSAGE_H
#define ASSAY_EXPORT_MESSAGE_H

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>

#include "base/strpool.h"

struct message_writer {
	FILE *out;
	uint8_t *bytes;			/* buffer for the piece that is being written */
	size_t size_bytes;
	struct strpool strings;		/* string table of the large message */
};

/* Returns 0 or -ENOMEM; message_writer_fini() is needed in both cases. */
int message_writer_init(struct message_writer *writer, FILE *out);
void message_writer_fini(struct message_writer *writer);

/*
 * Encodes @message and writes it to the stream. Returns 0 or -ENOMEM. Write errors set the error
 * state of the stream.
 */
int message_write(struct message_writer *writer, const ProtobufCMessage *message);

/*
 * Converts an unsigned number to the signed type of the format. Numbers above INT64_MAX become
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
