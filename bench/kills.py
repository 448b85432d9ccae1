# SPDX-License-Identifier: GPL-2.0-or-later
"""Kill recorders at random moments, and count what their files lack."""
import csv
import random
import signal
import statistics
import subprocess
import time

RUNS = 1000
FLUSH_MS = 100
START_S = 0.5       # until the first flush is on its way
SPREAD_S = 0.5


class Kills:
    def __init__(self, assay, loads, directory, quick):
        self.assay, self.loads = assay, loads
        self.path = directory / "killed.assay"
        self.runs = 20 if quick else RUNS

    def run(self):
        """Return the milliseconds before the kill that the file lacks, "early" if it has no samples
        yet, or None if it is unreadable."""
        recorder = subprocess.Popen(
            [self.assay, "record", "-q", "-a", "-F", "999", "-M", str(FLUSH_MS), "-e", "cpu-clock",
             "-o", self.path])
        time.sleep(START_S + random.random() * SPREAD_S)
        killed_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
        found = subprocess.run([self.assay, "sql", "--csv", self.path,
                                "SELECT max(time_ns) AS last_ns FROM sample"],
                               capture_output=True, text=True)
        if found.returncode:
            return None
        row, = csv.DictReader(found.stdout.splitlines())
        return (killed_ns - int(row["last_ns"])) / 1e6 if row["last_ns"] else "early"

    def table(self, note):
        random.seed(1)
        with self.loads.busy(self.runs):
            lacks = [self.run() for _ in range(self.runs)]
        note("kills", lacks_ms=lacks)
        known = sorted(lack for lack in lacks if isinstance(lack, float))
        late = sum(lack > 2 * FLUSH_MS for lack in known)
        return (f"| recorders killed | before the first flush | unreadable | missing before the kill, median | 99 % | most "
                f"| more than one flush of {FLUSH_MS} ms lost |\n|---|---|---|---|---|---|---|\n"
                f"| {len(lacks)} | {lacks.count('early')} | {lacks.count(None)} | {statistics.median(known):.0f} ms "
                f"| {known[len(known) * 99 // 100]:.0f} ms | {known[-1]:.0f} ms | {late} |\n")
