# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure how much longer a context switch takes while assay records waits or perf traces it."""
import os
import subprocess
import time

from measure import interval, rotated

COUNT = 400_000
START_S, END_S = 1.0, 30


class Switches:
    def __init__(self, assay, loads, directory, pairs):
        self.program, self.pairs = loads.workloads / "switches", pairs
        self.cpu = max(os.sched_getaffinity(0))
        sampling = [assay, "record", "-q", "-a", "-e", "cpu-clock", "-F", "19", "-o",
                    directory / "switches.assay"]
        perf = ["perf", "record", "-q", "-a", "-o", directory / "switches.data"]
        self.ways = {
            "none": None,
            "assay record -a": sampling,
            "assay record -a --off-cpu": [*sampling, "--off-cpu"],
            "assay record -a --off-cpu --off-cpu-wakers":
                [*sampling, "--off-cpu", "--off-cpu-wakers"],
            "perf record -a -e sched:sched_switch": [*perf, "-e", "sched:sched_switch"],
            "perf record -a -g -e sched:sched_switch": [*perf, "-g", "-e", "sched:sched_switch"],
        }

    def measure(self, recorder):
        """Return the ns per switch while the recorder runs."""
        command = [str(word) for word in recorder or ["true"]]
        with subprocess.Popen([*command, "--", "sleep", "3600"] if recorder else command,
                              stderr=subprocess.DEVNULL, start_new_session=True) as running:
            time.sleep(START_S)
            done = subprocess.run([self.program, str(COUNT), str(self.cpu)], check=True,
                                  capture_output=True, text=True)
            if recorder:
                running.terminate()
                running.wait(END_S)
        return float(done.stdout)

    def table(self, note):
        took = {way: [] for way in self.ways}
        for pair in range(self.pairs):
            for way in rotated(list(self.ways), pair):
                took[way].append(self.measure(self.ways[way]))
                note("switches", way=way, pair=pair, ns=took[way][-1])
        lines = ["| recorder | one switch, ns | increase over another row, ns |",
                 "|---|---|---|"]
        for way, each in took.items():
            median, low, high = interval(each)
            before = "assay record -a" if "--off-cpu" in way else "none"
            added = interval([ns - base for ns, base in zip(each, took[before])])
            shown = f"{added[0]:.0f} [{added[1]:.0f}, {added[2]:.0f}] over {before}"
            lines.append(f"| {way} | {median:.0f} [{low:.0f}, {high:.0f}] | "
                         + ("" if way == "none" else shown) + " |")
        return "\n".join([*lines, "", f"Two processes on one CPU, {COUNT:,} switches, "
                          f"{self.pairs} rounds.", ""])
