# SPDX-License-Identifier: GPL-2.0-or-later
"""Let allocations and writes fail. There must be a message, and what was written must be readable."""
import os
import subprocess

from harness import Failed, Skipped
from judge import SECONDS_MAX

TRIES = int(os.environ.get("TRIES", "12"))     # for each command, and for each way to fail
EVER = 1 << 40


class Failing:
    def __init__(self, place, what):
        self.place, self.what = place, what
        self.assay = place.judge.assay
        if place.judge.is_sanitized:
            raise Skipped("the sanitizers have their own allocator")
        self.counted = place.directory / "calls"

    def run(self, words, first, count):
        """Run assay; return the finished process. @count calls fail, beginning with call @first."""
        env = dict(os.environ, LD_PRELOAD=str(self.place.failing), FAIL=self.what,
                   FAIL_AT=str(first), FAIL_COUNT=str(count), FAIL_REPORT=str(self.counted))
        return subprocess.run([self.assay, *map(str, words)], env=env, capture_output=True,
                              check=False, timeout=SECONDS_MAX)

    def calls(self, words):
        """Return how many calls a run makes in which none fails."""
        done = self.run(words, 0, 0)
        if done.returncode != 0:
            raise Failed(f"exit {done.returncode}: {done.stderr[-200:]!r}")
        return int(self.counted.read_text())

    def sweep(self, words, output=None):
        """Yield (first call that fails, how many fail, problem or None)."""
        calls = self.calls(words)
        for i in range(TRIES):
            for count in (1, EVER):
                first = 1 + (2 * i + 1) * calls // (2 * TRIES)
                if output:
                    for path in output.parent.glob(f"{output.name}*"):
                        path.unlink()
                yield first, count, self.problem(words, first, count, output)

    def problem(self, words, first, count, output):
        try:
            done = self.run(words, first, count)
        except subprocess.TimeoutExpired:
            return "hangs"
        _, _, problem = self.place.judge.judge(words[0], done.returncode, done.stdout, done.stderr,
                                               (0, 1))
        if problem or not output or not output.exists():
            return problem
        return self.place.judge.run("report", "--json", output, allowed=(0,))[2]


def commands(place):
    """Yield (name, words, the recording that they write or None)."""
    output = place.directory / "failing.assay"
    for collector in "bpf", "ring":
        yield (f"record with {collector}",
               ["record", "-q", "--collector", collector, "-a", "-F", "99", "-M", "50", "-o", output,
                "--", "sleep", "0.2"], output)
    good = place.directory / "good-for-failing.assay"
    _, _, problem = place.judge.run("record", "-q", "-F", "999", "-o", good, "--", "ls", "-R",
                                    "/usr/lib", allowed=(0,))
    if problem:
        raise Failed(problem)
    yield "report", ["report", good], None


def sweeps(place, what):
    failing = Failing(place, what)
    for name, words, output in commands(place):
        if what == "write" and not output:
            continue
        for first, count, problem in failing.sweep(words, output):
            ever = " and all after" if count == EVER else ""
            yield f"{name}: {what} {first}{ever}", problem


def failing_memory(place):
    """An allocation fails, or all from one on."""
    yield from sweeps(place, "memory")


def failing_writes(place):
    """A write to the recording fails, or all from one on."""
    yield from sweeps(place, "write")


CHECKS = [failing_memory, failing_writes]
