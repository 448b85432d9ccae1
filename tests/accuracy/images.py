# SPDX-License-Identifier: GPL-2.0-or-later
"""Sample more images than the unwind tables have room for.

The limit of memory must hold, the report must say that tables were evicted, and stacks must be
right. PLUGS is the number of distinct images (default: 1000; a full test has 20000).
"""
import collections
import os

from equality import Stacks
from harness import Failed, attempts
from tools import run

PLUGS = int(os.environ.get("PLUGS", "1000"))
BUILD_ID = b"\xa5" * 20
VISIT_US = 2000			# CPU time in each image, which is four ticks
MAPPINGS_OF_ONE = 8		# the most mappings that a plug has
RATE = 1999
TABLE_MIB = 1
RIGHT_MIN = 0.9
CALLERS = ["plug_leaf", "plug_enter", "visit", "main"]


def make_plugs(bench, count):
    """Make @count copies of one library, each with its own build-id: 0.so, 1.so, and so on.

    Return their directory.
    """
    directory, library = bench.directory / "plugs", (bench.programs() / "plug.so").read_bytes()
    if library.count(BUILD_ID) != 1:
        raise Failed("the linker did not take the build-id")
    directory.mkdir(exist_ok=True)
    for number in range(count):
        path, own = directory / f"{number}.so", number.to_bytes(20, "big")
        if not path.exists():
            path.write_bytes(library.replace(BUILD_ID, own))
    return directory


class Walks:
    """Compares the stacks of samples in plugs with the only stack that is possible."""

    def __init__(self, recording):
        self.stacks = Stacks(recording)
        self.images = {int(row["id"]): row["path"] or "" for row in recording.sql(
            "SELECT id, path FROM image")}
        self.names = {(int(row["image"]), int(row["vaddr"])): row["name"] for row in recording.sql(
            "SELECT location.image, location.vaddr, name FROM location "
            "JOIN function ON function.id = location.function")}
        self.right = self.short = 0
        self.wrong, self.seen = collections.Counter(), set()
        for row in recording.sql("SELECT stack, count(*) AS samples FROM sample JOIN thread ON "
                                 "thread.id = sample.thread WHERE comm = 'plugs' GROUP BY stack"):
            self.judge(self.stacks.frames(row["stack"])[1], int(row["samples"]))

    def judge(self, user, samples):
        names = [self.names.get(location) for location in user]
        if not names or names[0] != CALLERS[0]:
            return
        self.seen.add(user[0][0])
        plugs = {image for image, _ in user[:2]}
        if names[:4] == CALLERS and len(plugs) == 1:
            self.right += samples
        elif names == CALLERS[:len(names)] and len(plugs) == 1:
            self.short += samples
        else:
            self.wrong[" < ".join(map(str, names[:5]))] += samples

    def text(self):
        return (f"{self.right} right stacks, {self.short} short, {sum(self.wrong.values())} wrong "
                f"in {len(self.seen)} images: {dict(self.wrong.most_common(3))}")

    def problem(self, count):
        total = self.right + self.short + sum(self.wrong.values())
        if self.wrong or self.right < RIGHT_MIN * total or len(self.seen) < count / 2:
            return self.text()
        return None


def facts_of(recording):
    return {row["key"]: int(row["value"]) for row in recording.sql(
        "SELECT key, value FROM meta WHERE key IN ('table_bytes_max', 'tables_evicted', "
        "'processes_evicted', 'processes_refused')")}


def room_problem(recording, facts):
    if facts["table_bytes_max"] > TABLE_MIB << 20:
        return f"tables took {facts['table_bytes_max']} bytes"
    gone = facts["tables_evicted"] + facts["processes_evicted"] + facts["processes_refused"]
    if not gone:
        return f"there was room for all tables: {facts}"
    health = " ".join(recording.ask("report", "--full", recording.path).split())
    if f"{facts['tables_evicted']} tables" not in health:
        return "the report does not say how many tables were evicted"
    return None


def most_at_once():
    with open("/proc/sys/vm/max_map_count", encoding="ascii") as limit:
        return min(PLUGS, int(limit.read()) // MAPPINGS_OF_ONE)


def record_plugs(bench, name, at_once):
    command = [bench.programs() / "plugs", make_plugs(bench, PLUGS), PLUGS, at_once, VISIT_US]
    path, words = bench.record_command(name, ["-F", RATE, "--collector", "bpf", "--table-memory",
                                              TABLE_MIB], command)
    done = run(words, env=os.environ | {"XDG_CACHE_HOME": str(bench.directory / name)})
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {done.stderr[-300:].strip()}")
    print(f"# {name}: {done.stderr.strip().splitlines()[-1]}", flush=True)
    return bench.open(path)


@attempts(2)
def many_images(bench):
    """Load a hundred images at a time, and then as many as one process can have."""
    if "bpf" not in bench.collectors():
        return
    for name, at_once in (("few-at-once", 100), ("most-at-once", most_at_once())):
        recording = record_plugs(bench, name, at_once)
        facts, walks = facts_of(recording), Walks(recording)
        print(f"# {name}: {facts}, {walks.text()}", flush=True)
        yield f"{name}-room", room_problem(recording, facts)
        yield f"{name}-stacks", walks.problem(PLUGS)


CHECKS = [many_images]
