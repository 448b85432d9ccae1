/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h - turn linkage names of C++, Rust (v0 and legacy) and D back into source names
 *
 * The types of C++ parameters are left out; template arguments are kept.
 *
 * libiberty does the demangling. A mangled name can refer back to parts of itself, so a malicious
 * name of a few hundred bytes can expand to more text than fits in memory. Two limits prevent this:
 * names longer than DEMANGLE_INPUT_MAX bytes are not demangled, and the demangler is stopped as
 * soon as its output exceeds DEMANGLE_OUTPUT_MAX. Such names are left mangled.
 */
#ifndef ASSAY_SYMBOLIZE_DEMANGLE_H
#define ASSAY_SYMBOLIZE_DEMANGLE_H

#define DEMANGLE_INPUT_MAX 2048
#define DEMANGLE_OUTPUT_MAX 8192

/*
 * Returns a string that the caller frees. Returns NULL if @name is not mangled, if one of the
 * limits is exceeded, or if memory runs out.
 */
char *demangle(const char *name);

#endif
