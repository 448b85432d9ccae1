# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages of npm that tests hold assay against: fetched once, kept in a folder of the build."""
import subprocess


class Missing(Exception):
    """npm or its server is not there."""


def archive(cache, name, version):
    path = cache / f"{name}-{version}.tgz"
    if not path.exists():
        cache.mkdir(exist_ok=True)
        try:
            subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=cache,
                           check=True, capture_output=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as problem:
            raise Missing(f"{name} of npm: {problem}") from problem
    return path
