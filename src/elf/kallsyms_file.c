/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/kallsyms_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hash.h"

#define MAGIC "assayks1"
#define SYMBOLS_MAX (UINT32_C(16) << 20)
#define NAMES_MAX_BYTES (UINT32_C(256) << 20)

struct header {
	char magic[8];
	uint64_t key;
	uint64_t symbol_count, names_bytes;
	uint64_t text_start_addr, text_end_addr;
	uint64_t checksum;	/* checksum of the whole file, computed while this field is 0 */
};

static uint64_t checksum(const struct header *header, const struct kallsyms *kallsyms)
{
	struct header zeroed = *header;
	uint64_t hash;

	zeroed.checksum = 0;
	hash = digest_bytes(&zeroed, sizeof(zeroed));
	hash = digest_pair(hash,
			   digest_bytes(kallsyms->symbols.at,
					kallsyms->symbols.count * sizeof(*kallsyms->symbols.at)));
	return digest_pair(hash, digest_bytes(kallsyms->names.at, kallsyms->names.count));
}

int kallsyms_file_write(int fd, uint64_t key, const struct kallsyms *kallsyms)
{
	struct header header = {
		.key = key,
		.symbol_count = kallsyms->symbols.count,
		.names_bytes = kallsyms->names.count,
		.text_start_addr = kallsyms->text_start_addr,
		.text_end_addr = kallsyms->text_end_addr,
	};
	const struct iovec parts[] = {
		{ &header, sizeof(header) },
		{ kallsyms->symbols.at, kallsyms->symbols.count * sizeof(*kallsyms->symbols.at) },
		{ kallsyms->names.at, kallsyms->names.count },
	};
	ssize_t n;

	memcpy(header.magic, MAGIC, sizeof(header.magic));
	header.checksum = checksum(&header, kallsyms);
	n = writev(fd, parts, 3);
	if (n < 0)
		return -errno;
	return (size_t)n == parts[0].iov_len + parts[1].iov_len + parts[2].iov_len ? 0 : -ENOSPC;
}

static bool header_fits(const struct header *header, uint64_t key, uint64_t size_bytes)
{
	return memcmp(header->magic, MAGIC, sizeof(header->magic)) == 0 && header->key == key &&
	       header->symbol_count > 0 && header->symbol_count <= SYMBOLS_MAX &&
	       header->names_bytes > 0 && header->names_bytes <= NAMES_MAX_BYTES &&
	       size_bytes == sizeof(*header) + header->symbol_count * sizeof(struct kernel_symbol) +
				     header->names_bytes;
}

/*
 * Checks the properties that lookups rely on: symbols are sorted, and names end inside the table.
 */
static bool is_sound(const struct kallsyms *kallsyms)
{
	const struct kernel_symbol *symbols = kallsyms->symbols.at;
	size_t names_bytes = kallsyms->names.count;
	unsigned int bad = kallsyms->names.at[0] != '\0' ||
			   kallsyms->names.at[names_bytes - 1] != '\0';

	for (size_t i = 0; i < kallsyms->symbols.count; i++)
		bad |= (symbols[i].name >= names_bytes) | (symbols[i].module >= names_bytes);
	for (size_t i = 1; i < kallsyms->symbols.count; i++)
		bad |= symbols[i].addr < symbols[i - 1].addr;
	return bad == 0;
}

static int read_table(int fd, const struct header *header, struct kallsyms *kallsyms)
{
	struct iovec parts[2];
	ssize_t n;

	if (vec_reserve(&kallsyms->symbols, header->symbol_count) < 0 ||
	    vec_reserve(&kallsyms->names, header->names_bytes) < 0)
		return -ENOMEM;
	kallsyms->symbols.count = header->symbol_count;
	kallsyms->names.count = header->names_bytes;
	kallsyms->text_start_addr = header->text_start_addr;
	kallsyms->text_end_addr = header->text_end_addr;
	parts[0] = (struct iovec){ kallsyms->symbols.at,
				   header->symbol_count * sizeof(struct kernel_symbol) };
	parts[1] = (struct iovec){ kallsyms->names.at, header->names_bytes };
	n = preadv(fd, parts, 2, sizeof(*header));
	if (n < 0)
		return -errno;
	return (size_t)n == parts[0].iov_len + parts[1].iov_len &&
			       checksum(header, kallsyms) == header->checksum && is_sound(kallsyms)
		       ? 0
		       : -EBADMSG;
}

int kallsyms_file_read(int fd, uint64_t key, struct kallsyms *ret_kallsyms)
{
	struct kallsyms kallsyms = { 0 };
	struct header header;
	struct stat st;
	ssize_t n;
	int rc;

	if (fstat(fd, &st) < 0)
		return -errno;
	n = pread(fd, &header, sizeof(header), 0);
	if (n < 0)
		return -errno;
	if (n != sizeof(header) || !header_fits(&header, key, (uint64_t)st.st_size))
		return -EBADMSG;
	rc = read_table(fd, &header, &kallsyms);
	if (rc < 0) {
		kallsyms_fini(&kallsyms);
		return rc;
	}
	*ret_kallsyms = kallsyms;
	return 0;
}
