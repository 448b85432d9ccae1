#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of the synthetic machine: text as in report.expected and screen.expected.

JSON and CSV are read with Python's own parsers.

    test_report.py PRINT_MACHINE REPORT_EXPECTED [--accept]
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
SCREEN = EXPECTED.with_name("screen.expected")
HOSTILE = [
    b"\x1b[2J\x1b]0;owned\x07", b"<script>alert(1)</script>", b"a\nb\r\nc", b'say "hi", \\ \'x\'',
    b"\xff\xfe\xc0\x80 \xed\xa0\x80", "\u202eevil\u2066\u2028".encode(), b"\xc2\x9b31m", b"%s%n%d",
    b"=1+1", b"A" * (1 << 20), b"\xe2\x82" + b"\x80" * 5000, b" ",
]
BAD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def show(*arguments, names=()):
    stdin = b"".join(name + b"\0" for name in names)
    return subprocess.run([PROGRAM, *arguments], input=stdin, check=True,
                          stdout=subprocess.PIPE).stdout


def same(what, have, want):
    if have != want:
        sys.exit(f"not ok {what}: {have!r} instead of {want!r}")


def check_text():
    text = show("text", "plain").decode()
    if "--accept" in sys.argv:
        EXPECTED.write_text(text)
    difference = "".join(difflib.unified_diff(EXPECTED.read_text().splitlines(True),
                                              text.splitlines(True), "expected", "printed"))
    same("text report", difference, "")
    same("columns", [line for line in text.splitlines() if len(line) > 100], [])


def check_screen():
    text = show("text", "plain", "screen").decode()
    if "--accept" in sys.argv:
        SCREEN.write_text(text)
    same("first screen", text, SCREEN.read_text())
    for which in ("build", "hostile"):
        text = show("text", which, "screen", names=HOSTILE).decode()
        same("control characters", BAD.findall(text), [])
        same("at most 45 lines", text.count("\n") <= 45, True)
    same("columns", [line for line in show("text", "build", "screen").decode().splitlines()
                     if len(line) > 80], [])


def check_limited():
    text = " ".join(show("text", "limited").decode().split())
    same("rates", "1000 Hz from 0.0 s, 333 Hz from 4.5 s (4000 Hz requested), to take at most "
         "1 % of the machine" in text, True)
    same("legend", "Shares are of time, not of samples" in text, True)
    same("cost", "one sampling interrupt costs about 11.0 us [9.0-13.2] here: 1.1 % of each CPU at "
         "1000 Hz" in text, True)
    report = json.loads(show("json", "limited"))
    first = report["processes"][0]
    same("share", abs(first["share"] - first["weight"] / (report["weight"] - 1500e6)) < 1e-6, True)


def check_brief():
    text = show("text", "build").decode()
    same("columns", [line for line in text.splitlines() if len(line) > 80], [])
    titles = re.findall("^.* profile of .*$", text, re.M)
    same("profiles", titles, ["USER profile of burn 100", "KERNEL profile of burn 100",
                              "USER profile of server 200", "KERNEL profile of server 200",
                              "USER profile of cc1 (30 processes)"])
    same("the other profiles", "... 2 more processes or applications have at least 1 %" in text, True)
    table = show("text", "build", "process").decode().splitlines()
    same("rest", table[-1], "  ... 15 more rows, 600 samples (LIMIT 0 shows all)")


def check_counted_ticks():
    """Those that found a CPU idle are no samples, and are told where there are any."""
    plain, idle = (show("text", which).decode().splitlines() for which in ("plain", "idle"))
    more = [" ".join(line.split()) for line in idle if line not in plain]
    same("line", [line for line in more if line.startswith("ticks")],
         ["ticks 2001 more found a CPU idle and were only counted"])
    same("32 bits", "321 samples of 32-bit programs were unwound by frame pointers" in more, True)
    same("unwatched", "did not reach the sampler were not counted: no timers to be seen" in
         " ".join(idle), True)
    same("without", [line for line in plain if line.split()[:1] == ["ticks"]], [])


def check_json_counted_ticks():
    report = json.loads(show("json", "idle"))
    same("idle", (report["idle_ticks"], report["walked_32bit"]), (2001, 321))


def check_json():
    report = json.loads(show("json", "plain"))
    same("version", report["version"], 1)
    same("samples", (report["samples"], report["busy_samples"]), (8955, 8455))
    same("contexts", {row["context"]: row["samples"] for row in report["contexts"]},
         {"user": 6115, "syscall": 1540, "exception": 200, "softirq": 300, "hardirq": 150,
          "idle": 500, "kthread": 150})
    same("ledger", report["ledger"]["ns"]["unaccounted"], 0)
    burn = report["processes"][0]
    same("process", (burn["process"], burn["samples"], burn["instance"]), ("burn 100", 6105, 1))
    same("profile", [(row["function"], row["samples"]) for row in burn["user_profile"]],
         [("burn_hot", 4000), ("burn_cold", 1000), ("memcpy", 5)])
    for row in burn["user_profile"]:
        same("interval", row["low"] < row["share"] < row["high"], True)
    programs = report["applications"]
    same("application", (programs[0]["application"], programs[0]["processes"]), ("burn", 1))
    same("application's profile", programs[0]["user_profile"], burn["user_profile"])
    walks = report["health"]["walks"]
    same("walks", (walks["walked"], walks["ended"]), (6000, 5900))
    worst = walks["cut"][0]
    same("worst", (worst["image"], worst["cut"], worst["stopped"]),
         ("/opt/stripped.so", 80, {"no-table": 60, "unsupported-rule": 20}))
    same("advice", ["frame pointers (java" in row["advice"] for row in walks["cut"]],
         [False, True])
    late = [row["function"] for row in report["late"]["functions"] if row["absorbs_late"]]
    same("absorbers", late, ["unlock_irqrestore"])
    check_json_measured(report["interrupts"]["measured"])


def check_json_measured(measured):
    hard, soft = measured["hardirq"], measured["softirq"]
    same("measured", (measured["wall_ns"], measured["pair_ns"], measured["cost_ns"]),
         (10000000000, 100, 2607000))
    same("vectors", [(row["kind"], row["name"], row["count"], row["ns"]) for row in hard["vectors"]],
         [("cpu", "local timer", 20000, 240000000), ("device", "virtio1-req.0", 20, 2000000)])
    same("skipped", [(kind["skipped"], [row.get("skipped") for row in kind["vectors"]])
                     for kind in (hard, soft)], [(200, [200, None]), (60, [60, None])])
    same("CPUs", [(row["cpu"], row["ns"], row["sampled_ns"], row["differs"])
                  for row in hard["cpus"] + soft["cpus"]],
         [(0, 152000000, 100000000, True), (1, 90000000, 50000000, True),
          (0, 280000000, 300000000, False), (1, 400000, 0, False)])
    same("victims", [(row.get("tgid"), row["name"], row["ns"], row.get("own_ns"))
                     for row in hard["victims"]],
         [(100, "burn", 160000000, 6105000000), (0, "swapper", 80000000, 11530000000),
          (777, "gone", 1900000, None), (None, "[others]", 100000, None)])
    same("untimed", [(row["count"], row.get("ns")) for row in measured["untimed"]], [(7, None)])


def check_csv():
    text = show("csv", "plain", "application,function").decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    same("rows", sum(int(row["samples"]) for row in rows), 8955)
    same("first", (rows[0]["application"], rows[0]["function"], rows[0]["seconds"]),
         ("burn", "burn_hot", "4"))
    same("event", {row["event"] for row in rows}, {"cpu-clock"})
    same("image", rows[0]["image"], "/usr/bin/burn")
    same("certain", (rows[0]["quality"], rows[0]["before"], rows[0]["after"]), ("symtab", "", ""))
    stripped = next(row for row in rows if row["function"] == "fn_1a2b0")
    same("uncertain", (stripped["quality"], stripped["before"], stripped["after"]),
         ("bracket", "send", "sendmsg"))
    same("unknown", {row["quality"] for row in rows if row["function"] == "[stripped.so]"}, {"none"})


def check_json_quality():
    rows = json.loads(show("json", "plain", "function"))["rows"]
    stripped = next(row for row in rows if row["function"] == "fn_1a2b0")
    same("uncertain", (stripped["quality"], stripped["before"], stripped["after"]),
         ("bracket", "send", "sendmsg"))
    certain = next(row for row in rows if row["function"] == "burn_hot")
    same("certain", (certain["quality"], "before" in certain), ("symtab", False))


def check_hostile_text():
    for arguments in (["text", "hostile"], ["text", "hostile", "comm,function,image"]):
        text = show(*arguments, names=HOSTILE).decode()
        same("control characters", BAD.findall(text), [])
        same("escape", "\\x1b[2J" in text, True)
    table = show("text", "hostile", "comm,function", names=HOSTILE).decode()
    plain = show("text", "plain", "comm,function").decode()
    same("one line each", table.count("\n"), plain.count("\n") + len(HOSTILE))


def check_hostile_json():
    table = json.loads(show("json", "hostile", "comm", names=HOSTILE))
    names = {row["comm"] for row in table["rows"]}
    for name in HOSTILE[:4] + HOSTILE[5:9]:
        same("name", name.decode() in names, True)
    raw = show("json", "hostile", names=HOSTILE).decode()
    json.loads(raw)
    same("control characters", BAD.findall(raw), [])


def check_hostile_csv():
    text = show("csv", "hostile", "comm,function", names=HOSTILE).decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    same("fields", {len(row) for row in rows}, {14})
    same("control characters", BAD.findall(text.replace("\r\n", "\n")), [])
    same("formula", [row[0] for row in rows if row[0].endswith("=1+1")], ["'=1+1"])
    same("quotes", any(row[0] == HOSTILE[3].decode() for row in rows), True)


def check_wall_text():
    lines = show("text", "plain", "wall").decode().splitlines()
    at = next(i for i, line in enumerate(lines) if line.endswith(" burn 100 (1 thread)"))
    same("wall", lines[at].split()[0], "10.0000")
    same("columns", [line for line in lines if len(line) > 100], [])
    same("order", [line.split()[-1] for line in lines[at:at + 16]],
         ["thread)", "running", "user", "system", "interrupts", "runnable", "wakeup", "preempted",
          "blocked", "asleep", "I/O", "waits", "observed", "thread)", "running", "user"])
    same("least duration", any("at least 1 ms" in line for line in lines), True)


def check_wall_json():
    report = json.loads(show("json", "plain", "wall"))
    same("version", (report["version"], report["by"], report["off_cpu"]), (1, "process", True))
    burn = next(row for row in report["rows"] if row["process"] == "burn 100")
    parts = {(part["group"], part["part"]): part for part in burn["parts"]}
    same("sum", round(sum(part["share"] for part in parts.values()), 9), 1)
    same("wall", burn["wall_seconds"], 10)
    user, io = parts["running", "user"], parts["blocked", "I/O"]
    same("user", (user["seconds"], user["samples"]), (5.005, 5005))
    same("interval", user["low"] < user["share"] < user["high"], True)
    same("measured", (io["seconds"], io["waits"], "low" in io), (0.25, 1, False))
    same("short waits", parts["blocked", "short waits"]["waits"], 4000)
    same("rest", round(parts["not observed", "not observed"]["seconds"], 9), 0.445)


def check_wall_csv():
    rows = list(csv.DictReader(io.StringIO(show("csv", "plain", "wall").decode(), newline="")))
    burn = [row for row in rows if row["process"] == "burn 100"]
    same("parts", len(burn), 12)
    same("sum", round(sum(float(row["seconds"]) for row in burn), 9), 10)


def check_hostile_wall():
    text = show("text", "hostile", "wall", names=HOSTILE).decode()
    same("control characters", BAD.findall(text), [])
    json.loads(show("json", "hostile", "wall", names=HOSTILE))
    text = show("csv", "hostile", "wall", names=HOSTILE).decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    same("fields", {len(row) for row in rows}, {10})
    same("control characters", BAD.findall(text.replace("\r\n", "\n")), [])


for check in (check_text, check_screen, check_limited, check_brief, check_counted_ticks,
              check_json_counted_ticks, check_json, check_json_quality, check_csv,
              check_hostile_text, check_hostile_json, check_hostile_csv, check_wall_text, check_wall_json,
              check_wall_csv, check_hostile_wall):
    check()
    print("ok", check.__name__)
