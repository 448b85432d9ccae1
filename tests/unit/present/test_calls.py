#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Printed call trees and graphs: text as expected, JSON and CSV as Python reads them, any names.

    test_calls.py PRINT_CALLS CALLS_EXPECTED [--accept]
"""
import csv
import difflib
import io
import json
import pathlib
import re
import subprocess
import sys

PROGRAM, EXPECTED = sys.argv[1], pathlib.Path(sys.argv[2])
VIEWS = ("tree", "bottom-up", "children", "callgraph", "peek")
LONG = b"A" * (1 << 20)
KEPT = LONG[:65535].decode()  # of it in a model: STRPOOL_MAX
HOSTILE = [
    b"\x1b[2J\x1b]0;owned\x07", b"<script>alert(1)</script>", b"a\nb\r\nc", b'say "hi", \\ \'x\'',
    b"\xff\xfe\xc0\x80 \xed\xa0\x80", "\u202eevil\u2066\u2028".encode(), b"\xc2\x9b31m", b"%s%n%d",
    b"=1+1", LONG, b"std::map<int, a<b>>::operator[](int const&) const", b" ",
]
BAD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def show(form, view, *arguments, names=()):
    stdin = b"".join(name + b"\0" for name in names)
    return subprocess.run([PROGRAM, form, view, *arguments], input=stdin, check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def same(what, have, want):
    if have != want:
        sys.exit(f"not ok {what}: {str(have)[:2000]!r} instead of {str(want)[:2000]!r}")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def check_text():
    printed = "".join(f"== {view}\n{show('text', view)}" for view in VIEWS)
    if "--accept" in sys.argv:
        EXPECTED.write_text(printed)
    difference = "".join(difflib.unified_diff(EXPECTED.read_text().splitlines(True),
                                              printed.splitlines(True), "expected", "printed"))
    same("text", difference, "")
    for view in VIEWS:
        width = 80 if view in ("tree", "bottom-up", "peek") else 100
        text = show("text", view, str(width), names=[LONG])
        lines = [line for line in text.splitlines() if not line.startswith("AAAA")]
        same(f"columns of {view}", [line for line in lines if len(line) > width], [])


def check_tree():
    """A node's total is its self and its children's totals, in both formats and directions."""
    for view in ("tree", "bottom-up"):
        report = json.loads(show("json", view))
        same("version", (report["version"], report["samples"]), (1, 200))
        nodes = {row["id"]: row for row in report["rows"]}
        sums = {key: row["self"]["samples"] for key, row in nodes.items()}
        sums[0] = 0
        for row in report["rows"]:
            same("parent first", row["parent"] == 0 or row["parent"] < row["id"], True)
            sums[row["parent"]] += row["total"]["samples"]
        same(f"sums of {view}", {key: row["total"]["samples"] for key, row in nodes.items()},
             {key: value for key, value in sums.items() if key})
        same("root", sums[0], 200)
        for row in rows_of(show("csv", view)):
            node = nodes[int(row["id"])]
            same("CSV", (row["function"], int(row["self_samples"]), int(row["total_samples"]),
                         int(row["parent"])),
                 (node["function"], node["self"]["samples"], node["total"]["samples"],
                  node["parent"]))


def check_graph():
    report = json.loads(show("json", "callgraph"))
    entries = {entry["function"]: entry for entry in report["entries"]}
    same("members", {row["function"] for row in entries["<cycle 1 as a whole>"]["callees"]},
         {"even", "odd"})
    same("cycles", (entries["even"]["cycle"], entries["fib"]["cycle"]), (1, 0))
    same("recursive", entries["fib"]["recursive"]["samples"], 50)
    for entry in report["entries"]:
        total = entry["total"]["samples"]
        same(f"callers of {entry['function']}",
             sum(row["total"]["samples"] for row in entry["callers"]), total)
        if not entry["is_cycle"]:
            same(f"callees of {entry['function']}", entry["self"]["samples"] +
                 sum(row["total"]["samples"] for row in entry["callees"]), total)
        same("interval", entry["total"]["low"] <= entry["total"]["share"] <= entry["total"]["high"],
             True)
    rows = rows_of(show("csv", "callgraph"))
    same("roles", {row["role"] for row in rows},
         {"function", "cycle", "caller", "callee", "member"})
    same("lines", len(rows), sum(1 + len(entry["callers"]) + len(entry["callees"])
                                 for entry in report["entries"]))


def check_peek():
    report = json.loads(show("json", "peek"))
    functions = {entry["function"]: entry for entry in report["functions"]}
    odd = {(row["role"], row["function"]): row["samples"] for row in functions["odd"]["rows"]}
    same("odd", odd, {("caller", "even"): 50, ("self", "odd"): 0, ("callee", "leaf"): 30,
                      ("callee", "even"): 20})
    fib = {row["role"]: row["share"] for row in functions["fib"]["rows"]}
    same("fib", fib, {"caller": 1, "recursive": 1, "self": 1})
    same("CSV", len(rows_of(show("csv", "peek"))),
         sum(len(entry["rows"]) for entry in report["functions"]))


def check_hostile_text():
    for view in VIEWS:
        text = show("text", view, names=HOSTILE)
        same("control characters", BAD.findall(text), [])
        same("escape", "\\x1b[2J" in text, True)
        same("long", KEPT in text, True)
        plain = show("text", view, names=[b"plain%d" % i for i in range(len(HOSTILE))])
        same(f"lines of {view}", text.count("\n"), plain.count("\n"))


def names_in(value):
    """All strings under "function" and "image", anywhere."""
    if isinstance(value, list):
        return {name for item in value for name in names_in(item)}
    if not isinstance(value, dict):
        return set()
    own = {value[key] for key in ("function", "image") if key in value}
    return own | {name for item in value.values() for name in names_in(item)}


def check_hostile_data():
    for view in VIEWS:
        raw = show("json", view, names=HOSTILE)
        same("control characters", BAD.findall(raw), [])
        names = names_in(json.loads(raw))
        for name in HOSTILE[:4] + HOSTILE[5:]:
            same(f"name in {view}", name.decode()[:len(KEPT)] in names, True)
        text = show("csv", view, names=HOSTILE)
        same("control characters", BAD.findall(text.replace("\r\n", "\n")), [])
        csv.field_size_limit(1 << 22)
        rows = rows_of(text)
        same("fields", {None in row or None in row.values() for row in rows}, {False})
        functions = {row["function"] for row in rows}
        same("formula", "'=1+1" in functions and "=1+1" not in functions, True)
        same("long", KEPT in functions, True)
        same("quotes", HOSTILE[3].decode() in functions, True)


for check in (check_text, check_tree, check_graph, check_peek, check_hostile_text,
              check_hostile_data):
    check()
    print("ok", check.__name__)
