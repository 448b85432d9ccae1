/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_fixtures.h - ELF files that several tests use */
#ifndef ASSAY_TESTS_ELF_FIXTURES_H
#define ASSAY_TESTS_ELF_FIXTURES_H

#include "elf_writer.h"

/*
 * Appends 16 bytes of x86_64 PLT code for address @vaddr, which jumps through the slot at
 * @slot_vaddr.
 */
void elf_fixture_stub_x86_64(struct writer_bytes *code, uint64_t vaddr, uint64_t slot_vaddr);

/* The same for aarch64. */
void elf_fixture_stub_aarch64(struct writer_bytes *code, uint64_t vaddr, uint64_t slot_vaddr);

/*
 * Returns a stripped library that has a bit of everything:
 * - a build-id
 * - .text at 0x1000 with dynamic symbols and FDEs
 * - a PLT at 0x2000 with one named stub ("puts")
 * - .gnu_debugdata that names the local function "hidden" at 0x1080
 * - a .gnu_debuglink
 */
uint8_t *elf_fixture_full(const struct elf_writer_options *options, size_t *ret_size_bytes);

/* Compresses @bytes with xz and appends the result to @packed. */
void elf_fixture_xz(struct writer_bytes *packed, const uint8_t *bytes, size_t size_bytes);

/* A static probe. @base_vaddr is that of ".stapsdt.base" when the file was linked. */
struct fixture_probe {
	uint64_t vaddr, base_vaddr, semaphore_vaddr;
	const char *provider, *name, *arguments;
};

/* Adds the section ".note.stapsdt" with these probes. */
void elf_fixture_probes(struct elf_writer *writer, const struct fixture_probe *probes,
			size_t count);

#endif
