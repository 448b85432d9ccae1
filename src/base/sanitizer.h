/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sanitizer.h - tells whether this is a build with AddressSanitizer, of gcc or clang */
#ifndef ASSAY_BASE_SANITIZER_H
#define ASSAY_BASE_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define HAS_ADDRESS_SANITIZER 0
#endif

#endif
