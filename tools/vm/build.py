# SPDX-License-Identifier: GPL-2.0-or-later
"""Build assay, its unit tests and the workloads for the architecture of a guest."""
import fnmatch
import json
import os
import pathlib
import subprocess

from vm.packages import Unavailable, run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TRIPLET = "aarch64-linux-gnu"
CROSS_FILE = """[binaries]
c = ['{triplet}-gcc', '--sysroot={root}']
ar = '{triplet}-ar'
strip = '{triplet}-strip'
pkgconfig = 'pkg-config'
[properties]
sys_root = '{root}'
pkg_config_libdir = ['{root}/usr/lib/{triplet}/pkgconfig', '{root}/usr/share/pkgconfig']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
"""


class BuildFailed(Exception):
    """The program or its tests cannot be built. The text is the output of the build."""


def _make(*command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="backslashreplace", check=False)
    if done.returncode != 0:
        raise BuildFailed(f"{command[0]} failed\n{done.stdout}")
    return done.stdout


def _meson(folder, *options):
    if (folder / "build.ninja").exists():
        _make("meson", "configure", folder, "-Dtests=true")
    else:
        _make("meson", "setup", folder, "--buildtype=debugoptimized", "-Dtests=true", *options)


def _programs(folder):
    """Return {name: path} of the unit tests that are programs. The other unit tests are scripts."""
    tests = json.loads(_make("meson", "introspect", folder, "--tests"))
    return {test["name"].replace(" ", "-"): pathlib.Path(test["cmd"][0]) for test in tests
            if "unit" in [suite.split(":")[-1] for suite in test["suite"]]
            and len(test["cmd"]) == 1 and test["cmd"][0].startswith(str(folder))}


class Build:
    """The built programs: .assay, .tests ({name: path}) and .workloads (paths).

    @wanted: patterns of the names of the tests to build. Each must match a test.

    The libraries that the programs need are found below .root.
    """

    def __init__(self, folder, root, compiler, wanted):
        programs = _programs(folder)
        targets = {}
        for pattern in wanted:
            matching = fnmatch.filter(programs, pattern)
            if not matching:
                raise BuildFailed(f"no unit test is called {pattern}")
            targets |= {name: programs[name] for name in matching}
        _make("ninja", "-C", folder, "src/cli/assay",
              *[path.relative_to(folder) for path in targets.values()])
        _make("make", "-s", "-C", "bench/workloads", f"OUT={folder / 'workloads'}",
              f"CC={compiler}")
        self.assay = folder / "src/cli/assay"
        self.tests = targets
        self.workloads = [path for path in (folder / "workloads").iterdir()
                          if os.access(path, os.X_OK)]
        self.root = root


def build_amd64(folder, wanted):
    """Build with the system's compiler and libraries."""
    if os.uname().machine != "x86_64":
        raise Unavailable("the programs for amd64 are built on x86_64 only")
    _meson(folder)
    return Build(folder, pathlib.Path("/"), "gcc", wanted)


def build_arm64(folder, root, wanted):
    """Build with Debian's cross compiler and the libraries unpacked in @root."""
    run(f"{TRIPLET}-gcc", "--version")
    folder.mkdir(parents=True, exist_ok=True)
    cross = folder / "cross.ini"
    text = CROSS_FILE.format(triplet=TRIPLET, root=root)
    if not cross.exists() or cross.read_text() != text:     # writing it makes meson reconfigure
        cross.write_text(text)
    _meson(folder, "--cross-file", cross)
    return Build(folder, root, f"{TRIPLET}-gcc --sysroot={root}", wanted)
