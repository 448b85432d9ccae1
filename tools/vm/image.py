# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the guest's file system: one archive that the kernel unpacks into memory.

So the guest needs no disk, driver or module, and its changes are lost when it ends.
"""
import os
import re
import shutil
import subprocess

from vm.build import ROOT
from vm.packages import run

FOLDERS = ("bin", "dev", "etc", "lib", "mnt", "proc", "root", "run", "sys", "tests", "tmp",
           "workloads")
USERS = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n"
NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
INTERPRETER = re.compile(r"Requesting program interpreter: (\S+)\]")
LOADED_BY_NAME = ["libgcc_s.so.1"]      # the C library loads it for backtrace()


def _library(root, triplet, name):
    for folder in (f"lib/{triplet}", f"usr/lib/{triplet}", "lib", "lib64"):
        path = root / folder / name
        if path.exists():
            return path
    raise FileNotFoundError(f"{name} is not in {root}")


def _copy(path, target):
    """Copy a program without its debug information, which the guest does not need."""
    if subprocess.run(["objcopy", "--strip-debug", path, target], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        shutil.copy(path, target)
    target.chmod(0o755)


def _add_libraries(folder, programs, root, triplet):
    """Add the libraries that the programs need, the libraries that those need, and so on."""
    names, seen = list(LOADED_BY_NAME), set()
    for program in programs:
        said = run("readelf", "--wide", "--dynamic", "--program-headers", program)
        names += NEEDED.findall(said)
        for path in INTERPRETER.findall(said):
            target = folder / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_library(root, triplet, target.name), target)
    (folder / "lib" / triplet).mkdir(parents=True)
    while names:
        name = names.pop()
        if name in seen:
            continue
        seen.add(name)
        path = _library(root, triplet, name)
        shutil.copy(path, folder / "lib" / triplet / name)
        names += NEEDED.findall(run("readelf", "--wide", "--dynamic", path))


def make(folder, build, packages, triplet):
    """Create FOLDER anew and pack it into FOLDER.cpio. Return the path of the archive."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    for name in ("init", "checks.sh"):
        shutil.copy(ROOT / "tests/vm" / name, folder / name)
        (folder / name).chmod(0o755)
    shutil.copy(packages.root / "bin/busybox", folder / "bin/busybox")
    (folder / "bin/sh").symlink_to("busybox")
    (folder / "etc/passwd").write_text(USERS)
    programs = {folder / "bin/assay": build.assay}
    programs |= {folder / "tests" / name: path for name, path in build.tests.items()}
    programs |= {folder / "workloads" / path.name: path for path in build.workloads}
    for target, path in programs.items():
        _copy(path, target)
    _add_libraries(folder, list(programs), build.root, triplet)
    return _pack(folder)


def _pack(folder):
    archive = folder.with_suffix(".cpio")
    names = sorted(os.path.relpath(os.path.join(parent, name), folder)
                   for parent, folders, files in os.walk(folder) for name in folders + files)
    with open(archive, "wb") as file:
        subprocess.run(["cpio", "--quiet", "--create", "--format=newc", "--owner=+0:+0"],
                       cwd=folder, input="\n".join(names).encode(), stdout=file, check=True)
    return archive
