/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * Writes to @choice the reason why `cycles` was not chosen. @code is the negative errno that
 * opening it returned.
 */
static void say_why_not(struct event_choice *choice, int code)
{
	const char *text;

	switch (-code) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		text = "no hardware counters: the PMU is not available to this machine";
		break;
	case EOPNOTSUPP:
		text = "the hardware counters of this machine raise no interrupts";
		break;
	case EBUSY:
		text = "the hardware counters are held by another program";
		break;
	default:
		(void)snprintf(choice->why, sizeof(choice->why),
			       "cpu-clock (the hardware counters may not be used: %s)",
			       strerror(-code));
		return;
	}
	(void)snprintf(choice->why, sizeof(choice->why), "cpu-clock (%s)", text);
}

int event_choose(bool wants_clock, event_try_fn opens, void *context,
		 struct event_choice *ret_choice)
{
	struct event_choice choice = {
		.why = "cpu-clock (waits are compared with time, so a clock is needed)"
	};
	int code;

	if (!wants_clock) {
		code = event_specs_parse("cycles", &choice.spec, 1, NULL);
		if (code < 0)
			return code;
		code = opens(context, &choice.spec);
		if (code == 0) {
			(void)snprintf(choice.why, sizeof(choice.why),
				       "cycles (a hardware counter of this machine)");
			*ret_choice = choice;
			return 0;
		}
		say_why_not(&choice, code);
	}
	code = event_specs_parse("cpu-clock", &choice.spec, 1, NULL);
	if (code < 0)
		return code;
	*ret_choice = choice;
	return 0;
}
