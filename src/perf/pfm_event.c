/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/pfm_event.h"

#include <errno.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

int pfm_event_find(const char *text, struct pfm_event *ret_event, struct err *err)
{
	struct perf_event_attr attr = { 0 };
	pfm_perf_encode_arg_t encoded = { .attr = &attr, .size = sizeof(encoded) };
	int code = pfm_initialize();

	if (code == PFM_SUCCESS)
		code = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
						 PFM_OS_PERF_EVENT, &encoded);
	if (code == PFM_ERR_NOTFOUND || code == PFM_ERR_NOTSUPP)
		return err_set(err, -ENOENT, "this machine's CPU has no event '%s'", text);
	if (code != PFM_SUCCESS)
		return err_set(err, -EINVAL, "'%s': %s", text, pfm_strerror(code));
	*ret_event = (struct pfm_event){
		.type = attr.type,
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
		.no_user = attr.exclude_user,
		.no_kernel = attr.exclude_kernel,
		.no_hypervisor = attr.exclude_hv,
	};
	return 0;
}
