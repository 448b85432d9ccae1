# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure how long source lines and inline chains of many addresses take, beside addr2line -i."""
import os
import random
import re
import subprocess
import time

# One compilation unit full of templates.
UNIT = """
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> struct kind
{ int v[N]; bool operator<(const kind &o) const { return v[0] < o.v[0]; } };
template <int N> int work(const std::string &text)
{
    std::map<std::string, std::vector<kind<N>>> words;
    std::unordered_map<int, std::function<int(int)>> made;
    std::vector<kind<N>> all(text.size());
    std::sort(all.begin(), all.end());
    words[text] = all;
    made[N] = [&](int n) { return n + (int)words.size(); };
    std::smatch match;
    std::regex_search(text, match, std::regex("[a-z]+"));
    return made[N](N) + (int)match.size();
}
int all(const std::string &text) { return %s; }
""" % " + ".join(f"work<{n}>(text)" for n in range(1, 25))
WANTED_BYTES, ADDRESSES = 500 << 20, 10000


def run(*command, **kw):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True,
                          **kw)


def build(directory, wanted_bytes):
    """Build a large program.

    The compiled unit is doubled again and again under other symbol names, because it would take an
    hour to compile as much code.
    """
    unit, copy, both = (directory / name for name in ("unit.o", "copy.o", "both.o"))
    large, step = directory / "large", 0
    run("g++", "-O1", "-g", "-fno-use-cxa-atexit", "-x", "c++", "-c", "-o", unit, "-",
        input=UNIT)
    while not large.exists() or large.stat().st_size < wanted_bytes:
        step += 1
        run("objcopy", f"--prefix-symbols=p{step}_", unit, copy)
        run("ld", "-r", "-o", both, unit, copy)
        both.rename(unit)
        if unit.stat().st_size > wanted_bytes:
            run("ld", "-e", "0", "--build-id", "--unresolved-symbols=ignore-all", "-o", large, unit)
    unit.unlink()
    copy.unlink()
    return large


def addresses(path, wanted):
    """Return random addresses from all functions."""
    rows = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tTwW] ", run("nm", "-S", path).stdout, re.M)
    pick = random.Random(1)
    found = set()
    while len(found) < wanted:
        start, size = (int(number, 16) for number in pick.choice(rows))
        found.add(start + pick.randrange(max(size, 1)))
    return sorted(found)


def forget(path):
    """Remove the file from the page cache."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def seconds(path, command, text, cold):
    if cold:
        forget(path)
    start = time.monotonic()
    done = run(*command, input=text)
    return time.monotonic() - start, done.stdout


class Lines:
    def __init__(self, assay, directory, quick):
        self.assay, self.directory, self.quick = assay, directory, quick

    def table(self, note):
        build_dir = next(path for path in self.assay.parents if (path / "build.ninja").exists())
        large = build(self.directory, (20 << 20) if self.quick else WANTED_BYTES)
        vaddrs = addresses(large, 1000 if self.quick else ADDRESSES)
        text = "".join(f"0x{vaddr:x}\n" for vaddr in vaddrs)
        dump = build_dir / "tests/unit/elf/dump_lines"
        lines = [f"| {len(vaddrs):,} addresses of {large.stat().st_size >> 20} MiB | seconds |",
                 "|---|---|"]
        for title, command, cold in (("assay, file not in the page cache", [dump, large], True),
                                     ("assay", [dump, large], False),
                                     ("addr2line -i", ["addr2line", "-i", "-e", large], False)):
            took, _ = seconds(large, command, text, cold)
            note("lines", case=title, seconds=took, bytes=large.stat().st_size)
            lines.append(f"| {title} | {took:.2f} |")
        return "\n".join([*lines, ""])
