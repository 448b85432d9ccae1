/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/row_json.h"

#include "present/function_note.h"
#include "present/share.h"

const struct event *json_event(const struct profile *profile, uint8_t event)
{
	static const struct event none;
	const struct model *model = profile->model;

	return event < model->events.count ? &model->events.at[event] : &none;
}

void json_figures(struct json *json, const struct count *count, const struct count *total,
		  const struct event *event)
{
	json_u64(json, "samples", count->samples);
	json_u64(json, "weight", count->weight);
	if (event->is_time)
		json_double(json, "seconds", (double)count->weight / 1e9);
	share_json(&(struct share){ count, total, count_goes_by_weight(event) }, json);
}

void json_label(struct json *json, const struct profile *profile, enum dimension dimension,
		uint64_t key)
{
	char label[REPORT_LABEL_MAX], scratch[GROUP_IMAGE_NAME_MAX];

	if (dimension == BY_FUNCTION) {
		json_string(json, dimension_name(dimension),
			    group_function_name(profile, key, scratch));
		json_quality(json, profile, key);
		return;
	}
	group_label(profile, dimension, key, label, sizeof(label));
	json_string(json, dimension_name(dimension), label);
}
