/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy of /proc/kallsyms. --kallsyms accepts one from anywhere. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/kallsyms.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct kallsyms kallsyms;
	uint64_t end_addr;
	char path[64];

	if (fd < 0 || write(fd, bytes, size_bytes) != (ssize_t)size_bytes)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (kallsyms_read(path, &kallsyms, NULL) == 0) {
		for (size_t i = 0; i < kallsyms.symbols.count; i++) {
			uint64_t addr = kallsyms.symbols.at[i].addr;

			(void)kallsyms_lookup(&kallsyms, addr - 1, &end_addr);
			if (kallsyms_lookup(&kallsyms, addr, &end_addr) && end_addr <= addr)
				abort();
		}
		(void)kallsyms_addr(&kallsyms, "last_function");
		kallsyms_fini(&kallsyms);
	}
	(void)close(fd);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 t asm_exc_page_fault\n"
				   "ffffffff81000200 W weak_alias\n"
				   "ffffffff81000200 T do_work\n"
				   "ffffffff81000300 T last_function\n"
				   "ffffffff81000400 D _etext\n"
				   "ffffffffc0002000 t second\t[mod_b]\n"
				   "ffffffffc0001000 t first\t[mod_a]\n"
				   "ffffffffc0900000 t bpf_prog_0123\t[bpf]\n";

	if (i > 0)
		return -1;
	*ret_bytes = malloc(sizeof(text) - 1);
	if (!*ret_bytes)
		return -1;
	memcpy(*ret_bytes, text, sizeof(text) - 1);
	*ret_size_bytes = sizeof(text) - 1;
	return 0;
}
