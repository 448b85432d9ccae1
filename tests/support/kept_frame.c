/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/kept_frame.h"

#include <stdint.h>
#include <unistd.h>

#if defined(__x86_64__)

__asm__(".text\n"
	".globl kept_frame\n"
	".type kept_frame, @function\n"
	"kept_frame:\n"
	".cfi_startproc\n"
	"push %rbx\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %rbx, 0\n"
	"mov %rsp, %rbx\n"
	".cfi_def_cfa_register %rbx\n"
	"and $-64, %rsp\n"
	"sub $192, %rsp\n"
	"mov %rdi, %rax\n"
	"mov %rsi, %rdi\n"
	"call *%rax\n"
	"mov %rbx, %rsp\n"
	".cfi_def_cfa_register %rsp\n"
	"pop %rbx\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbx\n"
	"ret\n"
	".cfi_endproc\n"
	".size kept_frame, . - kept_frame\n");

__asm__(".globl kept_frame_spin\n"
	".type kept_frame_spin, @function\n"
	"kept_frame_spin:\n"
	".cfi_startproc\n"
	"movl $1, (%rdi)\n"
	"1: mov $20000, %ecx\n"
	"2: dec %ecx\n"
	"jnz 2b\n"
	"mov $110, %eax\n" /* getppid */
	"syscall\n"
	"cmpl $0, (%rdi)\n"
	"jne 1b\n"
	"ret\n"
	".cfi_endproc\n"
	".size kept_frame_spin, . - kept_frame_spin\n");

#define OVERWRITE() __asm__ volatile("mov $-1, %%rbx" : : : "rbx", "memory")

#else

#define OVERWRITE() __asm__ volatile("" : : : "memory")

void kept_frame(kept_frame_fn callee, void *argument)
{
	callee(argument);
	OVERWRITE();
}

void kept_frame_spin(void *ready)
{
	volatile uint32_t *until = ready;

	*until = 1;
	while (*until)
		(void)getppid();
}

#endif

void kept_frame_hide(kept_frame_fn callee, void *argument)
{
	OVERWRITE();
	callee(argument);
	OVERWRITE();
}
