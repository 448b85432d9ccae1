/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_vdso.h - the bytes of this process's vdso
 *
 * The vdso is not a file. But the kernel maps the same vdso into every 64-bit process, so assay can
 * read the vdso in its own memory. The bytes come from the kernel, so their ELF header is trusted.
 */
#ifndef ASSAY_ELF_OWN_VDSO_H
#define ASSAY_ELF_OWN_VDSO_H

#include <elf.h>
#include <stddef.h>
#include <sys/auxv.h>

/*
 * Returns the address of the vdso, or NULL if there is none. The section headers come last in the
 * vdso, so their end gives the size.
 */
static inline const void *own_vdso(size_t *ret_size_bytes)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (header)
		*ret_size_bytes = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	return header;
}

#endif
