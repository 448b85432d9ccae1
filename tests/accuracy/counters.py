# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the counts of assay stat with those of perf stat, and with a known number of calls."""
import csv
import io
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

from harness import Failed, Skipped, attempts
from tools import run

RUNS = 20
T = 3.883  # Student's t for 19 degrees of freedom: one verdict in a thousand is wrong
EVENTS = ("page-faults", "minor-faults", "task-clock", "context-switches")
CALLS = "syscalls:sys_enter_getppid"
COMMAND = ["sh", "-c", "for i in 1 2 3 4; do env true; done"]

# A program whose threads and children make a known number of calls. Each thread starts the next.
CALLER = """
import os, sys, threading, time
threads, calls, pace = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
go = threading.Event()
def chain(left):
    time.sleep(pace)
    if left > 1:
        following = threading.Thread(target=chain, args=(left - 1,))
        following.start()
    else:
        print("complete", flush=True)
    go.wait()
    for _ in range(calls):
        os.getppid()
    if left > 1:
        following.join()
first = threading.Thread(target=chain, args=(threads,))
first.start()
sys.stdin.readline()
go.set()
first.join()
for _ in range(3):
    if os.fork() == 0:
        for _ in range(calls):
            os.getppid()
        os._exit(0)
    os.wait()
"""


def caller(threads, calls, pace):
    return [sys.executable, "-I", "-S", "-c", CALLER, str(threads), str(calls), str(pace)]


def counters(text):
    return {row["event"]: row for row in json.loads(text)["results"][0]["counters"]}


def need_calls(bench):
    done = run([bench.assay, "stat", "-e", CALLS, "--", "true"])
    if done.returncode != 0:
        raise Skipped(f"{CALLS} cannot be counted: {done.stderr.strip()}")


def perf_counts(events):
    """Return {event: count} of one run, by perf stat. Counts of clocks are in nanoseconds."""
    done = run(["perf", "stat", "-x", ",", "-e", ",".join(events), "--", *COMMAND])
    if done.returncode != 0:
        raise Skipped(f"perf stat: {done.stderr.strip()}")
    rows = [row for row in csv.reader(io.StringIO(done.stderr)) if len(row) > 3]
    return {row[2]: float(row[0]) * (1e6 if row[1] == "msec" else 1) for row in rows}


@attempts(3)
def counts_like_perf(bench):
    """Run the same command with assay and perf in turn. The means must differ only by chance."""
    ours, theirs = [], []
    for _ in range(RUNS):
        theirs.append(perf_counts(EVENTS))
        done = run([bench.assay, "stat", "--json", "-e", ",".join(EVENTS), "--", *COMMAND])
        ours.append(counters(done.stdout))
    for event in EVENTS:
        gaps = [own[event]["mean"] - other[event] for own, other in zip(ours, theirs)]
        mean = statistics.mean(other[event] for other in theirs)
        allowed = T * statistics.stdev(gaps) / math.sqrt(RUNS) + 0.5
        if abs(statistics.mean(gaps)) > allowed:
            yield event, f"{statistics.mean(gaps):+.1f} of {mean:.1f}, {allowed:.1f} allowed"
        elif event.endswith("-faults") and allowed > mean / 20:
            yield event, f"the counts vary too much: the mean of {mean:.1f} has an error of " \
                f"{allowed:.1f}"
        else:
            yield event, None


def syntax_like_perf(bench):
    """assay accepts the events that perf accepts, and refuses those that perf refuses."""
    taken = ["page-faults", "faults:u", "task-clock,cs", "{page-faults,cs}", "{task-clock,cs:u}:S",
             "{cs,faults}:u,cpu-clock", "software/config=2/", "software/config=1/u", "cs:k", "r0:k",
             "dummy:ukh", "minor-faults,{major-faults,migrations}:S,alignment-faults"]
    refused = ["no-such-event", "cs,", "cs}", "cs:z", "software/bogus=1/", "{}", "{cs}cs",
               "cs{cs}", "sched:no_such_tracepoint", "nopmu/config=1/", "cs:uz", ",cs"]
    for text in taken + refused:
        theirs = run(["perf", "stat", "-e", text, "--", "true"])
        ours = run([bench.assay, "stat", "-e", text, "--", "true"])
        if text.startswith("r") and ours.returncode and "not supported" in ours.stderr:
            yield text, None  # the machine has no raw counters
        elif (theirs.returncode == 0) != (ours.returncode == 0):
            yield text, f"perf: {theirs.returncode}, assay: {ours.returncode} {ours.stderr}"
        else:
            yield text, None


def every_call(bench):
    """Every call of a command with threads and children is counted."""
    need_calls(bench)
    done = run([bench.assay, "stat", "--json", "-e", f"{CALLS},{{{CALLS},task-clock}}", "-o",
                bench.directory / "calls.json", "--", *caller(8, 1000, 0.001)], input="\n")
    if done.returncode != 0:
        raise Failed(done.stderr)
    rows = json.loads((bench.directory / "calls.json").read_text())["results"][0]["counters"]
    counts = [row["values"] for row in rows if row["event"] == CALLS]
    if counts != [[11000], [11000]]:
        raise Failed(f"{counts} of 11000 calls")


def wait_until_counting(counting, process, seconds=60):
    """Wait until assay waits for the end of the process, or has ended with an error."""
    deadline = time.monotonic() + seconds
    wchan = pathlib.Path(f"/proc/{counting.pid}/wchan")
    while counting.poll() is None and not wchan.read_text(encoding="ascii").startswith("poll_"):
        if time.monotonic() > deadline:
            counting.kill()
            process.kill()
            raise Failed(f"assay does not count after {seconds} s")
        time.sleep(0.02)


def every_call_of_threads_that_come(bench):
    """A process starts threads while counting begins. Each call must be counted exactly once."""
    need_calls(bench)
    threads, calls = 120, 10
    wanted = (threads + 3) * calls
    for head_start in (0.02, 0.03, 0.04, 0.05, 0.06):
        process = subprocess.Popen(caller(threads, calls, 0.0003), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        time.sleep(head_start)  # until some of the threads exist
        counting = subprocess.Popen([bench.assay, "stat", "--json", "-e", CALLS, "-p",
                                     str(process.pid)], stdout=subprocess.PIPE, text=True,
                                    stderr=subprocess.PIPE)
        process.stdout.readline()
        wait_until_counting(counting, process)
        process.communicate("\n")
        text, said = counting.communicate(timeout=60)
        count = said or counters(text)[CALLS]["mean"]
        yield f"{head_start}", None if count == wanted else f"{count} of {wanted} calls"


CHECKS = [counts_like_perf, syntax_like_perf, every_call, every_call_of_threads_that_come]
