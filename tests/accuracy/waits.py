# SPDX-License-Identifier: GPL-2.0-or-later
"""The time of waits against a program that measures its own sleep, in every view of them."""
import csv
import io
import json
import re
import subprocess

from harness import Failed, Skipped
from tools import run

NAPS = ("4", "150", "150", "2", "100", "200")
ASKED_NS = (4 * 150 + 150 * 2) * 1000000 + 100 * 200000
# A sleep ends when the thread runs again, so the wait for a CPU is a part of it.
SLEEP = "off-cpu:blocked*,off-cpu:runnable"


def recorded(bench, name, options, command):
    """The recording of @command with its waits, and what the command printed."""
    path, words = bench.record_command(name, ["--off-cpu", *options], command)
    done = run(words)
    if "sampled inside the kernel" not in done.stderr:
        raise Skipped("waits can only be recorded by the in-kernel sampler")
    if done.returncode != 0:
        raise Failed(f"assay record: exit {done.returncode}: {done.stderr[-300:].strip()}")
    return bench.open(path), done.stdout


def naps(bench):
    """The recording of naps, and {function: ns that it slept}."""
    recording, text = recorded(bench, "naps", [], [bench.programs() / "naps", *NAPS])
    return recording, {name: int(ns) for name, ns in re.findall(r"(\w+) (\d+)", text)}


def folded(recording, *options):
    """{function: ns} and the sum of all, of `assay export -f folded`."""
    totals, whole = {}, 0
    for line in recording.ask("export", "-f", "folded", *options, recording.path).splitlines():
        stack, _, ns = line.rpartition(" ")
        whole += int(ns)
        for function in set(stack.split(";")):
            totals[function] = totals.get(function, 0) + int(ns)
    return totals, whole


def flame(recording, *options):
    """{function: share in %} of the boxes of `assay flame`; the widest box of each name."""
    text = recording.ask("flame", "-o", "-", *options, recording.path)
    found = {}
    for name, figures in re.findall(r"<title>([^\n<]*)\n[^\n<]*\n([^<]*)</title>", text):
        share = float(re.search(r", ([\d.]+) %", figures)[1])
        found[name] = max(found.get(name, 0), share)
    return found


def apart(what, measured, truth):
    """None if @measured, a share in %, is within a point of the truth."""
    if abs(measured - truth) <= 1:
        return None
    return f"{what}: {measured:.2f} %, but {truth:.2f} % by the program's own clock"


def shares_of_waits(bench):
    """Each function's part of all sleep, by the time that it slept."""
    recording, slept = naps(bench)
    whole = sum(slept.values())
    options = ["--event", SLEEP]
    tree, (stacks, sum_ns) = recording.functions(*options), folded(recording, *options)
    boxes = flame(recording, *options)
    for name in ("few_long", "many_short"):
        truth = 100 * slept[name] / whole
        yield f"tree-{name}", apart(name, 100 * tree[name][1], truth)
        yield f"folded-{name}", apart(name, 100 * stacks[name] / sum_ns, truth)
        yield f"flame-{name}", apart(name, boxes[name], truth)
    yield "short-waits", apart("[short waits]", 100 * tree["[short waits]"][1],
                               100 * slept["tiny"] / whole)
    yield "no-interval", None if tree["few_long"][2] is None else "a measured share has an interval"
    rows = recording.rows("state", event=SLEEP)
    yield "sum", None if sum(int(row["weight"]) for row in rows) == sum_ns else \
        f"{rows} do not add up to {sum_ns} ns"


def wall_time(bench):
    """The wall time of `report --wall`, in every view; and the program's own times in it."""
    recording, slept = naps(bench)
    wall = json.loads(recording.ask("report", "--wall", "--json", recording.path))
    wall_ns = round(wall["total"]["wall_seconds"] * 1e9)
    tree, (stacks, sum_ns) = recording.functions("--wall"), folded(recording, "--wall")
    states = {row["state"]: int(row["weight"])
              for row in csv.DictReader(io.StringIO(recording.ask(
                  "report", "--wall", "--by", "state", "--csv", recording.path)))}
    yield "sum", None if abs(sum_ns - wall_ns) <= 1000 else \
        f"the stacks add up to {sum_ns} ns, the wall time is {wall_ns} ns"
    yield "states", None if abs(sum(states.values()) - wall_ns) <= 1000 else \
        f"{states} do not add up to {wall_ns} ns"
    for name in ("few_long", "many_short"):
        truth = 100 * slept[name] / wall_ns
        yield f"tree-{name}", apart(name, 100 * tree[name][1], truth)
        yield f"folded-{name}", apart(name, 100 * stacks[name] / sum_ns, truth)
    yield "compute", apart("compute", 100 * tree["compute"][1], 100 * 300e6 / wall_ns)
    blocked_ns = tree["[blocked]"][0]
    yield "blocked", None if ASKED_NS <= blocked_ns <= sum(slept.values()) else \
        f"blocked for {blocked_ns} ns, but asked for {ASKED_NS} ns and was away for {slept}"


def whole_stacks(bench):
    """A program that only sleeps is hardly ever sampled; its waits have whole stacks all the same."""
    recording, _ = recorded(bench, "sleeper", [], [bench.programs() / "naps", "0", "0", "300", "5",
                                                   "0", "0"])
    stacks = recording.ask("export", "-f", "csv", "--event", "off-cpu:blocked", recording.path)
    waits = list(csv.DictReader(io.StringIO(stacks)))
    cut = [row for row in waits if re.search("<(broken|truncated|no) stack>", str(row))]
    if len(waits) < 250:
        raise Failed(f"only {len(waits)} of 300 waits were recorded")
    yield "sleeper", None if len(cut) * 100 <= len(waits) else \
        f"{len(cut)} of {len(waits)} waits have no whole stack: {cut[0]}"


def open_waits(bench):
    """A program that sleeps during the whole recording has its whole stack, too."""
    with subprocess.Popen([bench.programs() / "naps", "1", "600000", "0", "0", "0", "0"],
                          stdout=subprocess.DEVNULL) as sleeper:
        try:
            recording, _ = recorded(bench, "asleep", ["-p", str(sleeper.pid), "-d", "1"], [])
        finally:
            sleeper.kill()
    stacks, _ = folded(recording, "--event", "off-cpu:blocked")
    yield "whole", None if stacks.get("few_long", 0) > 0.9e9 and stacks.get("main") and \
        not any("stack>" in name for name in stacks) else f"{stacks}"


def wakers(bench):
    """A reader waits for a lock whose holder sleeps: the pair, and the holder's sleep below it."""
    recording, text = recorded(bench, "locked", ["--off-cpu-wakers"],
                               [bench.programs() / "locked", "30", "20"])
    locked_ns = int(text.split()[1])
    found = json.loads(recording.ask("report", "--waits", "--json", recording.path))
    pairs = [row for row in found["rows"] if row["waiter"].get("comm") == "reader"
             and "need" in row["waiter"]["frames"]
             and row.get("waker", {}).get("comm") == "writer"]
    seconds = sum(row["seconds"] for row in pairs)
    yield "pair", None if 0.9 * locked_ns / 1e9 <= seconds <= locked_ns / 1e9 else \
        f"{seconds} s of waits for the writer, but the reader waited {locked_ns} ns for the lock"
    asleep = sum(row["seconds"] for pair in pairs for row in pair["meanwhile"]
                 if "hold" in row["waiter"]["frames"])
    yield "chain", None if asleep >= 0.8 * seconds else \
        f"the writer slept {asleep} s of the {seconds} s in which the reader waited for it"
    trace = recording.ask("trace", "--fields", "comm,event,function,waker", "--json", recording.path)
    rows = [json.loads(line) for line in trace.splitlines()]
    woken = [row for row in rows if row["comm"] == "reader" and row["waker"]
             and row["waker"].startswith("writer ")]
    yield "trace", None if len(woken) >= 20 else f"only {len(woken)} waits of 30 have their waker"


CHECKS = [shares_of_waits, wall_time, whole_stacks, open_waits, wakers]
