#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts with hostile names, exported and imported again: test_returns.py PRINT_EXPORT ASSAY"""
import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

ASSAY = sys.argv.pop(2)
from exported import BUSY, FAULTS, NAMES, SAMPLES_OF_NAME, export, unescaped  # noqa: E402

COUNT = 100000
ATOMS = [bytes([byte]) for byte in b";;;  ()[]<>->#+.:/\\\"'%=@0123456789abfxuU\n\r\t\x01\x7f\xff\xc3\xed"] + [
    b" 12", b" 7/8 [001] 3.5: 1 x: ", b"_[k]", b"+0x1f", b" (inlined)", b" (/x)", b"[unknown]",
    b"<broken stack>", b"operator->", b"\\x0a", b"\\x5c", b"\\u202e", "\u202e\u00fc\U000e0041".encode(),
    b"(anonymous namespace)::", b"[kernel", b"ffffffff81000010", b"# ========", b"  a.c:7", b" "]


def random_names():
    """Different names. Functions without a name are unknown, so the empty name is not among them."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    choice = random.Random(seed)
    names = {b"".join(choice.choices(ATOMS, k=choice.choice((1, 1, 2, 3, 5, 8)))) for _ in range(COUNT * 2)}
    return choice.sample(sorted(names), COUNT)


class Returns(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def again(self, style, text):
        """The text of the recording that is imported from this text."""
        (self.scratch / "text").write_bytes(text)
        done = subprocess.run([ASSAY, "import", "-f", style, "-o", self.scratch / "x.assay", self.scratch / "text"],
                              capture_output=True, text=True, check=True)
        said = [line for line in done.stderr.splitlines()
                if "does not contain" not in line and "sample-ring-full" not in line]
        self.assertEqual(len(said), 1, said)
        return subprocess.run([ASSAY, "export", "-f", style, self.scratch / "x.assay"],
                              capture_output=True, check=True).stdout.decode()

    def check_folded(self, names):
        text, _ = export("folded", names=names)
        lines = collections.Counter(text.decode().splitlines())
        again = self.again("folded", text).splitlines()
        self.assertEqual(lines, collections.Counter(line.removeprefix("[folded];") for line in again))
        found = [line.rsplit(" ", 1)[0].split(";") for line in lines]
        self.assertLessEqual(set(names), {unescaped(path[0]) for path in found if len(path) == 2})
        self.assertLessEqual(set(names), {unescaped(path[1]) for path in found if len(path) == 2})

    def check_perf_script(self, names):
        names = [name for name in names if name != b"[unknown]"]    # perf's word for no name
        text, _ = export("perf-script", names=names)
        blocks = collections.Counter(re.sub(rb"(?m)^#.*\n", b"", text).decode().strip("\n").split("\n\n"))
        again = collections.Counter(re.sub(r"(?m)^#.*\n", "", self.again("perf-script", text)).strip("\n").split("\n\n"))
        self.assertEqual(sum(blocks.values()), BUSY + FAULTS + SAMPLES_OF_NAME * len(names))
        self.assertEqual([], list((blocks - again).items())[:3] + list((again - blocks).items())[:3])
        found = {(unescaped(name), unescaped(name_2), unescaped(image)) for name, name_2, image in
                 re.findall(r"(?m)^(\S.*?)  +\d+/\d+ +\[\d+\] +[\d.]+: +\d+ cpu-clock: \n"
                            r"\t +[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \((\S+)\)$", "\n\n".join(blocks))}
        self.assertLessEqual({(name, name, name) for name in names}, found)

    def test_names(self):
        names = [name[:65535] for name in NAMES if name]
        self.check_folded(names)
        self.check_perf_script(names)

    def test_random_names(self):
        names = random_names()
        self.check_folded(names)
        self.check_perf_script(names[:COUNT // 4])

    def test_empty_name(self):
        """It is unknown afterwards, but its samples are not lost."""
        for style in "folded", "perf-script":
            text, _ = export(style, names=[b""])
            again = self.again(style, text)
            count = sum(int(line.rsplit(" ", 1)[1]) for line in again.splitlines()) if style == "folded" \
                else again.count("\n\n") - 1    # the first ends the header
            self.assertEqual(count, BUSY + SAMPLES_OF_NAME + (style != "folded") * FAULTS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
