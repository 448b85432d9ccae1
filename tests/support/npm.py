# SPDX-License-Identifier: GPL-2.0-or-later
"""Download npm packages with which tests compare assay. They are kept in a folder of the build."""
import subprocess


class Missing(Exception):
    """npm is not installed, or its server cannot be reached."""


def archive(cache, name, version):
    path = cache / f"{name}-{version}.tgz"
    if not path.exists():
        cache.mkdir(exist_ok=True)
        try:
            subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=cache,
                           check=True, capture_output=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as problem:
            raise Missing(f"npm package {name}: {problem}") from problem
    return path
