/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/metric_rows.h"

#include <errno.h>
#include <stdio.h>

int metric_row_event(struct model *model, const struct event *like, const char *name,
		     uint8_t *ret_event, struct err *err)
{
	struct event *event;

	if (model->events.count >= METRIC_EVENTS_MAX)
		return err_set(err, -E2BIG,
			       "cannot add up events: the recording has as many events as are "
			       "possible, so there is no room for the sum");
	event = vec_push(&model->events);
	if (!event)
		return -ENOMEM;
	*event = *like;
	event->name = model_intern(model, name);
	*ret_event = (uint8_t)(model->events.count - 1);
	return 0;
}

void metric_state_name(enum thread_state state, char name[static METRIC_STATE_MAX])
{
	(void)snprintf(name, METRIC_STATE_MAX, "[%s]", thread_state_name(state));
}

/* The address of the location is the number of its name, so that each name has its own location. */
int metric_row_stack(struct model *model, uint32_t parent, const char *name, uint32_t *ret_stack)
{
	uint32_t string = model_intern(model, name);
	uint32_t image = model_image_id(
		model, &(struct image){ .path = model_intern(model, METRIC_IMAGE) });
	uint32_t function = model_function_id(model, &(struct function){
							     .name = string,
							     .image = image,
							     .quality = QUALITY_SYMTAB,
							     .root = true,
							     .vaddr = string,
						     });
	uint32_t location = model_location_id(model, image, string);

	if (!image || !function || !location)
		return -ENOMEM;
	model->locations.at[location].function = function;
	*ret_stack = model_stack_id(model, parent, location);
	return *ret_stack >= STACK_ROOT_COUNT ? 0 : -ENOMEM;
}
