/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section_file.h - builds an ELF file from sections that were fetched one by one
 *
 * Private to src/fetch. A server sends the bytes of a section but not its section header. The
 * properties that readers of the file need are therefore derived from the bytes:
 *   - The byte order of the file is derived from the build-id note.
 *   - A section is compressed if it starts with a compression header (gABI chapter "Sections") and
 *     the bytes after the header begin like data of the type in the header (zlib or zstd).
 *
 * The new file is always a 64-bit file. Compression headers are converted to the 64-bit form. Debug
 * information has the same form in 32-bit and 64-bit files, but symbol tables have different forms.
 * Therefore a section is marked as a symbol table only if its entries look like 64-bit symbols.
 * Symbols contain section numbers of the original file, which are meaningless in the new file.
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
	int fd;			/* borrowed; a file that contains only the section */
};

/*
 * Writes @parts into the empty file @out_fd. Returns 0, a read or write error, -EBADMSG if the
 * first part is not a note, or -EFBIG if there are too many parts or the file would become too
 * large.
 */
int section_file_write(const struct section_part *parts, size_t count, int out_fd);

#endif
