# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure the figures. Each method returns rows for the table and appends all values to raw."""
import dataclasses
import json
import re
import subprocess

from measure import interval, ratios, rotated

MIB = 1 << 20

# The losses of samples that never arrived. Samples of unknown processes did arrive, and perf counts
# them as samples, too.
LOST = ("sample-ring-full", "sample-kernel-dropped", "sample-skipped", "disk-full")


@dataclasses.dataclass
class Row:
    what: str
    ours: str
    peer: str
    ratio: str
    goal: str
    command: str


@dataclasses.dataclass
class Plan:
    pairs: int = 6		# how often each program is measured, in turn with the others
    slow_pairs: int = 3		# the same where a measurement of perf takes half a minute
    record_s: int = 5		# duration of each recording
    size_s: int = 20		# duration of the recordings whose sizes are compared
    report_s: int = 30		# duration of the recording whose report is timed
    report_hz: int = 19999
    scale: float = 1.0		# factor for the workloads' iterations


QUICK = Plan(pairs=2, slow_pairs=2, record_s=2, size_s=3, report_s=3, report_hz=1999, scale=0.2)


def spread(values, digits=2):
    return "{:.{d}f} [{:.{d}f}, {:.{d}f}]".format(*interval(values), d=digits)


class Figures:
    def __init__(self, assay, meter, loads, directory, plan):
        self.assay, self.meter, self.loads = assay, meter, loads
        self.directory, self.plan, self.raw = directory, plan, []
        self.files = {"assay": directory / "run.assay", "perf": directory / "perf.data"}

    def note(self, figure, **values):
        self.raw.append({"figure": figure, **values})

    def record(self, tool, rate, *options):
        """Return the recorder's command line. The caller appends the command to record."""
        verb = {"assay": [self.assay, "record", "-q"], "perf": ["perf", "record", "-q", "-g"]}
        return [*verb[tool], "-F", str(rate), "-o", self.files[tool], *options, "--"]

    def samples(self, tool):
        """Return (samples, lost samples) of the tool's last recording."""
        if tool == "assay":
            text = subprocess.run([self.assay, "report", self.files[tool], "--json"],
                                  capture_output=True, check=True).stdout
            report = json.loads(text)
            return report["samples"], sum(loss["count"] for loss in report["losses"]
                                          if loss["cause"] in LOST)
        text = subprocess.run(["perf", "report", "--stats", "-i", self.files[tool]],
                              capture_output=True, text=True, check=True).stdout
        counts = {name: int(count) for name, count in re.findall(r"(\w+) events: +(\d+)", text)}
        return counts["SAMPLE"], counts.get("LOST_SAMPLES", 0) + counts.get("LOST", 0)

    # Cost of recording the whole machine

    def cost(self):
        rows = []
        for name, load in (("idle", self.loads.idle), ("CPU-bound", self.loads.busy),
                           ("fork-heavy", self.loads.forks)):
            rows += self.cost_under(name, load)
        return rows

    def cost_under(self, name, load):
        spent, peak = {"assay": [], "perf": []}, {"assay": [], "perf": []}
        seconds = self.plan.record_s
        for pair in range(self.plan.pairs):
            for tool in rotated(["assay", "perf"], pair):
                with load(seconds):
                    cost = self.meter.run([*self.record(tool, 999, "-a"), "sleep", str(seconds)])
                spent[tool].append(1000 * cost.cpu_s / seconds)
                peak[tool].append(cost.peak_bytes / MIB)
                self.note("cost", load=name, tool=tool, pair=pair, **vars(cost))
        command = (f"assay record -a -F 999 -- sleep {seconds}; "
                   f"perf record -a -g -F 999 -- sleep {seconds}")
        return [
            Row(f"recorder's CPU time, {name}, ms per s", spread(spent["assay"]),
                spread(spent["perf"]), spread(ratios(spent["assay"], spent["perf"])), "≤ 1",
                command),
            Row(f"recorder's peak memory, {name}, MiB", spread(peak["assay"], 1),
                spread(peak["perf"], 1), spread(ratios(peak["assay"], peak["perf"])),
                "≤ 64 MiB" if load == self.loads.forks else "", command)]

    # Slow-down of the recorded program

    def slowdown(self):
        rows = []
        for name, size in (("loop", 3_000_000_000), ("call", 100_000), ("btree", 12_000_000)):
            rows += self.slowdown_of(name, str(int(size * self.plan.scale)))
        return rows

    def slowdown_of(self, name, size):
        program = [self.loads.workloads / name, size]
        ways = [("bare", 0), ("assay", 99), ("perf", 99), ("assay", 999), ("perf", 999)]
        wall = {way: [] for way in ways}
        for pair in range(self.plan.pairs):
            for tool, rate in rotated(ways, pair):
                # The meter runs inside the recorder, so the recorder's start and end do not count.
                around = self.record(tool, rate) if rate else []
                subprocess.run([*around, *self.meter.words(program)], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                cost = self.meter.read()
                wall[tool, rate].append(cost.wall_s)
                self.note("slowdown", program=name, tool=tool, rate=rate, pair=pair, **vars(cost))
        rows = []
        for rate in (99, 999):
            percent = {tool: [100 * (ratio - 1)
                              for ratio in ratios(wall[tool, rate], wall["bare", 0])]
                       for tool in ("assay", "perf")}
            rows.append(Row(f"slow-down of {name} at {rate} Hz, %", spread(percent["assay"]),
                            spread(percent["perf"]),
                            spread(ratios(wall["assay", rate], wall["perf", rate]), 3), "",
                            f"assay record -F {rate} -- {name} {size}; "
                            f"perf record -g -F {rate} -- {name} {size}"))
        return rows

    # Size of the file

    def size(self):
        each = {"assay": [], "perf": []}
        seconds = self.plan.size_s
        for pair in range(self.plan.slow_pairs):
            with self.loads.compiling(seconds):
                self.record_both(4999, seconds)
            for tool, file in self.files.items():
                samples, _ = self.samples(tool)
                each[tool].append(file.stat().st_size / samples)
                self.note("size", tool=tool, pair=pair, bytes=file.stat().st_size, samples=samples)
        return [Row("bytes of file per sample, compiling at 4999 Hz", spread(each["assay"], 1),
                    spread(each["perf"], 1), spread(ratios(each["assay"], each["perf"]), 3),
                    "≤ 0.1", f"assay record -a -F 4999 -- sleep {seconds} & "
                    f"perf record -a -g -F 4999 -- sleep {seconds}")]

    def record_both(self, rate, seconds):
        """Record the same run with both recorders at once."""
        both = [subprocess.Popen([*self.record(tool, rate, "-a"), "sleep", str(seconds)])
                for tool in ("assay", "perf")]
        if any([recorder.wait() for recorder in both]):
            raise RuntimeError("a recorder failed")

    # Losses in a fork storm

    def loss(self):
        rows = []
        for rate in (99, 999):
            lost, total = {"assay": 0, "perf": 0}, {"assay": 0, "perf": 0}
            for pair in range(self.plan.pairs):
                for tool in rotated(["assay", "perf"], pair):
                    with self.loads.forks(self.plan.record_s):
                        self.meter.run([*self.record(tool, rate, "-a"), "sleep",
                                        str(self.plan.record_s)])
                    samples, missing = self.samples(tool)
                    total[tool] += samples
                    lost[tool] += missing
                    self.note("loss", tool=tool, rate=rate, pair=pair, samples=samples,
                              lost=missing, forks_per_second=self.loads.forks_per_second[-1])
            rows.append(Row(f"samples lost in the fork storm at {rate} Hz",
                            *(f"{lost[tool]} of {total[tool]}" for tool in ("assay", "perf")), "",
                            "0", f"assay record -a -F {rate} -- sleep {self.plan.record_s}"))
        return rows

    # Speed of the report

    def flame(self, samples):
        """Measure the flame graph of the same recording that report() measures."""
        graph, wall, size, peak = self.directory / "graph.svg", [], [], []
        for pair in range(self.plan.slow_pairs):
            cost = self.meter.run([self.assay, "flame", "-o", graph, self.files["assay"]])
            wall.append(cost.wall_s)
            size.append(graph.stat().st_size / 1e6)
            peak.append(cost.peak_bytes / MIB)
            self.note("flame", pair=pair, samples=samples, size=size[-1], **vars(cost))
        command = "from the same recording: assay flame -o graph.svg"
        return [
            Row(f"flame graph of {samples:,} samples, s", spread(wall), "", "", "≤ 1", command),
            Row("size of the flame graph, MB", spread(size), "", "", "≤ 2", command),
            Row("flame's peak memory, MiB", spread(peak, 1), "", "", "", command)]

    def report(self):
        with self.loads.compiling(self.plan.report_s):
            self.record_both(self.plan.report_hz, self.plan.report_s)
        commands = {"assay": [self.assay, "report", "--full", self.files["assay"]],
                    "perf": ["perf", "report", "--no-inline", "--stdio", "-i", self.files["perf"]]}
        samples = {tool: self.samples(tool)[0] for tool in commands}
        screen = []
        rate, peak = {"assay": [], "perf": []}, {"assay": [], "perf": []}
        for pair in range(self.plan.slow_pairs):
            screen.append(self.meter.run([self.assay, "report", self.files["assay"]]).wall_s)
            for tool in rotated(list(commands), pair):
                cost = self.meter.run(commands[tool])
                rate[tool].append(samples[tool] / cost.wall_s / 1e6)
                peak[tool].append(cost.peak_bytes / MIB)
                self.note("report", tool=tool, pair=pair, samples=samples[tool], **vars(cost))
        command = (f"recorded with -a -F {self.plan.report_hz} for {self.plan.report_s} s; "
                   "assay report --full; perf report --no-inline --stdio")
        return [
            *self.flame(samples["assay"]),
            Row(f"report of {samples['assay']:,} samples, million per s", spread(rate["assay"]),
                spread(rate["perf"]), spread(ratios(rate["assay"], rate["perf"])),
                "≥ 2, ratio ≥ 5", command),
            Row(f"first screen of {samples['assay']:,} samples, s", spread(screen), "", "",
                "≤ 0.5", "the same recording; assay report"),
            Row("report's peak memory, MiB", spread(peak["assay"], 1), spread(peak["perf"], 1),
                spread(ratios(peak["assay"], peak["perf"])), "< 1", command)]
