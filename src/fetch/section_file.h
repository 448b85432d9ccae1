/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section_file.h - assembles an ELF file from sections that were fetched one by one
 *
 * Private to src/fetch. A server sends the bytes of a section but not its section header. The
 * properties that readers need are therefore derived from the bytes:
 *   - The byte order of the file comes from the build-id note.
 *   - A section is compressed if it starts with a compression header (gABI chapter "Sections") that
 *     agrees with the first bytes of zlib or zstd data after it.
 *
 * The file that is written is always a 64-bit file. Compression headers are converted to the 64-bit
 * form, because nothing in debug information depends on the class of the file. Symbol tables do
 * depend on it: a section is marked as a symbol table only if its entries look like 64-bit symbols.
 * Symbols contain section numbers of the original file, which mean nothing in the new file.
 *
 * The new file has no program headers and no code. Its content is as untrustworthy as the server.
 */
#ifndef ASSAY_FETCH_SECTION_FILE_H
#define ASSAY_FETCH_SECTION_FILE_H

#include <stddef.h>

#define SECTION_FILE_PARTS_MAX 16
#define SECTION_FILE_NOTE ".note.gnu.build-id"
#define SECTION_FILE_SYMBOLS ".symtab"
#define SECTION_FILE_STRINGS ".strtab"

struct section_part {
	const char *name;	/* the first part must be SECTION_FILE_NOTE */
	int fd;			/* borrowed; the section is the whole file */
};

/*
 * Writes @parts into the empty file @out_fd. Returns 0, -EBADMSG if the first part is not a note,
 * -EFBIG if there are too many parts or the file may not grow that large, or a read or write error.
 */
int section_file_write(const struct section_part *parts, size_t count, int out_fd);

#endif
