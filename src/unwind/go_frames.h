/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_frames.h - unwind rules for the functions of Go programs
 *
 * Go's own table of functions (elf/go_functions.h) says how large a function's frame is at each
 * instruction. The rules follow from that:
 * - x86_64: the CFA is sp + frame size + 8, and the return address is in the word below the CFA. A
 *   function with a frame saves fp in the word below the return address.
 * - aarch64: the CFA is sp + frame size. A function with a frame saves the return address in the
 *   lowest word of the frame, and fp in the word below the frame. Without a frame, the return
 *   address is in link.
 *
 * Functions that the compiler made keep to that. Some functions of the runtime do not. The flags in
 * the table tell which, or in programs from before Go 1.17 the names:
 * - The outermost function of each stack (runtime.goexit, runtime.mstart, runtime.rt0_go) gets
 *   UNWIND_END. So does runtime.mcall after it switched to the scheduler's stack: it never returns,
 *   and another thread may be running the goroutine that called it.
 * - A function that switches stacks leaves fp in its own frame on the first stack. It gets
 *   UNWIND_SWITCH after its prologue. In programs from before Go 1.21, runtime.systemstack and
 *   runtime.asmcgocall have no frame. fp then is that of the caller, so the caller cannot be known
 *   (UNWIND_SWITCH_PAST).
 * - runtime.clone begins a thread: its child has no caller (UNWIND_CLONES).
 * - For runtime.gogo and runtime.morestack, fp is of no use. They get UNWIND_UNSUPPORTED, so that
 *   the walk ends and says so.
 * - The kernel calls runtime.sigtramp for a signal, which returns to runtime.sigreturn. These get
 *   the rules of a signal frame, so that the interrupted code is found.
 *
 * Sources: Go's cmd/internal/obj/x86/obj6.go and arm64/obj7.go (prologues), runtime/asm_amd64.s,
 * asm_arm64.s and sys_linux_amd64.s, runtime/traceback.go; Linux, arch/x86/include/asm/sigframe.h.
 */
#ifndef ASSAY_UNWIND_GO_FRAMES_H
#define ASSAY_UNWIND_GO_FRAMES_H

#include "elf/go_functions.h"
#include "unwind/cfi.h"

struct go_frames {
	const struct image_file *file;	/* borrowed, like `bytes` */
	const void *bytes;		/* contents of the image, or NULL */
};

/*
 * Calls @rule for each rule of @function, as cfi_run() does. *@ret_start_vaddr and *@ret_size_bytes
 * are the code for which the rules hold. Offsets count from *@ret_start_vaddr. The size is 0 if the
 * table does not describe the function's frames.
 *
 * Returns 0, -EBADMSG if the description is damaged, or the nonzero value that @rule returned.
 */
int go_frames_run(const struct go_frames *frames, struct go_function *function, cfi_rule_fn rule,
		  void *context, uint64_t *ret_start_vaddr, uint64_t *ret_size_bytes);

#endif
