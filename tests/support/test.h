/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test.h - cmocka and the headers that must be included before it */
#ifndef ASSAY_TESTS_TEST_H
#define ASSAY_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
