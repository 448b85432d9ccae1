/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * banned.h - included in every source file of the program by the build
 *
 * Bans functions that cannot limit the size of their output, that hide errors, or that start a
 * shell. Using the name of a banned function is a compile error. The headers that declare these
 * functions are included here first, because a declaration after the ban (#pragma GCC poison) would
 * also be an error.
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
