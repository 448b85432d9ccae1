/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/roots.h"

#include <string.h>

/*
 * Functions are aligned, so there is padding between them. A gap larger than this is not padding.
 */
#define PADDING_MAX 64

static const char *const user_names[] = {
	/* any C library: the ELF entry point, and the functions in which clone() starts a thread */
	"_start",
	"clone",
	"clone3",
	"__clone",
	"__clone3",
	"thread_start",
	/* glibc; before 2.34 __libc_start_main called main() itself */
	"__libc_start_call_main",
	"__libc_start_main",
	"__libc_start_main_impl",
	"start_thread",
	/* the dynamic linker, which runs constructors before _start */
	"_dl_start_user",
	/* musl */
	"_start_c",
	"libc_start_main_stage2",
	/* Go: goroutines, threads, and the first thread */
	"runtime.goexit",
	"runtime.goexit.abi0",
	"runtime.mcall",
	"runtime.mstart",
	"runtime.mstart.abi0",
	"runtime.rt0_go",
	"runtime.rt0_go.abi0",
};

static const char *const kernel_names[] = {
	/* kernel threads */
	"ret_from_fork",
	"ret_from_fork_asm",
	/* the functions in which idle tasks begin: x86_64 (secondary CPUs, boot CPU), then arm64 */
	"secondary_startup_64",
	"secondary_startup_64_no_verify",
	"common_startup_64",
	"x86_64_start_kernel",
	"__secondary_switched",
	"__primary_switched",
};

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

bool root_is_user_name(const char *linkage_name)
{
	return is_among(linkage_name, user_names, sizeof(user_names) / sizeof(user_names[0]));
}

bool root_is_kernel_name(const char *name)
{
	return is_among(name, kernel_names, sizeof(kernel_names) / sizeof(kernel_names[0]));
}

bool root_is_between(const struct symbol_answer *answer)
{
	const struct symbol *after = answer->after;

	return after && after->source != SYMBOL_PLT && answer->bounds_from_fde &&
	       answer->end_vaddr <= after->vaddr &&
	       after->vaddr - answer->end_vaddr < PADDING_MAX &&
	       (strcmp(after->name, "__libc_start_main") == 0 ||
		strcmp(after->name, "pthread_create") == 0);
}
