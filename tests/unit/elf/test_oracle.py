#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the symbol tables we read with what binutils say about the same files.

The files are those named, and a small program linked in all the ways that give a PLT another
shape, stripped and not.

Usage: test_oracle.py DUMP_SYMBOLS FILE...   (exit status 77: nothing to compare with)
"""
import collections, os, re, shutil, subprocess, sys, tempfile

PROGRAM = """
#include <stdio.h>
#include <string.h>
static int __attribute__((noinline)) local(const char *text) { return (int)strlen(text) * 3; }
void *pointer = (void *)puts;
int main(int argc, char **argv) { puts(argv[0]); return local(argv[0]) + (pointer == (void *)puts); }
"""
IBT = ["-fcf-protection=full", "-Wl,-z,ibtplt"]
LINKS = {
    "pie": ["-pie", "-fPIE"], "fixed": ["-no-pie"], "static": ["-static"],
    "lazy": ["-Wl,-z,lazy"], "now": ["-Wl,-z,now"],
    "ibt-lazy": [*IBT, "-Wl,-z,lazy"], "ibt-now": [*IBT, "-Wl,-z,now"],
}


def lines_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape")
    return done.stdout.splitlines()


def dump(program, path):
    """{vaddr: name}, {vaddr: name} of PLT stubs, {(start, end)}, complete"""
    names, stubs, ranges, complete = {}, {}, set(), False
    done = subprocess.run([program, path], capture_output=True, text=True, check=True,
                          errors="surrogateescape")
    for line in done.stdout.splitlines():
        word = line.split(" ", 4)
        if word[0] == "complete":
            complete = word[1] == "1"
        elif word[0] == "range":
            ranges.add((int(word[1], 16), int(word[2], 16)))
        else:
            (stubs if word[3] == "plt" else names)[int(word[1], 16)] = word[4]
    return names, stubs, ranges, complete


def nm_functions(path):
    """{vaddr: {names}} of FUNC and IFUNC symbols that are defined, both tables"""
    found = collections.defaultdict(set)
    for line in lines_of("readelf", "-W", "--syms", "--dyn-syms", path):
        word = line.split()
        if len(word) >= 8 and word[3] in ("FUNC", "IFUNC") and word[6] not in ("UND", "ABS"):
            found[int(word[1], 16)].add(word[7].split("@")[0])
    found.pop(0, None)
    return found


def objdump_stubs(path):
    """{vaddr: name} of the <name@plt> labels"""
    found = {}
    for section in (".plt", ".plt.sec", ".plt.got"):
        for line in lines_of("objdump", "-d", "--no-show-raw-insn", "-j", section, path):
            match = re.fullmatch(r"([0-9a-f]+) <(.+)@plt>:", line)
            if match and not match[2].startswith("*ABS*"):
                found[int(match[1], 16)] = match[2].split("@")[0]
    return found


def readelf_ranges(path):
    found = set()
    for line in lines_of("readelf", "-W", "--debug-dump=frames", path):
        match = re.search(r" FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)$", line)
        if match:
            found.add((int(match[1], 16), int(match[2], 16)))
    return found


def check(program, path):
    names, stubs, ranges, complete = dump(program, path)
    wanted = nm_functions(path)
    bad = [f"{vaddr:x} {sorted(known)} not found" for vaddr, known in wanted.items()
           if names.get(vaddr) not in known]
    wanted_stubs = objdump_stubs(path)
    bad += [f"stub {vaddr:x} is {stubs.get(vaddr)}, not {name}"
            for vaddr, name in wanted_stubs.items() if stubs.get(vaddr) != name]
    bad += [f"stub {vaddr:x} {stubs[vaddr]} is unknown to objdump"
            for vaddr in stubs.keys() - wanted_stubs.keys()]
    wanted_ranges = set() if complete else readelf_ranges(path)
    bad += [f"FDE {start:x}..{end:x} on one side only"
            for start, end in wanted_ranges ^ ranges if start != end]
    print(f"{path}: {len(names)} functions of {len(wanted)} addresses, {len(stubs)} stubs, "
          f"{len(ranges)} FDEs, {len(bad)} differences")
    for line in bad[:10]:
        print("  " + line)
    return not bad


def build(folder):
    """The program in all shapes; none where there is no compiler or it cannot link that way."""
    source = os.path.join(folder, "program.c")
    with open(source, "w") as file:
        file.write(PROGRAM)
    for name, options in LINKS.items():
        path = os.path.join(folder, name)
        command = ["cc", "-O1", "-fno-builtin", *options, "-o", path, source]
        if shutil.which("cc") and subprocess.run(command, capture_output=True).returncode == 0:
            yield path
            subprocess.run(["strip", "-o", path + ".stripped", path], check=True)
            yield path + ".stripped"


def main():
    missing = [tool for tool in ("readelf", "objdump") if not shutil.which(tool)]
    paths = [path for path in sys.argv[2:] if os.path.exists(path)]
    if missing or not paths:
        print(f"skipped: no {', '.join(missing) or 'file to compare'}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        results = [check(sys.argv[1], path) for path in [*paths, *build(folder)]]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
