/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links import/ with the rooms below it and no others; test_links.sh looks at the result. */
#include <stddef.h>

#include "import/import.h"

int main(void)
{
	return import_formats[0] == NULL;
}
