# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure how long annotate takes to its first line, and how long diff takes for two recordings."""
import subprocess
import time

from measure import interval

LIBRARY = "libLLVM-14.so.1"
MIB = 1 << 20


def shown(values):
    return "{:.2f} [{:.2f}, {:.2f}]".format(*interval(values))


def first_line_s(command):
    """Return the seconds until the first byte of output. Read the rest, too."""
    start = time.monotonic()
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        took = time.monotonic() - start
        process.stdout.read()
    if process.returncode != 0:
        raise RuntimeError(f"{command[1]} exited with {process.returncode}")
    return took


class Follow:
    def __init__(self, assay, meter, loads, directory, plan):
        self.assay, self.meter, self.loads, self.plan = assay, meter, loads, plan
        self.runs = [directory / "before.assay", directory / "after.assay"]
        self.object = directory / "follow.o"

    def samples(self, path):
        rows = subprocess.run([self.assay, "sql", "--csv", path, "SELECT count(*) FROM sample"],
                              check=True, capture_output=True, text=True).stdout.splitlines()
        return int(rows[1])

    def hottest(self, path):
        """Return the function of LIBRARY with the most samples, by a name that annotate accepts."""
        rows = subprocess.run(
            [self.assay, "sql", "--csv", path, "SELECT function FROM flat WHERE image LIKE "
             f"'%{LIBRARY}' GROUP BY function ORDER BY sum(samples) DESC LIMIT 1"],
            check=True, capture_output=True, text=True).stdout.splitlines()
        return rows[1].strip('"')

    def annotate(self, note):
        path = self.runs[0]
        source = max(self.loads.sources.glob("*.c"), key=lambda file: file.stat().st_size)
        again = f"for i in 1 2 3 4 5 6; do clang -O2 -D_GNU_SOURCE -c -o {self.object} {source}; done"
        subprocess.run([self.assay, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", path,
                        "--", "sh", "-c", again], check=True)
        name = self.hottest(path)
        took = [first_line_s([self.assay, "annotate", "--no-pager", name, path])
                for _ in range(self.plan.pairs)]
        note("annotate", function=name, seconds=took)
        return [f"| first line of annotate for a function of {LIBRARY}, s | {shown(took)} | 0.5 |"]

    def diff(self, note):
        for path in self.runs:
            with self.loads.compiling(self.plan.report_s):
                subprocess.run([self.assay, "record", "-q", "-a", "-e", "cpu-clock", "-F",
                                str(self.plan.report_hz), "-o", path, "--", "sleep",
                                str(self.plan.report_s)], check=True)
        counts = [self.samples(path) for path in self.runs]
        wall, peak = [], []
        for _ in range(self.plan.pairs):
            cost = self.meter.run([self.assay, "diff", *self.runs])
            wall.append(cost.wall_s)
            peak.append(cost.peak_bytes / MIB)
        note("diff", samples=counts, seconds=wall, peak_mib=peak)
        which = " and ".join(f"{count:,}" for count in counts)
        return [f"| diff of recordings of {which} samples, s | {shown(wall)} | 2 |",
                f"| peak memory of this diff, MiB | {shown(peak)} | |"]

    def table(self, note):
        rows = [*self.annotate(note), *self.diff(note)]
        return "\n".join(["| what | measured | goal |", "|---|---|---|", *rows, ""])
