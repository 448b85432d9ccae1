/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - static probes (USDT), without the package that has <sys/sdt.h> */
#ifndef WORKLOADS_PROBE_H
#define WORKLOADS_PROBE_H

/*
 * Passes a probe. All but the last are texts: the name of a variable that is the semaphore, or "0";
 * and the arguments as in a note, such as "8@%[item]", where item is an operand in the last.
 */
#define PROBE(provider, name, semaphore, arguments, ...)                                         \
	__asm__ volatile("990: nop\n"                                                            \
			 ".pushsection .note.stapsdt, \"\", \"note\"\n"                          \
			 ".balign 4\n.4byte 992f - 991f, 994f - 993f, 3\n"                       \
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"                             \
			 "993: .8byte 990b, 0, " semaphore "\n"                                  \
			 ".asciz \"" provider "\"\n.asciz \"" name "\"\n"                        \
			 ".asciz \"" arguments "\"\n994: .balign 4\n.popsection\n" ::__VA_ARGS__)

#endif
