/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/message.h"

#include "base/cleanup.h"
#include "export/export-private.h"

int message_writer_init(struct message_writer *writer, FILE *out)
{
	*writer = (struct message_writer){ .out = out };
	return strpool_init(&writer->strings);
}

void message_writer_fini(struct message_writer *writer)
{
	free(writer->bytes);
	strpool_fini(&writer->strings);
}

int message_write(struct message_writer *writer, const ProtobufCMessage *message)
{
	size_t wanted = protobuf_c_message_get_packed_size(message);

	if (vec_reserve_bytes((void **)&writer->bytes, &writer->size_bytes, wanted, 1) < 0)
		return -ENOMEM;
	(void)protobuf_c_message_pack(message, writer->bytes);
	(void)fwrite(writer->bytes, 1, wanted, writer->out);
	return 0;
}

int message_string(struct message_writer *writer, const char *text, int64_t *ret_number)
{
	_cleanup_free_ char *escaped = export_escaped(text, NULL);
	uint32_t id;
	int rc = escaped ? strpool_intern(&writer->strings, escaped, strlen(escaped), &id)
			 : -ENOMEM;

	if (rc < 0)
		return rc;
	*ret_number = id;
	return 0;
}
