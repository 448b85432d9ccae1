/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h - linkage names of C++, Rust (v0 and legacy) and D as their authors wrote them
 *
 * The types of C++ parameters are left out, template arguments stay.
 *
 * libiberty does the work.  A mangled name can refer back to parts of itself, so a hostile
 * one of a few hundred bytes can stand for more text than there is memory.  Names over
 * DEMANGLE_INPUT_MAX bytes and names that come out longer than DEMANGLE_OUTPUT_MAX are
 * therefore left as they are; the demangler is stopped as soon as it passes that limit.
 */
#ifndef ASSAY_SYMBOLIZE_DEMANGLE_H
#define ASSAY_SYMBOLIZE_DEMANGLE_H

#define DEMANGLE_INPUT_MAX 2048
#define DEMANGLE_OUTPUT_MAX 8192

/* A heap string, or NULL when @name is not mangled (or too long, or out of memory). */
char *demangle(const char *name);

#endif
