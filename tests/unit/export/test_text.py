#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports for tools that read lines of text: test_text.py PRINT_EXPORT"""
import re
import sys
import unittest

from exported import BUSY, NAMES, SAMPLES_OF_NAME, export


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
        self.assertEqual(found["a b 12;a b 12"], SAMPLES_OF_NAME)
        self.assertTrue(all(path.isprintable() for path in found))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
