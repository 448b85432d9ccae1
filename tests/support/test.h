/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test.h - cmocka with the headers that it wants to see first
 */
#ifndef ASSAY_TESTS_TEST_H
#define ASSAY_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
