/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting_names.h - what the user calls the settings of an output
 *
 * An output that leaves rows out also says which setting shows them. The names of the settings
 * depend on who prints the output: on a command line they are options, such as "--limit". The
 * caller of present/ therefore passes the names in its style. No name may be NULL.
 */
#ifndef ASSAY_PRESENT_SETTING_NAMES_H
#define ASSAY_PRESENT_SETTING_NAMES_H

struct setting_names {
	const char *limit;		/* maximum number of rows; 0: all */
	const char *min_percent;	/* smallest share that is shown */
	const char *depth;		/* number of tree levels */
	const char *files;		/* number of source files */
	const char *by;			/* dimensions by which a table is grouped */
	const char *event;		/* event whose samples are counted */
	const char *table_memory;	/* of a recording: memory for unwind tables */
	const char *more;		/* sentences about what else can be shown; "": none */
};

#endif
