# SPDX-License-Identifier: GPL-2.0-or-later
"""Run assay, the workloads and the oracles for the accuracy tests."""
import collections
import csv
import functools
import io
import json
import os
import pathlib
import re
import subprocess

from harness import Failed, Skipped, build

SECONDS_MAX = 300


def run(command, **options):
    """Run the command to its end and return the finished process. A hang is a failure."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=SECONDS_MAX, check=False, **options)
    except subprocess.TimeoutExpired as problem:
        raise Failed(f"{command[0]} did not end in {SECONDS_MAX} s") from problem


def ticks_of(recording):
    """Return {(event, cpu): {outcome: ticks}}."""
    found = collections.defaultdict(collections.Counter)
    for row in recording.sql("SELECT event, cpu, outcome, count FROM tick"):
        found[int(row["event"]), int(row["cpu"])][row["outcome"]] = int(row["count"])
    return found


class Recording:
    def __init__(self, assay, path):
        self.assay, self.path = assay, path
        self.printed = None  # what the recorded program printed

    def ask(self, *words):
        done = run([self.assay, *words])
        if done.returncode != 0:
            raise Failed(f"assay {' '.join(map(str, words))}: "
                         f"exit {done.returncode}: {done.stderr[-300:].strip()}")
        return done.stdout

    def report(self):
        """Return the output of `assay report --json`."""
        return json.loads(self.ask("report", self.path, "--json"))

    def rows(self, by, **filters):
        """Return one dict for each row of `assay report --by`. "samples" is its count."""
        options = [f"--{key}={value}" for key, value in filters.items()]
        text = self.ask("report", self.path, "--by", by, "--csv", *options)
        rows = list(csv.DictReader(io.StringIO(text)))
        for row in rows:
            row["samples"] = int(row["samples"])
        return rows

    def counts(self, by, **filters):
        """Return {label: samples}. For several dimensions, the key is the tuple of labels."""
        keys = by.split(",")
        found = {}
        for row in self.rows(by, **filters):
            label = row[by] if len(keys) == 1 else tuple(row[key] for key in keys)
            found[label] = found.get(label, 0) + row["samples"]
        return found

    def functions(self, *options):
        """{function: (weight with callees, share, low)} of `assay tree --children`."""
        tree = json.loads(self.ask("tree", "--children", "--json", *options, self.path))
        return {row["function"]: (row["total"]["weight"], row["total"]["share"], row["total"]["low"])
                for row in tree["rows"]}

    def sql(self, query):
        text = self.ask("sql", "--csv", self.path, query)
        return list(csv.DictReader(io.StringIO(text)))


class Bench:
    """The paths of the program, the workloads and the recordings."""

    def __init__(self, assay, workloads, directory):
        self.assay = pathlib.Path(assay).resolve()
        self.workloads, self.directory = pathlib.Path(workloads), pathlib.Path(directory)

    def workload(self, name):
        return self.workloads / name

    @functools.cache
    def programs(self):
        """Build the programs whose stacks are known. Return their directory."""
        return build(pathlib.Path(__file__).parent / "programs", self.directory / "programs")

    def record_command(self, name, options, command):
        path = self.directory / f"{name}.assay"
        if "-e" not in options:
            options = ["-e", os.environ.get("EVENT", "cpu-clock"), *options]
        return path, [self.assay, "record", "-o", path, *options, "--", *command]

    def record(self, name, options, command):
        path, words = self.record_command(name, options, command)
        done = run(words)
        if done.returncode != 0:
            raise Failed(f"assay record: exit {done.returncode}: {done.stderr[-300:].strip()}")
        recording = self.open(path)
        recording.printed = done.stdout
        return recording

    def open(self, path):
        return Recording(self.assay, path)

    def collectors(self, stack_bytes=65528):
        """Return {collector: options of `assay record` that give whole stacks}.

        If COLLECTOR is set, it lists the collectors to use.
        """
        ways = {"ring": ["--call-graph", f"dwarf,{stack_bytes}"]}
        if "--collector" in run([self.assay, "record", "--help"]).stdout:
            ways = {"bpf": ["--collector", "bpf"], "ring": ["--collector", "ring", *ways["ring"]]}
        chosen = os.environ.get("COLLECTOR", " ".join(ways)).split()
        if absent := set(chosen) - set(ways):
            raise Skipped(f"this assay has no collector {absent.pop()}")
        return {name: ways[name] for name in chosen}

    @functools.cache
    def sleepy(self, name):
        """Record about a second of loop, call or btree."""
        size = {"loop": 2000000000, "call": 60000, "btree": 8000000}[name]
        return self.record(name, ["-F", "4999"], [self.workload(name), size])


def disassembly(path):
    """Return [(address, function, mnemonic and operands)] of all instructions, from objdump."""
    text = run(["objdump", "-d", "--no-show-raw-insn", path]).stdout
    found, function = [], None
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            function = head[1]
        elif code := re.match(r"\s*([0-9a-f]+):\t(.*)", line):
            found.append((int(code[1], 16), function, code[2]))
    return found


def perf_samples(path, comm):
    """Yield (is in user mode, innermost function) of each sample of @comm, from perf script."""
    text = run(["perf", "script", "-i", path, "--comms", comm, "-G", "-F", "ip,sym"]).stdout
    for line in text.splitlines():
        address, _, function = line.strip().partition(" ")
        if address:
            yield int(address, 16) < 1 << 63, function.strip()
