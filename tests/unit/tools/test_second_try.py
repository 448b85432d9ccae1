#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/second_try.py: what is tried once more, and what a second try settles."""
import collections
import contextlib
import io
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))

import second_try  # noqa: E402  (the path comes first)

Result = collections.namedtuple("Result", "name outcome detail")


def failed(name, detail=""):
    return Result(name, "failed", detail)


class SecondTry(unittest.TestCase):
    def setUp(self):
        self.tried, self.shown = [], []

    def run_again(self, failures, *outcomes):
        """What second_try.run() gives and prints, when the tries end with @outcomes in turn."""
        outcomes = list(outcomes)

        def runner(target):
            self.tried.append(target)
            outcome = outcomes.pop(0)
            names = [result.name for _, result in failures if target in result.name]
            return [Result(name, outcome, "") for name in names]

        stages = ("cli", "accuracy", "unit", "unit-sanitized")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            gone = second_try.run(failures, dict.fromkeys(stages, runner), self.shown.append)
        return gone, said.getvalue()

    def test_each_target_once(self):
        failures = [("cli", failed("cli/sql/query")), ("accuracy", failed("accuracy/shares/one")),
                    ("accuracy", failed("accuracy/shares/two")),
                    ("unit", failed("capture ring: test_a"))]
        gone, said = self.run_again(failures, "passed", "failed", "passed")
        self.assertEqual(self.tried, ["sql/query", "shares", "capture ring"])
        self.assertEqual(gone, 2)
        self.assertEqual([result.name for result in self.shown],
                         ["accuracy/shares/one", "accuracy/shares/two"])
        self.assertEqual(said.splitlines()[1:], [
            "  cli/sql/query: passed then", "  accuracy/shares/one: failed again",
            "  accuracy/shares/two: failed again", "  capture ring: test_a: passed then"])

    def test_a_skip_settles_nothing(self):
        self.assertEqual(self.run_again([("cli", failed("cli/a/b"))], "skipped")[0], 0)

    def test_others_settle_nothing(self):
        def runner(target):
            return [Result("unit: b", "passed", ""), Result("unit: a", "skipped", "")]

        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(second_try.run([("unit", failed("unit: a"))], {"unit": runner},
                                            self.shown.append), 0)
            self.assertEqual(second_try.run([("unit", failed("unit: b"))], {"unit": runner},
                                            self.shown.append), 1)

    def test_a_program_that_took_too_long(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(second_try.run(
                [("unit", failed("elf lines: TIMEOUT"))],
                {"unit": lambda target: [Result("elf lines: a", "passed", "")]},
                self.shown.append), 1)

    def test_a_check_that_broke_off(self):
        for other, gone in (("accuracy/killed/one", 1), ("accuracy/killedness", 0)):
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(second_try.run(
                    [("accuracy", failed("accuracy/killed"))],
                    {"accuracy": lambda target, other=other: [Result(other, "passed", "")]},
                    self.shown.append), gone)

    def test_never(self):
        for stage, result in (("sizes", failed("sizes")), ("fuzz", failed("fuzz_elf: FAIL")),
                              ("build", failed("build in build")), ("cli", failed("cli")),
                              ("unit", failed("unit in build")), ("vm", failed("vm/amd64/doctor")),
                              ("unit-sanitized", failed("elf lines: FAIL", "x\n==1==ERROR: "
                                                        "AddressSanitizer: heap-use-after-free")),
                              ("cli", failed("cli/a/b", "a.c:1:2: runtime error: overflow"))):
            self.assertEqual(self.run_again([(stage, result)]), (0, ""), result.name)

    def test_leaks(self):
        leak = ("==1==ERROR: LeakSanitizer: detected memory leaks\n"
                "SUMMARY: AddressSanitizer: 10 byte(s) leaked in 1 allocation(s).")
        used = "==1==ERROR: AddressSanitizer: heap-use-after-free"
        for name, detail, is_tried in (("capture ring: test_a", leak, True),
                                       ("capture ring: FAIL", leak, False),
                                       ("capture ring: test_a", leak + used, False)):
            outcomes = ["passed"] if is_tried else []
            self.assertEqual(self.run_again([("unit-sanitized", failed(name, detail))],
                                            *outcomes)[0], int(is_tried), detail)
        self.assertEqual(self.run_again([("cli", failed("cli/a/b", leak))])[0], 0)

    def test_much_failed(self):
        failures = [("cli", failed(f"cli/a/{number}")) for number in range(6)]
        self.assertEqual(self.run_again(failures), (0, ""))
        self.assertEqual(self.run_again(failures[1:], *["passed"] * 5)[0], 5)


unittest.main()
