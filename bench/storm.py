# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure the recorder's costs, from start to exit, on a busy machine that forks continuously."""
import contextlib
import glob
import json
import os
import shutil
import subprocess
import sys
import threading

from complete import wait_for_quiet
from figures import LOST

RATE = 999
MIB = 1 << 20
# perf's copies of stacks can fill a disk: at 999 Hz they take about 16 MB per second and CPU.
COPYING_S = 5
FREE_BYTES_MIN = 4 << 30


class Storm:
    def __init__(self, assay, meter, loads, directory, seconds):
        self.assay, self.meter, self.loads = assay, meter, loads
        self.directory, self.seconds = directory, seconds

    def ways(self):
        """Yield (title, seconds, command up to the option for its output file, output file)."""
        assay, perf = self.directory / "storm.assay", self.directory / "storm.data"
        record = [self.assay, "record", "-q", "-a", "-F", str(RATE)]
        helped = subprocess.run([self.assay, "record", "--help"], capture_output=True, text=True,
                                check=True).stdout
        ring = ["--collector", "ring"] if "--collector" in helped else []
        if ring:
            yield "assay bpf", self.seconds, [*record, "--collector", "bpf"], assay
        yield "assay ring fp", self.seconds, [*record, *ring], assay
        yield "assay ring dwarf,16384", self.seconds, [*record, *ring, "--call-graph",
                                                       "dwarf,16384"], assay
        record = ["perf", "record", "-q", "-a", "-F", str(RATE)]
        yield "perf -g", self.seconds, [*record, "-g"], perf
        if shutil.disk_usage(self.directory).free > FREE_BYTES_MIN:
            yield ("perf dwarf,16384", min(COPYING_S, self.seconds),
                   [*record, "--call-graph", "dwarf,16384"], perf)

    def measure(self, seconds, command, file):
        """Return the costs of one recording."""
        if "perf" in str(command[0]):
            wait_for_quiet()
        with self.loads.busy(seconds, nice=19), self.loads.forks(seconds):  # so no CPU is ever idle
            with MapWatch(file) as maps:
                cost = self.meter.run([*command, "-o", file, "--", "sleep", str(seconds)])
        found = {"cpu_s": cost.cpu_s, "peak_mib": cost.peak_bytes / MIB,
                 "maps_mib": maps.peak_bytes / MIB, "disk_mib": file.stat().st_size / MIB,
                 "forks": self.loads.forks_per_second[-1], "seconds": seconds}
        found |= self.of_assay(file) if file.suffix == ".assay" else of_perf(file)
        for path in self.directory.glob("storm.*"):
            path.unlink()
        return found

    def of_assay(self, file):
        report = json.loads(subprocess.run([self.assay, "report", file, "--json"], check=True,
                                           capture_output=True).stdout)
        facts = dict(line.split(",", 1) for line in subprocess.run(
            [self.assay, "sql", "--csv", file, "SELECT key, value FROM meta WHERE key IN "
             "('self_cpu_ns', 'symbolize_cpu_ns')"], check=True, capture_output=True,
            text=True).stdout.splitlines()[1:])
        stacks = report["health"]["stacks"]
        lost = sum(loss["count"] for loss in report["losses"]
                   if loss["cause"] in LOST)
        # A task that has released its memory (in exit), or does not have the new one yet (in exec),
        # has no user stack. So a stack of only kernel frames is complete.
        whole = stacks["whole"] + stacks["kernel only"]
        return {"samples": report["samples"], "lost": lost, "whole": whole,
                "stacks": sum(stacks.values()),
                "naming_s": int(facts.get("symbolize_cpu_ns", 0)) / 1e9}

    def table(self, note):
        lines = ["| recorder | seconds | CPU, ms per s | of which naming | peak memory, MiB "
                 "| BPF maps, MiB | file, MiB per s | lost | complete stacks, % | forks per s |",
                 "|---" * 10 + "|"]
        for title, seconds, command, file in self.ways():
            try:
                found = self.measure(seconds, command, file)
            except RuntimeError as problem:
                print(f"{title}: {problem}", file=sys.stderr)
                lines.append(f"| {title} | failed |" + " |" * 8)
                continue
            note("storm", way=title, **found)
            lines.append(f"| {title} | {seconds} |{row(found)}")
            print(lines[-1], file=sys.stderr)
        return "\n".join([*lines, "", f"At {RATE} Hz, from the recorder's start to its exit. The "
                          f"recording of copied stacks by perf ends after {COPYING_S} s because of its "
                          "size, so its costs at start and end weigh more.", ""])


def row(found):
    seconds, total = found["seconds"], found["samples"] + found["lost"]
    naming = f"{1000 * found['naming_s'] / seconds:.2f}" if "naming_s" in found else ""
    whole = f"{100 * found['whole'] / found['stacks']:.1f}" if found.get("stacks") else ""
    return (f" {1000 * found['cpu_s'] / seconds:.2f} | {naming} | {found['peak_mib']:.1f} "
            f"| {found['maps_mib']:.1f} | {found['disk_mib'] / seconds:.3f} "
            f"| {found['lost']} of {total or 'unreadable'} | {whole} | {found['forks']} |")


def of_perf(file):
    text = subprocess.run(["perf", "report", "--stats", "-i", file], capture_output=True, text=True,
                          check=False).stdout
    counts = {"SAMPLE": 0, "LOST_SAMPLES": 0, "LOST": 0}
    for line in text.splitlines():
        name, _, count = line.strip().partition(" events:")
        if name in counts:
            counts[name] = int(count.split()[0])
    return {"samples": counts["SAMPLE"], "lost": counts["LOST_SAMPLES"] + counts["LOST"]}


class MapWatch(contextlib.AbstractContextManager):
    """Watches the BPF maps of the process that has @file as an argument.

    peak_bytes is the most kernel memory that they took.
    """

    def __init__(self, file):
        self.peak_bytes, self.done, self.file = 0, threading.Event(), str(file).encode()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *problem):
        self.done.set()
        self.thread.join()

    def watch(self):
        while not self.done.wait(0.5):
            for process in glob.glob("/proc/[0-9]*"):
                self.peak_bytes = max(self.peak_bytes, map_bytes(process, self.file))


def map_bytes(process, file):
    """Return the size of all maps that the process holds, if @file is one of its arguments.

    Each map counts once.
    """
    with contextlib.suppress(OSError):
        if file not in open(f"{process}/cmdline", "rb").read().split(b"\0"):
            return 0
        maps = {}
        for name in os.listdir(f"{process}/fdinfo"):
            with contextlib.suppress(OSError):
                words = dict(line.split(":\t", 1) for line in open(
                    f"{process}/fdinfo/{name}", encoding="ascii").read().splitlines()
                    if ":\t" in line)
                if "map_id" in words:
                    maps[words["map_id"]] = int(words["memlock"])
        return sum(maps.values())
    return 0
