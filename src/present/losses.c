/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/losses.h"

bool losses_text(const struct shortfall *shortfall, char ret_text[static LOSSES_TEXT_MAX])
{
	const char *damaged = shortfall->damaged ? "parts of the file are damaged or missing" : "";
	const char *cut = shortfall->cut ? "the end of the run is missing" : "";
	char lost[64] = "";

	ret_text[0] = '\0';
	if (!shortfall_is_bad(shortfall))
		return false;
	if (shortfall->lost)
		(void)snprintf(lost, sizeof(lost), "%.1f%% of the samples were lost",
			       shortfall->lost_percent);
	(void)snprintf(ret_text, LOSSES_TEXT_MAX, "%s%s%s%s%s, so shares may be wrong", lost,
		       *lost && *damaged ? "; " : "", damaged,
		       (*lost || *damaged) && *cut ? "; " : "", cut);
	return true;
}

void losses_json(struct json *json, const char *key, const struct model *model)
{
	const struct shortfall shortfall = shortfall_of(model);

	json_open(json, key, '{');
	json_u64(json, "lost_samples", shortfall.lost_samples);
	json_double(json, "lost_share", shortfall.lost_percent / 100);
	json_bool(json, "damaged", shortfall.damaged);
	json_bool(json, "cut_short", shortfall.cut);
	json_bool(json, "matters", shortfall_is_bad(&shortfall));
	json_close(json);
}
