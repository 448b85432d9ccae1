/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/known_stack.h"

/*
 * Hidden, because on aarch64 ld would otherwise use one GOT entry for all local labels of a
 * section.
 */
#pragma GCC visibility push(hidden)
extern const uint8_t plain_start[], plain_recurse[], plain_inner[], plain_root_return[];
extern const uint8_t plain_return[], plain_leaf[], plain_end[];
extern const uint8_t pointer_start[], pointer_root_return[], pointer_return[], pointer_leaf[];
extern const uint8_t pointer_end[];
#pragma GCC visibility pop

#if defined(__x86_64__)

/* %edi: depth, %rsi: ready. The leaf is in another page of the unwind table than its callers. */
#define RECURSE(name, enter)				\
#name "_root_return: ud2\n" #name "_recurse: " enter #name "_inner: dec %edi\n" \
	      "jz " #name "_leaf\n" \
	      "call " #name "_recurse\n" #name "_return: ud2\n" \
	      ".balign 512\n" #name "_leaf: movl $1, (%rsi)\n" \
	      "1: mov $20000, %ecx\n" \
	      "2: dec %ecx\n" \
	      "jnz 2b\n" \
	      "mov $110, %eax\n" /* getppid */ \
	      "syscall\n" \
	      "jmp 1b\n" #name "_end: ud2\n"

__asm__(".text\n"
	".balign 512\n"
	"plain_start: call plain_recurse\n" RECURSE(plain, "sub $24, %rsp\n"));

__asm__(".text\n"
	".balign 512\n"
	"pointer_start: xor %ebp, %ebp\n"
	"call pointer_recurse\n" RECURSE(pointer, "push %rbp\nmov %rsp, %rbp\n"));

#elif defined(__aarch64__)

/* w0: depth, x1: ready. The leaf is in another page of the unwind table than its callers. */
#define RECURSE(name, enter)				\
#name "_root_return: udf #0\n" #name "_recurse: " enter #name "_inner: subs w0, w0, #1\n" \
	      "b.eq " #name "_leaf\n" \
	      "bl " #name "_recurse\n" #name "_return: udf #0\n" \
	      ".balign 512\n" #name "_leaf: mov w2, #1\n" \
	      "str w2, [x1]\n" \
	      "1: mov w2, #20000\n" \
	      "2: subs w2, w2, #1\n" \
	      "b.ne 2b\n" \
	      "mov x8, #173\n" /* getppid */ \
	      "svc #0\n" \
	      "b 1b\n" #name "_end: udf #0\n"

__asm__(".text\n"
	".balign 512\n"
	"plain_start: bl plain_recurse\n" RECURSE(plain, "str x30, [sp, #-32]!\n"));

__asm__(".text\n"
	".balign 512\n"
	"pointer_start: mov x29, #0\n"
	"bl pointer_recurse\n" RECURSE(pointer, "stp x29, x30, [sp, #-16]!\nmov x29, sp\n"));

#endif

#if KNOWN_STACK

static uint64_t addr_of(const uint8_t *label)
{
	return (uint64_t)(uintptr_t)label;
}

struct known_stack known_stack_plain(void)
{
	return (struct known_stack){
		.root = (void (*)(uint32_t, uint32_t *))(uintptr_t)plain_start,
		.start_addr = addr_of(plain_start),
		.end_addr = addr_of(plain_end),
		.leaf_addr = addr_of(plain_leaf),
		.leaf_end_addr = addr_of(plain_end),
		.return_addr = addr_of(plain_return),
		.root_return_addr = addr_of(plain_root_return),
	};
}

struct known_stack known_stack_frame_pointer(void)
{
	return (struct known_stack){
		.root = (void (*)(uint32_t, uint32_t *))(uintptr_t)pointer_start,
		.start_addr = addr_of(pointer_start),
		.end_addr = addr_of(pointer_end),
		.leaf_addr = addr_of(pointer_leaf),
		.leaf_end_addr = addr_of(pointer_end),
		.return_addr = addr_of(pointer_return),
		.root_return_addr = addr_of(pointer_root_return),
	};
}

static struct unwind_row row_at(uint64_t addr, uint16_t rule)
{
	return (struct unwind_row){ .offset = (uint32_t)(addr - addr_of(plain_start)),
				    .rule = rule };
}

void known_stack_rows(struct unwind_row ret_rows[KNOWN_STACK_ROWS])
{
	ret_rows[0] = row_at(addr_of(plain_start), 1);
	ret_rows[1] = row_at(addr_of(plain_recurse), 2);
	ret_rows[2] = row_at(addr_of(plain_inner), 0);
	ret_rows[3] = row_at(addr_of(plain_return) - 1, 3);
	ret_rows[4] = row_at(addr_of(plain_return), 0);
	ret_rows[5] = row_at(addr_of(plain_leaf), 3);
	ret_rows[6] = row_at(addr_of(plain_end), 0);
}

#endif

/* The return address is @at bytes from the CFA, the start of the caller's frame. */
#define CALLED_WITH(bytes, at)							\
	{									\
		.kind = UNWIND_CFA, .cfa_base = UNWIND_BASE_SP, .ra_base = UNWIND_BASE_CFA, \
		.cfa_offset = (bytes), .ra_offset = (at), \
	}

const struct unwind_rule known_stack_rules[KNOWN_STACK_RULES] = {
	{ .kind = UNWIND_GAP },
	{ .kind = UNWIND_END },
#if defined(__aarch64__)
	{ .kind = UNWIND_CFA, .cfa_base = UNWIND_BASE_SP },	/* return address in x30 */
	CALLED_WITH(32, -32),
#else
	CALLED_WITH(8, -8),
	CALLED_WITH(32, -8),
#endif
};
