/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library with call_NAME(), after BEFORE bytes of other code. */
#include "named.h"

__asm__(".text\n.skip " BEFORE ", 0x90\n");

#define EXPANDED(name) NAMED(name)

EXPANDED(NAME)
