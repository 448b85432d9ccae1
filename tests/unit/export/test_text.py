#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports for tools of the command line: test_text.py PRINT_EXPORT"""
import collections
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from exported import (BUSY, FAULTS, FAULT_WEIGHT, NAMES, PERIOD_NS,
                      SAMPLES_OF_NAME, export, unescaped)
from perf_readers import collapse, speedscope


class Folded(unittest.TestCase):
    def lines(self, *words, names=()):
        """path -> samples, as flamegraph.pl takes lines apart."""
        text, samples = export("folded", *words, names=names)
        found = {}
        for line in text.decode("utf-8").split("\n")[:-1]:
            path, count = re.fullmatch(r"(.*)\s+?(\d+)", line).groups()
            self.assertNotIn(path, found)
            found[path] = int(count)
        self.assertEqual(sum(found.values()), samples)
        return found, samples

    def test_machine(self):
        found, samples = self.lines()
        self.assertEqual(samples, BUSY)
        self.assertEqual(found["burn;_start;burn_hot"], 4000)
        self.assertEqual(found["server;_start;[stripped.so]"], 50)

    def test_filter(self):
        found, samples = self.lines("comm=burn", "context=user")
        self.assertEqual(samples, 5005)
        self.assertEqual({path.split(";")[0] for path in found}, {"burn"})
        self.assertEqual(self.lines("context=idle")[1], 500)
        found, samples = self.lines("event=page-faults")
        self.assertEqual(found, {"burn;_start;burn_hot": 100})

    def test_inlined(self):
        found, _ = self.lines("inline")
        self.assertEqual(found["burn;_start;burn_hot;inlined"], 4000)
        self.assertNotIn("burn;_start;burn_hot", found)

    def test_names(self):
        found, samples = self.lines(names=NAMES)
        self.assertEqual(samples, BUSY + SAMPLES_OF_NAME * len(NAMES))
        self.assertEqual(found["a\\x3bb\\x3bc;a\\x3bb\\x3bc"], SAMPLES_OF_NAME)
        self.assertEqual(found["a b\\x2012;a b\\x2012"], SAMPLES_OF_NAME)
        self.assertTrue(all(path.isprintable() for path in found))


# perf pads the name of a thread only if there is no stack; tools refuse a blank before the name
HEAD = re.compile(r"(\S.*?) +(\d+)/(\d+) +\[(\d+)\] +(\d+\.\d{6}): +(\d+) (\S+): $")
FRAME = re.compile(r"\t *([0-9a-f]+) (.+?)(?:\+0x[0-9a-f]+)? \((.+)\)$")


class PerfScript(unittest.TestCase):
    def events(self, text):
        """(head, frames) of each sample, as those who collapse stacks take them apart: without lines."""
        for block in re.sub(r"(?m)^#.*\n|^  src/.*:\d+\n", "", text).lstrip("\n").split("\n\n")[:-1]:
            head, *frames = block.split("\n")
            yield (HEAD.fullmatch(head).groups(),
                   [FRAME.fullmatch(frame).groups() for frame in frames])

    def collapsed(self, *words, names=()):
        text, samples = export("perf-script", *words, names=names)
        found = collections.Counter()
        for head, frames in self.events(text.decode()):
            path = [f"[{dso.rsplit('/', 1)[-1]}]" if name == "[unknown]" else name
                    for _, name, dso in reversed(frames)]
            found[";".join([head[0], *path]), head[6]] += 1
        self.assertEqual(sum(found.values()), samples)
        return found

    def test_machine(self):
        """The same as what is exported folded, but with the second event."""
        text, _ = export("folded")
        folded = {tuple(line.rsplit(" ", 1)) for line in text.decode().splitlines()}
        found = self.collapsed()
        self.assertEqual(found["burn;_start;burn_hot", "page-faults"], FAULTS)
        self.assertEqual({(path, str(count)) for (path, event), count in found.items()
                          if event == "cpu-clock"}, folded)
        self.assertEqual(found["burn;<truncated stack>;ksys_read", "cpu-clock"], 500)

    def test_fields(self):
        text, _ = export("perf-script", "cpu=1", "comm=server")
        head, frames = next(self.events(text.decode()))
        self.assertEqual((head[:4], head[5:]), (("server", "200", "200", "001"),
                                                (str(PERIOD_NS), "cpu-clock")))
        self.assertEqual([frame[2] for frame in frames], ["/usr/bin/server", "/lib/libc.so.6"])
        self.assertIn(b"# 5 samples lost: sample-ring-full\n", text)

    def test_inlined(self):
        self.assertEqual(self.collapsed("inline")["burn;_start;burn_hot;inlined", "cpu-clock"],
                         4000)

    def test_lines(self):
        text = export("perf-script", "inline")[0].decode()
        self.assertEqual(len(re.findall(r"\t +\w+ inlined \(inlined\)\n  src/inlined.h:12\n"
                                        r"\t +\w+ burn_hot\S* \(/usr/bin/burn\)\n  src/burn.c:7\n"
                                        r"\t +\w+ _start\S* \(\S+\)\n\n", text)), 4000 + FAULTS)
        self.assertNotIn("\n  src", export("perf-script")[0].decode())

    def test_names(self):
        names = [name for name in NAMES if name.strip()]
        found = self.collapsed(names=names)
        self.assertEqual(sum(found.values()), BUSY + FAULTS + SAMPLES_OF_NAME * len(names))
        self.assertEqual(found["a\\x0ab\\x0dc\\x09d;a\\x0ab\\x0dc\\x09d", "cpu-clock"],
                         SAMPLES_OF_NAME)

    def test_readers(self):
        """Other tools find each sample, and whole names."""
        names = [name for name in NAMES if name and len(name) < 300] + [b"a->b:addr", b"operator->", b"f (x)", b"/x (deleted)"]
        text, samples = export("perf-script", names=names)
        collapsed = list(collapse(text.decode()))
        self.assertEqual(len(collapsed), samples)
        found = collections.Counter((unescaped(thread), *map(unescaped, path)) for event, thread, _, path in collapsed)
        scoped = [(unescaped(thread), *((unescaped(name), unescaped(image)) for name, image in path))
                  for _, thread, path in speedscope(text.decode())]
        self.assertEqual(len(scoped), samples)
        scoped = collections.Counter(scoped)
        for name in set(names) - {b"[unknown]"}:
            self.assertEqual(found[name, name], SAMPLES_OF_NAME, name[:50])
            self.assertEqual(scoped[name, (name, name)], SAMPLES_OF_NAME, name[:50])

    def test_form(self):
        """perf's own text, of the same fields, has the form that is taken apart above."""
        with tempfile.TemporaryDirectory() as scratch:
            path = f"{scratch}/perf.data"
            command = ["perf", "record", "-q", "-B", "--sample-cpu", "-g", "-e", "cpu-clock", "-o",
                       path, "--", "sh", "-c", "i=0; while [ $i -lt 99999 ]; do i=$((i + 1)); done"]
            try:
                subprocess.run(command, capture_output=True, check=True)
                text = subprocess.run(["perf", "script", "-i", path, "-F",
                                       "comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso"],
                                      check=True, capture_output=True, text=True).stdout
            except (OSError, subprocess.CalledProcessError) as problem:
                raise unittest.SkipTest(f"no text of perf script: {problem}") from problem
        self.assertGreater(len(list(self.events(text))), 0)


@unittest.skipUnless(shutil.which("callgrind_annotate"), "valgrind is not installed")
class Callgrind(unittest.TestCase):
    def annotate(self, *words, options=(), names=()):
        """function -> (cost of each event, with what it called), and the totals"""
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "callgrind.out"
            path.write_bytes(export("callgrind", *words, names=names)[0])
            done = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", *options,
                                   path], check=True, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        rows = re.findall(r"^ *([\d,]+) \([^)]*\) +(?:([\d,.]+)(?: \([^)]*\))? +)?(\S.*)$", done.stdout,
                          re.M)
        costs = {name: tuple(int(cost.replace(",", "").replace(".", "0") or 0) for cost in pair)
                 for *pair, name in rows}
        return costs, costs.pop("PROGRAM TOTALS"), done.stdout

    def test_self(self):
        costs, totals, text = self.annotate()
        self.assertEqual(totals, (BUSY * PERIOD_NS, FAULTS * FAULT_WEIGHT))
        self.assertEqual(costs["???:burn_hot [/usr/bin/burn]"], (4000 * PERIOD_NS, 300))
        self.assertEqual(costs["???:ksys_read [[kernel]]"], (540 * PERIOD_NS, 0))
        self.assertEqual(sum(cost for cost, _ in costs.values()), totals[0])
        self.assertIn("5 samples lost: sample-ring-full", text)

    def test_inclusive(self):
        costs, _, _ = self.annotate(options=["--inclusive=yes"])
        self.assertEqual(costs["???:_start [/lib/libc.so.6]"], (6115 * PERIOD_NS, 300))
        self.assertEqual(costs["???:burn [???]"], (6105 * PERIOD_NS, 300))
        self.assertEqual(costs["???:burn_hot [/usr/bin/burn]"], (4000 * PERIOD_NS, 300))

    def test_recursion(self):
        """Of frames a, b, a, b, a, c neither reader nor writer counts a twice."""
        costs, totals, _ = self.annotate("recursive", "comm=twice", options=["--inclusive=yes"])
        self.assertEqual(costs, {f"???:{name}": (20 * PERIOD_NS, 0) for name in
                                 ("twice [???]", "a [/bin/twice]", "c [/bin/twice]")})
        self.assertEqual(totals[0], 20 * PERIOD_NS)

    def test_lines(self):
        costs, _, _ = self.annotate("inline")
        self.assertEqual(costs["src/inlined.h:inlined [/usr/bin/burn]"], (4000 * PERIOD_NS, 300))
        text, _ = export("callgrind", "inline")
        self.assertRegex(text.decode(), r"cfn=\(\d+\) inlined\ncalls=4100 0\n7 4000000000 300\n")
        self.assertRegex(text.decode(), r"\nfn=\(\d+\)\n12 4000000000 300\n")

    def test_names(self):
        _, totals, _ = self.annotate(names=NAMES)
        self.assertEqual(totals[0], (BUSY + SAMPLES_OF_NAME * len(NAMES)) * PERIOD_NS)


class Gmon(unittest.TestCase):
    def read(self, *words):
        """address -> samples, (caller, callee) -> samples, rates"""
        data, samples = export("gmon", *words)
        self.assertEqual(data[:20], b"gmon\1" + bytes(15))
        bins, arcs, rates, at = collections.Counter(), {}, [], 20
        while at < len(data):
            tag, at = data[at], at + 1
            if tag == 1:
                caller, callee, count = struct.unpack_from("<QQI", data, at)
                self.assertNotIn((caller, callee), arcs)
                arcs[caller, callee], at = count, at + 20
                continue
            self.assertEqual(tag, 0)
            low, high, count, rate, dimension, _ = struct.unpack_from("<QQII15sc", data, at)
            self.assertEqual(high - low, 4 * count)
            for i, value in enumerate(struct.unpack_from(f"<{count}H", data, at + 40)):
                if value:
                    bins[low + 4 * i] += value
            rates.append((rate, dimension.rstrip(b"\0")))
            at += 40 + 2 * count
        self.assertEqual(sum(bins.values()), samples)
        return bins, arcs, rates

    def test_image(self):
        """/usr/bin/burn has the most samples, libc.so.6 others."""
        bins, arcs, rates = self.read()
        self.assertEqual((sorted(bins.values()), arcs), ([1000, 4000], {}))
        self.assertEqual(rates, [(1000, b"seconds")])
        self.assertEqual(sorted(self.read("image=libc.so.6")[0].values()), [5, 200])

    def test_heaps(self):
        """However many there are in a bin, none is missing."""
        bins, _, rates = self.read("many", "heaps")
        self.assertEqual(sorted(bins.values()), [42 * 1000, 42 * 104000])
        self.assertEqual(len(rates), 67)

    def test_arcs(self):
        """Of a, b, a, b, a, c each arc counts a sample once."""
        bins, arcs, _ = self.read("recursive", "comm=twice")
        self.assertEqual(list(bins.values()), [20])
        self.assertEqual(len({callee for _, callee in arcs}), 3)
        self.assertEqual(list(arcs.values()), [20, 20, 20])

    def test_many(self):
        bins, _, rates = self.read("many")
        self.assertEqual(sorted(bins.values()), [1000, 104000])
        self.assertEqual(len(rates), 2)

    def test_events(self):
        bins, _, rates = self.read("event=page-faults")
        self.assertEqual((list(bins.values()), rates), ([FAULTS], [(1, b"samples")]))

    def test_nothing(self):
        self.assertEqual(self.read("comm=nobody"), ({}, {}, []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
