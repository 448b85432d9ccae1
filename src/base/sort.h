/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sort.h - sorts large arrays by a 64-bit number
 *
 * Symbol tables have 100,000 elements and more, and sorting them with qsort() was most of the work
 * of reading them. Here the time is proportional to the number of elements, and no function is
 * called to compare them.
 */
#ifndef ASSAY_BASE_SORT_H
#define ASSAY_BASE_SORT_H

#include <stddef.h>

/*
 * Sorts the @count elements of @element_bytes each. The uint64_t that is @number_offset bytes after
 * the start of an element decides, the smallest first. Elements with equal numbers keep their
 * order. Needs memory for a copy of the array and 32 bytes for each element. Returns 0, or -ENOMEM
 * if there is not so much memory; the array is then unchanged.
 */
int sort_by_number(void *elements, size_t count, size_t element_bytes, size_t number_offset);

#endif
