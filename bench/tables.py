# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure what unwind tables cost, for all ELF files of the machine and for single large files."""
import glob
import os
import subprocess

PLACES = ("/usr/bin", "/usr/sbin", "/usr/lib")
LARGE = ("/usr/lib/*/libLLVM-*.so.1", "/usr/lib/gcc/*/*/cc1", "/usr/bin/node", "/lib/*/libc.so.6")


def elf_files():
    for place in PLACES:
        for folder, _, names in os.walk(place):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path) and not os.path.islink(path) and is_elf(path):
                    yield path


def is_elf(path):
    """Return whether the file is an ELF program or shared library."""
    try:
        with open(path, "rb") as file:
            head = file.read(18)
    except OSError:
        return False
    return head[:4] == b"\x7fELF" and head[16:18] in (b"\x02\0", b"\x03\0")


class Tables:
    def __init__(self, assay, directory):
        self.assay, self.cache = assay, directory / "tables"

    def measure(self, build, files):
        text = "".join(f"{file}\n" for file in files)
        done = subprocess.run([build / "bench/bench_tables", self.cache], input=text, text=True,
                              capture_output=True, check=True)
        names = ("files", "rows", "rules", "bytes", "unsupported", "make_ns", "read_ns")
        return dict(zip(names, map(int, done.stdout.split())))

    def table(self, note):
        build = next(path for path in self.assay.parents if (path / "build.ninja").exists())
        subprocess.run(["ninja", "-C", build, "bench/bench_tables"], check=True,
                       stdout=subprocess.DEVNULL)
        large = [found[0] for pattern in LARGE if (found := sorted(glob.glob(pattern)))]
        cases = {"all ELF files": list(elf_files()), **{path: [path] for path in large}}
        lines = ["| files | number of files | rows | MiB | rules | unsupported rows, % "
                 "| build, ms | read from the cache, ms |", "|---" * 8 + "|"]
        for title, files in cases.items():
            found = self.measure(build, files)
            note("tables", case=title, **found)
            unsupported = 100 * found["unsupported"] / max(found["rows"], 1)
            lines.append(
                f"| {title} | {found['files']} | {found['rows']:,} | {found['bytes'] / 2**20:.1f} "
                f"| {found['rules']:,} | {unsupported:.3f} | {found['make_ns'] / 1e6:.1f} "
                f"| {found['read_ns'] / 1e6:.1f} |")
        return "\n".join([*lines, "", "All times are CPU time.", ""])
