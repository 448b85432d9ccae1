/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * banned.h - forced on every source file of the program by the build
 *
 * Functions that cannot be told how large their output is, that hide errors, or that start a
 * shell.  Naming one is a compile error.  The headers that declare them come first, because a
 * poisoned name may not even be declared afterwards.
 */
#ifndef ASSAY_BASE_BANNED_H
#define ASSAY_BASE_BANNED_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok strtok_r
#pragma GCC poison atoi atol atoll atof system popen tmpnam tempnam mktemp

#endif
