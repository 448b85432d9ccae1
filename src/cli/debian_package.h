/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debian_package.h - which Debian package has the debug symbols of a file
 *
 * dpkg keeps a list of the files of each installed package, one path in a line. Debian builds the
 * debug symbols of package NAME as NAME-dbgsym, which is in an archive of its own. A few packages
 * have them as NAME-dbg in the main archive instead.
 */
#ifndef ASSAY_CLI_DEBIAN_PACKAGE_H
#define ASSAY_CLI_DEBIAN_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#define DEBIAN_PACKAGE_MAX 128

/*
 * Sets names[i] to the package that has the debug symbols of the file paths[i], or to "" if no
 * installed package owns the file. Reads the lists of all packages once.
 */
void debian_debug_packages(const char *const *paths, size_t count,
			   char (*names)[DEBIAN_PACKAGE_MAX]);

/*
 * Writes the line that adds the archive with this package to the sources of apt. Writes "" if the
 * archive is there already, or if the release of this machine is not known.
 */
void debian_debug_archive(const char *package, char *line, size_t size_bytes);

#endif
