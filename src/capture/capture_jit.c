/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/capture-private.h"

bool capture_take_jit_dump(struct capture *capture, struct jit_mapped_dump *ret_dump)
{
	return tracker_take_jit_dump(capture->tracker, ret_dump);
}
