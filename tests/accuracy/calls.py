# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare call graphs with known costs, with callgrind's inclusive costs, and with gprof's listing.

programs/calls.c lists the calls and the cost of each function.
"""
import json
import re

from harness import Failed, attempts, need
from stats import wilson
from tools import run

ROUNDS = 2500
GPROF_NOISE = 12  # percentage points of gprof's % time, which comes from a few hundred samples
# Units of work of each function: SELF without, TOTAL with the functions that it calls.
SELF = {"main": 0, "parse": 8, "lex": 5, "render": 4, "layout": 6, "draw": 3, "walk": 12,
        "leaf": 5, "even": 4, "odd": 2}
TOTAL = {"main": 49, "parse": 13, "lex": 5, "render": 13, "layout": 7, "draw": 3, "walk": 15,
         "leaf": 5, "even": 8, "odd": 6}
# {(caller, callee): units of work}, as the callee's entry lists its callers and the caller's entry
# lists its callees. analyze/call_flow.h says why these differ.
CALLERS = {("layout", "draw"): 1, ("render", "draw"): 2, ("walk", "leaf"): 3, ("odd", "leaf"): 2,
           ("main", "walk"): 15, ("main", "even"): 8, ("even", "odd"): 6}
CALLEES = {("layout", "draw"): 1, ("render", "draw"): 2, ("walk", "leaf"): 3, ("odd", "leaf"): 2,
           ("render", "layout"): 7, ("odd", "even"): 2, ("even", "odd"): 4}


def recorded(bench):
    """Record a run of the program `calls`. Return the recording and its entries by function."""
    recording = bench.record("calls", ["-F", "1999"], [bench.programs() / "calls", str(ROUNDS)])
    report = json.loads(recording.ask("callgraph", recording.path, "--json", "--comm", "calls"))
    return recording, {entry["function"]: entry for entry in report["entries"]}


def differs(hits, total, share):
    low, high = wilson(hits, total)
    return None if low <= share <= high else \
        f"{hits} of {total} samples: {share:.4f} is not in [{low:.4f}, {high:.4f}]"


def lines(entry, what, known):
    return {line["function"]: line for line in entry[what] if line["function"] in known}


@attempts(2)
def known_calls(bench):
    """Check self and total of each function, and each call in the caller's and callee's entry."""
    _, entries = recorded(bench)
    whole = entries["main"]["total"]["samples"]
    if whole < 2000:
        raise Failed(f"only {whole} samples")
    for what, truth in (("total", TOTAL), ("self", SELF)):
        for function, units in truth.items():
            if units and function != "main":
                yield f"{what}-{function}", differs(entries[function][what]["samples"], whole,
                                                    units / TOTAL["main"])
    for view, calls in (("callers", CALLERS), ("callees", CALLEES)):
        for (caller, callee), units in calls.items():
            entry, other = (callee, caller) if view == "callers" else (caller, callee)
            line = lines(entries[entry], view, SELF).get(other)
            yield f"{view}-{caller}-{callee}", differs(line["total"]["samples"] if line else 0,
                                                       whole, units / TOTAL["main"])
    yield "bias", None if differs(entries["walk"]["total"]["samples"], whole, 18 / 49) else \
        "an error of six percentage points was not noticed"


@attempts(2)
def same_costs_as_callgrind(bench):
    """Compare inclusive shares, but not of recursive functions: callgrind counts them otherwise."""
    need("valgrind", "callgrind_annotate")
    _, entries = recorded(bench)
    data = bench.directory / "callgrind.out"
    run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={data}",
         bench.programs() / "calls", "2"])
    text = run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", data]).stdout
    costs = {found[2]: int(found[1].replace(",", "")) for found in
             re.finditer(r"^\s*([\d,]+) \([^)]*\)\s+\S*?:(\w+) \[", text, re.M)}
    if "main" not in costs:
        raise Failed(f"callgrind_annotate printed {text[:300]!r}")
    for function in ("parse", "lex", "render", "layout", "draw", "leaf"):
        yield function, differs(entries[function]["total"]["samples"],
                                entries["main"]["total"]["samples"],
                                costs[function] / costs["main"])


def gprof_entries(text):
    """Return {name: (% time, whether in a cycle, callers, callees)} from gprof's listing."""
    found, callers = {}, []
    entry = None
    for line in text.splitlines():
        if line.startswith("---") or line.startswith("\f"):
            callers, entry = [], None
            continue
        name = re.search(r"(<spontaneous>|<cycle \d+ as a whole>|\w+)"
                         r"(?: (<cycle \d+>))?(?: \[\d+\])?$", line)
        if not name:
            continue
        if primary := re.match(r"\[\d+\]\s+([\d.]+)", line):
            entry = found[name[1]] = (float(primary[1]), bool(name[2]), set(callers), set())
        elif entry:
            entry[3].add(name[1])
        else:
            callers.append(name[1])
    return found


@attempts(2)
def same_listing_as_gprof(bench):
    """Compare the entries, their callers and callees, and the order of entries by time."""
    need("gprof")
    _, ours = recorded(bench)
    program = bench.programs() / "calls-gprof"
    run([program, str(ROUNDS)], cwd=bench.directory)
    text = run(["gprof", "-b", "-q", program, bench.directory / "gmon.out"]).stdout
    theirs = gprof_entries(text)
    known = set(SELF) | {"<cycle 1 as a whole>"}
    yield "entries", None if known <= ours.keys() and known <= theirs.keys() else \
        f"{sorted(ours)} and {sorted(theirs)}"
    for name in sorted(known & theirs.keys() & ours.keys()):
        _, in_cycle, callers, callees = theirs[name]
        own = set(SELF) - {name}  # gprof also lists calls of a function to itself
        entry = ours[name]
        pairs = {"cycle": (bool(entry["cycle"]), in_cycle or name.startswith("<cycle")),
                 # gprof does not list the callers of a cycle as a whole.
                 "callers": (set(lines(entry, "callers", own)), callers & own)
                            if not entry["is_cycle"] else (0, 0),
                 "callees": (set(lines(entry, "callees", own)), callees & own)}
        wrong = {what: pair for what, pair in pairs.items() if pair[0] != pair[1]}
        yield name, f"{wrong}" if wrong else None
    index = {name: ours[name]["index"] for name in known & ours.keys()}
    wrong = [(a, b) for a in known for b in known
             if theirs[a][0] > theirs[b][0] + GPROF_NOISE and index[a] > index[b]]
    yield "order", f"{wrong}" if wrong else None


CHECKS = [known_calls, same_costs_as_callgrind, same_listing_as_gprof]
