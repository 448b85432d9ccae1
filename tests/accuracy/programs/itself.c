/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itself MILLISECONDS [PROGRAM...]: burns CPU time under its own name (NAME, set at compile time),
 * then replaces itself by the next program, which gets the other programs as arguments. If the
 * first of them is "-", it deletes its own file before it burns.
 *
 * BEFORE bytes of other code come first, so that programs of different names have different
 * functions at the same addresses.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "named.h"

__asm__(".text\n.skip " BEFORE ", 0x90\n");

#define EXPANDED(name) NAMED(name)
#define TEXT_OF(name) #name
#define QUOTED(name) TEXT_OF(name)
#define CALL_OF(name) call_##name
#define CALL(name) CALL_OF(name)

EXPANDED(NAME)

int main(int argc, char **argv)
{
	char *time;
	int next = 2;

	if (argc > next && strcmp(argv[next], "-") == 0) {
		next++;
		if (unlink(argv[0]) < 0)
			return 1;
	}
	run_as(QUOTED(NAME), CALL(NAME), strtoul(argv[1], NULL, 10));
	if (next >= argc)
		return 0;
	time = argv[1];
	argv[next - 1] = argv[next];
	argv[next] = time;
	execv(argv[next - 1], argv + next - 1);
	return 1;
}
