# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare each sample that assay imports from a perf.data with that of hotspot's perfparser."""
import collections
import pathlib
import re
import struct

from harness import Failed, Skipped
from imports import imported, samples_of_assay
from roundtrips import bare, perf_data
from tools import run

PARSERS = [f"/usr/lib/{machine}-linux-gnu/libexec/hotspot-perfparser" for machine in ("x86_64", "aarch64")]
MAGIC = b"QPERFSTREAM\0"
LOCATION, SYMBOL, STRING, SAMPLE = 3, 4, 5, 13


class Stream:
    """The messages of perfparser: a little-endian size, then a QDataStream, which is big-endian.

    Source: app/perfunwind.cpp of github.com/KDAB/perfparser.
    """

    def __init__(self, data):
        if not data.startswith(MAGIC):
            raise Failed("perfparser's output does not begin with its magic number")
        self.strings, self.symbols, self.parents, self.samples = {}, {}, {}, []
        at = len(MAGIC) + 4
        while at < len(data):
            size = struct.unpack_from("<I", data, at)[0]
            self.message(data[at + 4:at + 4 + size])
            at += 4 + size

    def message(self, data):
        kind, rest = data[0], data[1:]
        if kind == STRING:
            number, length = struct.unpack_from(">iI", rest)
            self.strings[number] = rest[8:8 + length].decode(errors="replace") if length < 1 << 31 else ""
        elif kind == LOCATION:
            number, _, _, _, _, _, parent = struct.unpack_from(">iQiIiii", rest)
            self.parents[number] = parent
        elif kind == SYMBOL:
            number, name = struct.unpack_from(">ii", rest)
            self.symbols[number] = name
        elif kind == SAMPLE:
            pid, tid, time, _, count = struct.unpack_from(">IIQII", rest)
            self.samples.append((time, pid, tid, struct.unpack_from(f">{count}i", rest, 24)))

    def name(self, location):
        """Return the name of the function that contains the code, not of a function inlined there.

        The parent of a location is the function into which it was inlined.
        """
        name = ""
        while location >= 0:
            name = self.strings.get(self.symbols.get(location), "") or name
            location = self.parents.get(location, -1)
        return name


def same_as_perfparser(bench):
    parser = next((path for path in PARSERS if pathlib.Path(path).exists()), None)
    if not parser:
        raise Skipped("hotspot-perfparser is not installed")
    path, out = perf_data(bench), bench.directory / "perfparser.stream"
    done = run([parser, "--input", path, "--output", out])
    if done.returncode != 0:
        raise Failed(f"perfparser: exit {done.returncode}: {done.stderr[-200:]}")
    stream = Stream(out.read_bytes())
    theirs = sorted(stream.samples)
    ours = sorted(samples_of_assay(imported(bench, path, "perfparser")), key=lambda s: (s["time"], s["pid"], s["tid"]))
    if len(ours) < 500:
        raise Failed(f"{len(ours)} samples: too few for a verdict")
    yield "count", None if len(ours) == len(theirs) else f"{len(ours)} samples, {len(theirs)} for perfparser"
    start = theirs[0][0]
    differ = [(sample, other[:3]) for sample, other in zip(ours, theirs)
              if (sample["time"], sample["pid"], sample["tid"]) != (other[0] - start, *other[1:3])]
    yield "who and when", f"{len(differ)} differ, such as {differ[0]}" if differ else None
    yield "leaves", compare_leaves(stream, ours, theirs, leaves_of_perf(path))


def leaves_of_perf(path):
    """Return {(time, tid): the innermost function} as perf script prints it."""
    found = {}
    for block in run(["perf", "script", "-i", path, "--ns", "-F", "tid,time,ip,sym"]).stdout.split("\n\n"):
        if match := re.match(r"\s*(\d+) +(\d+)\.(\d{9}): *\n\s*[0-9a-f]+ (\S+)", block):
            found[int(match[2]) * 10**9 + int(match[3]), int(match[1])] = match[4].split(".")[0]
    return found


def compare_leaves(stream, ours, theirs, of_perf):
    """Compare the innermost functions.

    perfparser sometimes gives a sample at the first instruction of a kernel function the name of
    another function. Where it differs, our name must be that of perf script.
    """
    same, differ = 0, collections.Counter()
    for sample, (time, _, tid, frames) in zip(ours, theirs):
        # A compiler's variant of a function has a suffix to its name, which may be left out.
        pair = [name.split(".")[0] for name in (sample["function"], stream.name(frames[0]) if frames else "")]
        if not pair[1] or re.search(r"->|^(fn|gap)_|^\[|@plt|^<|^\?", " ".join(pair)):
            continue
        if bare(pair[0]) == bare(of_perf.get((time, tid), "")):
            pair[1] = pair[0]
        same += bare(pair[0]) == bare(pair[1])
        differ[tuple(pair)] += bare(pair[0]) != bare(pair[1])
    if same < 400 or +differ:
        return f"{same} names agree, {(+differ).most_common(3)} do not"
    return None


CHECKS = [same_as_perfparser]
