# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare each sample that assay imports from a perf.data with the sample that perf prints."""
import collections
import json
import pathlib
import re

from harness import Failed, Skipped, need
from tools import run

FIELDS = "time,cpu,comm,pid,tid,event,weight,image,function,stack"
HEAD = re.compile(r"(.*?)\s+(\d+)/(\d+)\s+(?:\[(\d+)\]\s+)?(\d+)\.(\d+):\s+(\d+)\s+(\S+):")

# {what is tested: options of perf record}. They use cpu-clock, because it exists on every machine.
WAYS = {
    "plain": ["-e", "cpu-clock", "-F", "4999"],
    "frame pointers": ["-e", "cpu-clock", "-F", "4999", "-g"],
    "copied stacks": ["-e", "cpu-clock", "-F", "997", "--call-graph", "dwarf,16384"],
    "whole machine": ["-e", "cpu-clock", "-F", "997", "-g", "-a"],
    "compressed": ["-e", "cpu-clock", "-F", "4999", "-g", "-z"],
    "several events": ["-e", "cpu-clock,page-faults", "-F", "4999", "-g"],
    "group": ["-e", "{cpu-clock,page-faults}:S", "-F", "4999"],
    "tracepoint": ["-e", "cpu-clock", "-e", "sched:sched_switch", "-g"],
    "threads alone": ["-e", "cpu-clock", "-F", "4999", "--per-thread", "-T", "-g"],
    "build-ids of mappings": ["-e", "cpu-clock", "-F", "4999", "--buildid-mmap", "-g"],
    "fixed period": ["-e", "cpu-clock", "-c", "200000", "-g"],
    "several files": ["-e", "cpu-clock", "-F", "997", "-g", "-a", "--threads=cpu"],
    "own clock": ["-e", "cpu-clock", "-F", "4999", "-k", "CLOCK_MONOTONIC"],
}


SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "bench/workloads"


def program(bench):
    """Compile a program with a build-id. Some versions of perf do not work without one."""
    path = bench.directory / "call-with-build-id"
    done = run(["cc", "-O2", "-g", "-fno-inline", "-fno-omit-frame-pointer", "-Wl,--build-id", "-o", path,
                SOURCES / "call.c"])
    if done.returncode != 0:
        raise Failed(f"cc: {done.stderr[-300:].strip()}")
    return path


def perf(*words):
    """Run perf. Return its output, or None if it failed.

    perf may crash while another recorder on the machine asks for build-ids.
    """
    done = run(["perf", *words])
    if done.returncode < 0:
        raise Skipped(f"perf {words[0]} crashed: {done.stderr.strip()[-60:]}")
    return done.stdout if done.returncode == 0 else None


def perf_record(bench, name, options, command):
    path = bench.directory / f"{name.replace(' ', '-')}.data"
    if perf("record", "-q", "-N", "-B", "-o", path, *options, "--", *command) is None:
        raise Failed(f"perf record {' '.join(options)} failed")
    return path


def imported(bench, path, name):
    recording = bench.directory / f"{name.replace(' ', '-')}.assay"
    done = run([bench.assay, "import", path, "-o", recording])
    if done.returncode != 0:
        raise Failed(f"assay import: exit {done.returncode}: {done.stderr[-300:].strip()}")
    return bench.open(recording)


def samples_of_perf(path):
    """Return the samples that perf script prints, as dicts. Their stacks are innermost first."""
    script = ["script", "-i", path, "--ns", "--no-inline", "-F"]
    text = perf(*script, "comm,pid,tid,cpu,time,period,event,ip,sym") or \
        perf(*script, "comm,pid,tid,time,period,event,ip,sym") or ""
    found = []
    for line in text.splitlines():
        if head := HEAD.match(line):
            comm, pid, tid, cpu, seconds, part, period, event = head.groups()
            found.append({"time": int(seconds) * 10 ** 9 + int(part), "tid": int(tid),
                          "pid": int(pid), "comm": comm.strip(), "cpu": int(cpu) if cpu else None,
                          "weight": int(period), "event": event, "stack": []})
            line = line[head.end():]
        words = line.split(None, 1)
        if found and len(words) == 2 and re.fullmatch(r"[0-9a-f]+", words[0]):
            found[-1]["stack"].append(words[1])
    return found


def samples_of_assay(recording):
    text = recording.ask("trace", recording.path, "--json", "--fields", FIELDS)
    return [json.loads(line, parse_float=lambda t: int(t.replace(".", "").lstrip("0") or 0))
            for line in text.splitlines()]


def lines_of(recording):
    """Return the frames (function, file, line) of each sample, outermost first."""
    text = recording.ask("export", "-f", "ndjson", "--inline", recording.path)
    return [tuple((frame["function"], frame.get("file"), frame.get("line")) for frame in json.loads(line)["stack"])
            for line in text.splitlines()]


def is_name(function):
    """Return whether this is a symbol, not a placeholder of assay or perf for an unknown symbol."""
    return not re.search(r"->|^(fn|gap)_|^\[|@plt|^<", function)


def compare_stacks(mine, theirs):
    """Return [(our name, perf's name)] of the frames that both name, from the leaf outwards."""
    pairs = zip(reversed(mine), theirs)
    return [(ours, perfs) for ours, perfs in pairs if is_name(ours) and is_name(perfs)]


def bare(function):
    """Remove prefixes: the names that the C library gives to one address differ only in these."""
    return re.sub(r"^(__GI)?_*", "", function).replace("memcpy", "memmove")


def functions_of(sample):
    return [frame["function"] for frame in sample["stack"] if frame["function"][0] != "<"]


def normal(event):
    return re.sub(r":[ukhGHpPSDI]+$", "", event).strip(":")


def compare(mine, theirs):
    """Compare all samples in order. Return (number of names that agree, first problem or None)."""
    if len(mine) != len(theirs):
        return 0, f"{len(mine)} samples, {len(theirs)} for perf"
    start, same, differ = min(s["time"] for s in theirs), 0, collections.Counter()
    mine.sort(key=lambda s: (s["time"], s["tid"], normal(s["event"])))
    theirs.sort(key=lambda s: (s["time"], s["tid"], normal(s["event"])))
    for ours, perfs in zip(mine, theirs):
        perfs = perfs | {"time": perfs["time"] - start}
        for field in ("time", "tid", "pid", "comm", "cpu", "weight"):
            if perfs[field] is not None and ours[field] != perfs[field]:
                return same, f"{field} is {ours[field]}, but {perfs[field]} for perf: {perfs}"
        if normal(ours["event"]) != normal(perfs["event"]):
            return same, f"event is {ours['event']}, but {perfs['event']} for perf"
        if not perfs["comm"].startswith("call-with"):
            continue
        for pair in compare_stacks(functions_of(ours), perfs["stack"]):
            is_same = bare(pair[0]) == bare(pair[1])
            same += is_same
            differ[pair] += not is_same
    # If a call is the last instruction of a function, perf names the next function as the caller.
    # And if an address has several names, assay and perf may choose different ones.
    if sum(differ.values()) > same / 50:
        return same, f"stacks: {differ.most_common(2)}"
    return same, None


def compare_way(bench, name, command):
    path = perf_record(bench, name, WAYS[name], command)
    mine, theirs = samples_of_assay(imported(bench, path, name)), samples_of_perf(path)
    # perf prints the counters of a group as separate samples. assay stores them as columns.
    events = {normal(sample["event"]) for sample in mine}
    theirs = [sample for sample in theirs if normal(sample["event"]) in events]
    if name == "group":  # perf takes the leader's count as the weight of the sample
        theirs = [sample | {"weight": None} for sample in theirs]
    same, problem = compare(mine, theirs)
    if not problem and (not mine or same < 20):
        return f"only {same} names agree in {len(mine)} samples: too few for a verdict"
    return problem


def same_as_perf_script(bench):
    need("perf")
    command, skipped = [program(bench), "20000"], None
    for name in WAYS:
        try:
            yield name, compare_way(bench, name, command)
        except Skipped as problem:
            skipped = problem
    if skipped:
        raise skipped


CHECKS = [same_as_perf_script]
