/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usdt_arguments.h - where the arguments of a static probe are, as its note says it */
#ifndef ASSAY_STOPWATCH_USDT_ARGUMENTS_H
#define ASSAY_STOPWATCH_USDT_ARGUMENTS_H

#include <stdint.h>

#include "bpf/span.h"

/*
 * Reads a text such as "-4@%edi 8@-24(%rbp) 4@$1" of x86-64, or "-4@w0 8@[sp, 16] 4@1" of arm64.
 * Those from SPAN_ARGUMENTS on are left out. An argument in a place that is not understood, such as
 * a floating-point register, is of kind SPAN_ARGUMENT_NONE. Returns the number of all arguments.
 */
uint32_t usdt_arguments_parse(const char *text, uint16_t machine, struct span_place *ret_place);

#endif
