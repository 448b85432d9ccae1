/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine.h - gives up what a process does not need to read a file that somebody else wrote
 *
 * Each step is taken by the process for itself and cannot be undone. A step that the kernel or a
 * missing capability does not allow is left out, because the others still help.
 *
 * Sources: capabilities(7), seccomp(2), chroot(2), getrlimit(2).
 */
#ifndef ASSAY_READERS_CONFINE_H
#define ASSAY_READERS_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if this process has a capability, so there is something to lose. */
bool confine_is_useful(void);

/*
 * Keeps only the capabilities to observe other processes and the kernel (guard.h), and sets
 * no_new_privs.
 */
void confine_to_observing(void);

/* Keeps only the capabilities to read all files and the kernel's symbols; sets no_new_privs. */
void confine_to_reading(void);

/* Keeps only the capabilities to open the files of other processes, and sets no_new_privs. */
void confine_to_opening(void);

/*
 * Keeps only the capabilities to read the memory of a session, to change its files, to end its
 * children and to open perf events, and sets no_new_privs.
 */
void confine_to_guarding(void);

#define CONFINED_SOCKET 0

/*
 * Makes @socket the descriptor CONFINED_SOCKET and closes all others, which would keep events
 * alive, or let the reader of a pipe wait. Exits if it cannot.
 */
void confine_to_socket(int socket);

/*
 * Becomes the user and group "nobody" (65534) without other groups, gives up all capabilities, sets
 * no_new_privs, and takes a directory without usable files as its root. The process cannot be
 * traced by others. Descriptors that are open stay usable.
 */
void confine_rights(void);

/*
 * Limits the memory of the process, the size of files that it writes, and its CPU time. Lets it
 * write no core files. There is no limit of memory in a build with AddressSanitizer, which reserves
 * terabytes.
 */
void confine_limits(uint64_t memory_bytes, uint64_t file_bytes, uint64_t cpu_seconds);

/*
 * Allows only system calls that use open descriptors and the process's own memory; all others fail
 * with EPERM. No file can be opened, no process or socket be made, no memory be made executable.
 * Returns 0, or an error if the kernel has no seccomp.
 */
int confine_calls(void);

#endif
