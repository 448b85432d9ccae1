/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_vdso.h - the bytes of the vdso
 *
 * The vdso is no file, but the kernel shows every 64-bit process the same one, so this process's
 * own serves.  The kernel's own bytes, hence its header is believed.
 */
#ifndef ASSAY_ELF_OWN_VDSO_H
#define ASSAY_ELF_OWN_VDSO_H

#include <elf.h>
#include <stddef.h>
#include <sys/auxv.h>

/* NULL where there is none. The section headers stand last in it. */
static inline const void *own_vdso(size_t *ret_size_bytes)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (header)
		*ret_size_bytes = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	return header;
}

#endif
