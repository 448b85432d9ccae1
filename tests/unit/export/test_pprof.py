#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports for pprof, read by Go's pprof and by protoc: test_pprof.py PRINT_EXPORT PPROF_PROTO"""
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROTO = sys.argv.pop(2)
from exported import BUSY, FAULTS, FAULT_WEIGHT, NAMES, PERIOD_NS, SAMPLES_OF_NAME, export  # noqa: E402

PPROF = sorted(glob.glob("/usr/lib/go*/pkg/tool/*/pprof"))


@unittest.skipUnless(PPROF, "Go's pprof is not installed")
class Pprof(unittest.TestCase):
    def ask(self, *words, options=(), names=()):
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "profile.pb.gz")
            with open(path, "wb") as file:
                file.write(export("pprof", *words, names=names)[0])
            return subprocess.run([PPROF[-1], *options, path], capture_output=True, text=True,
                                  check=True, env=os.environ | {"HOME": scratch}).stdout

    def top(self, *words, options=(), names=()):
        """function -> (its own, with what it called)"""
        text = self.ask(*words, options=("-top", "-nodecount=0", "-nodefraction=0", "-unit=ns",
                                         *options), names=names)
        total = re.search(r"([\d.]+)(ns)? total", text).group(1)
        rows = re.findall(r"^ *(\S+)  *\S+%  *\S+%  *(\S+)  *\S+%  (.*)$", text, re.M)
        return {name: (own.removesuffix("ns"), whole.removesuffix("ns"))
                for own, whole, name in rows}, int(float(total))

    def test_totals(self):
        found, total = self.top(options=["-sample_index=samples"])
        self.assertEqual(total, BUSY + FAULTS)
        self.assertEqual(found["burn_hot"], ("4100", "4100"))
        self.assertEqual(found["_start"], ("0", "6215"))
        _, total = self.top()
        self.assertEqual(total, BUSY * PERIOD_NS)
        found, total = self.top(options=["-sample_index=page-faults"])
        self.assertEqual((found["burn_hot"][0], total),
                         (str(FAULTS * FAULT_WEIGHT), FAULTS * FAULT_WEIGHT))

    def test_filter(self):
        self.assertEqual(self.top("comm=burn", "event=cpu-clock", "context=user",
                                  options=["-sample_index=samples"])[1], 5005)

    def test_labels(self):
        text = self.ask(options=["-raw"])
        self.assertIn("comm:[server] context:[hardirq]\n                pid:[200] tid:[200]", text)
        found, total = self.top(options=["-sample_index=samples", "-tagfocus=context=hardirq"])
        self.assertEqual((list(found), found["tick_handler"][0]), (["tick_handler"], "150"))

    def test_comments(self):
        self.assertIn("5 samples lost: sample-ring-full", self.ask(options=["-comments"]))

    def test_inlined(self):
        text = self.ask("inline", options=["-raw"])
        self.assertRegex(text, r"0x[0-9a-f]+ M=\d+ inlined src/inlined.h:12.*\n"
                               r" +burn_hot src/burn.c:7")
        self.assertNotIn("inlined", self.ask(options=["-raw"]))

    def test_names(self):
        _, total = self.top(options=["-sample_index=samples"], names=NAMES)
        self.assertEqual(total, BUSY + FAULTS + SAMPLES_OF_NAME * len(NAMES))
        text = self.ask(options=["-raw"], names=NAMES)
        self.assertTrue(all(line.isprintable() for line in text.split("\n")))
        self.assertIn("a;b;c", text)
        self.assertIn("\\xff\\xfe", text)

    @unittest.skipUnless(shutil.which("protoc"), "protoc is not installed")
    def test_heavy(self):
        """No sum of weights becomes a debt."""
        text = subprocess.run(["protoc", f"-I{os.path.dirname(PROTO)}",
                               "--decode=assay.pprof.Profile", PROTO],
                              input=gzip.decompress(export("pprof", "heavy")[0]),
                              capture_output=True, check=True).stdout.decode()
        values = [int(value) for value in re.findall(r"(?m)^  value: (-?\d+)$", text)]
        self.assertGreaterEqual(min(values), 0)
        self.assertEqual(max(values), (1 << 63) - 1)

    @unittest.skipUnless(shutil.which("protoc"), "protoc is not installed")
    def test_messages(self):
        """Every field is one that the description knows; every reference leads somewhere."""
        text = subprocess.run(["protoc", f"-I{os.path.dirname(PROTO)}",
                               "--decode=assay.pprof.Profile", PROTO],
                              input=gzip.decompress(export("pprof", names=NAMES)[0]),
                              capture_output=True, check=True).stdout.decode()
        self.assertNotRegex(text, r"(?m)^ *\d+:")
        strings = re.findall(r"(?m)^string_table: (.*)$", text)
        self.assertEqual(strings[0], '""')
        self.assertEqual(len(strings), len(set(strings)))
        wanted = re.findall(r"(?:name|filename|type|unit|key|str|build_id|comment): (\d+)", text)
        self.assertLess(max(map(int, wanted)), len(strings))
        ids = set(re.findall(r"(?m)^location {\n  id: (\d+)", text))
        self.assertEqual(set(re.findall(r"location_id: (\d+)", text)), ids)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
