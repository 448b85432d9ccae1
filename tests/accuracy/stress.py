# SPDX-License-Identifier: GPL-2.0-or-later
"""Under heavy load each tick must be accounted for, and no sample may go to the wrong program.

SECONDS is how long most loads last (default: 10; a full test has 60).
"""
import bisect
import collections
import contextlib
import os
import signal
import struct
import subprocess
import time

from equality import Stacks
from harness import Failed, Skipped, attempts
from ledger import spinning
from tools import run, ticks_of

SECONDS = int(os.environ.get("SECONDS", "10"))
STOPPED_S = 5
PID_MAX = 400
TWIN_STEPS = 400_000		# two milliseconds
TWINS = {1: "alpha", 2: "beta"}
STACK_BYTES = 8192
EDGE_TICKS = 12		# ticks at either end may be late or skipped; twelve in a row: 0.3 ** 12
LIFE = struct.Struct("<IIQQ")

# The reasons for which a sample that reached the recorder is not a row.
NO_ROWS = ("memory", "disk-full")


# ---- ticks ----

def losses(recording):
    return {row["reason"]: int(row["count"])
            for row in recording.sql("SELECT reason, count FROM loss")}


def rows_by_cpu(recording):
    return {int(row["cpu"]): int(row["samples"]) for row in recording.sql(
        "SELECT cpu, count(*) AS samples FROM sample WHERE event = 0 GROUP BY cpu")}


def counted_ticks(recording):
    """Return {cpu: {outcome: ticks}} of the first event, as the in-kernel sampler counts them."""
    return {cpu: counts for (event, cpu), counts in ticks_of(recording).items() if event == 0}


LACKS = ("kernel-stack-unreadable", "user-stack-unreadable", "no-room-for-stack",
         "no-room-for-raw-stack")
MISSED = ("skipped", "left-out", "silent", "overrun", "overrun-idle")
BESIDES = ("due", "ticks", "unseen", *LACKS, *MISSED)


def counters_problem(recording):
    """Check for each CPU that outcomes add up to ticks, and that all sent samples are rows."""
    counters, rows = counted_ticks(recording), rows_by_cpu(recording)
    if not counters:
        return "the recording has no tick counters"
    unstored = sum(losses(recording).get(reason, 0) for reason in NO_ROWS)
    for cpu, ends in counters.items():
        named = {name: count for name, count in ends.items()
                 if name not in BESIDES}
        if sum(named.values()) != ends["ticks"]:
            return f"CPU {cpu}: {sum(named.values())} outcomes of {ends['ticks']} ticks: {ends}"
        sent = ends.get("sent", 0) + ends.get("sent-raw", 0)
        if not sent - unstored <= rows.get(cpu, 0) <= sent:
            return f"CPU {cpu}: {rows.get(cpu, 0)} rows of {sent} sent samples"
    if sum(ends["ticks"] for ends in counters.values()) == 0:
        return "no ticks"
    return None


def every_cpu(rate):
    """The options for a fixed number of ticks. With -F, the rate would vary."""
    return ["-e", "cpu-clock", "-a", "-c", str(10**9 // rate)]


def due_problem(recording, rate):
    """Check for each CPU that the due ticks are those that reached the sampler and those missed.

    The ticks of a clock have a fixed phase, so one tick per period is due from the first sample to
    the last. Ticks before the first sample are unknown. Ticks that were skipped after the last
    sample are due, too.
    """
    times = {int(row["cpu"]): row for row in recording.sql(
        "SELECT cpu, min(time_ns) AS first_ns, max(time_ns) AS last_ns FROM sample "
        "WHERE event = 0 GROUP BY cpu")}
    lost, counters = losses(recording), counted_ticks(recording)
    if not any(ends["due"] for ends in counters.values()):
        raise Skipped("this kernel does not show the timers of its clocks")
    for cpu, ends in counters.items():
        if ends["due"] != ends["ticks"] + sum(ends[name] for name in MISSED):
            return f"CPU {cpu}: the ticks do not add up: {ends}"
        if cpu not in os.sched_getaffinity(0):
            continue            # it may have been idle before its first sample or after its last
        wall_ns = int(times[cpu]["last_ns"]) - int(times[cpu]["first_ns"])
        due = wall_ns / (10**9 // rate) + 1
        if not due - EDGE_TICKS <= ends["due"] <= due + EDGE_TICKS:
            return f"CPU {cpu}: {ends['due']} ticks are counted as due, not {due:.1f}: {ends}"
    for reason, name in ("sample-skipped", "skipped"), ("tick-overrun", "overrun"):
        if (total := sum(ends[name] for ends in counters.values())) != lost.get(reason, 0):
            return f"{total} ticks {name}, but a loss {reason} of {lost.get(reason, 0)}"
    return None


def ledger_problem(recording):
    """Check for each CPU, recorded with the ring, that the ledger counts all rows."""
    rows = rows_by_cpu(recording)
    unstored = sum(losses(recording).get(reason, 0) for reason in NO_ROWS)
    for row in recording.sql("SELECT cpu, sample_count FROM ledger"):
        seen, stored = int(row["sample_count"]), rows.get(int(row["cpu"]), 0)
        if not seen - unstored <= stored <= seen:
            return f"CPU {row['cpu']}: {stored} rows of {seen} samples"
    return None


def clock_problem(recording, rate):
    """Check CPUs that are never idle: not more ticks than periods, and few ticks missing.

    A virtual CPU that the host does not run misses 0.3 to 1 % of its ticks, or 5 % if the host has
    other work. So this check finds only large gaps. ring_due_problem() counts these ticks, and
    ledger_problem() is exact for the samples that arrived.
    """
    row, = recording.sql("SELECT min(time_ns) AS first_ns, max(time_ns) AS last_ns FROM sample")
    cpus = len(os.sched_getaffinity(0))
    due = cpus * (int(row["last_ns"]) - int(row["first_ns"])) * rate / 1e9
    lost = losses(recording)
    seen = sum(rows_by_cpu(recording).values()) + sum(lost.get(reason, 0) for reason in (
        "sample-ring-full", "sample-kernel-dropped", "outside-namespace", *NO_ROWS))
    if not 0.9 * due - cpus < seen < due + 2 * cpus:
        return f"{seen} of {due:.0f} ticks were seen; lost {lost}"
    return None


def ring_due_problem(recording, rate):
    """Check for each CPU, recorded with the ring, that the due ticks came, were lost or are missing.

    The ticks that are due follow from the kernel's count of the clock, not from samples.
    """
    rows, counters, lost = rows_by_cpu(recording), counted_ticks(recording), losses(recording)
    unstored = sum(lost.get(reason, 0) for reason in NO_ROWS)
    times = {int(row["cpu"]): row for row in recording.sql(
        "SELECT cpu, min(time_ns) AS first_ns, max(time_ns) AS last_ns FROM sample "
        "WHERE event = 0 GROUP BY cpu")}
    for cpu, ends in counters.items():
        if not ends["ticks"] - 1 <= ends["due"] - ends["missing"] <= ends["ticks"]:
            return f"CPU {cpu}: the ticks do not add up: {ends}"
        if ends["ticks"] != ends["sent"] + ends["ring-full"]:
            return f"CPU {cpu}: {ends['ticks']} ticks, but {ends}"
        if not ends["sent"] - unstored <= rows.get(cpu, 0) <= ends["sent"]:
            return f"CPU {cpu}: {rows.get(cpu, 0)} rows of {ends['sent']} samples"
        due = (int(times[cpu]["last_ns"]) - int(times[cpu]["first_ns"])) / (10**9 // rate) + 1
        if not due - 1 <= ends["due"] <= due + EDGE_TICKS:
            return f"CPU {cpu}: {ends['due']} ticks are counted as due, not {due:.1f}: {ends}"
    missing = sum(ends["missing"] for ends in counters.values())
    # A jiffy of idle time explains some, and the enabling one for each CPU.
    if not 0.8 * missing - 10 * len(counters) <= lost.get("tick-overrun", 0) <= missing:
        return f"{missing} ticks are missing, but a loss tick-overrun of {lost}"
    return None


def ticks_problem(recording, collector, rate):
    if collector == "bpf":
        return counters_problem(recording) or due_problem(recording, rate)
    return (ledger_problem(recording) or clock_problem(recording, rate)
            or ring_due_problem(recording, rate))


@attempts(2)
def every_tick(bench):
    """Each tick is accounted for in a fork storm on busy CPUs."""
    rate = 1999
    for collector, options in bench.collectors(STACK_BYTES).items():
        with spinning(bench, sorted(os.sched_getaffinity(0))):
            recording = bench.record(f"ticks-{collector}", [*every_cpu(rate), *options], [
                bench.workload("forkstorm"), SECONDS, bench.workload("ember-static"), "4"])
        print(f"# {collector}: rows {rows_by_cpu(recording)}, ticks {counted_ticks(recording)}, "
              f"lost {losses(recording)}", flush=True)
        yield collector, ticks_problem(recording, collector, rate)


@attempts(2)
def skipped_ticks(bench):
    """A process is in bpf(2) most of its time, and there the kernel skips the sampler."""
    rate, cpu = 1999, max(os.sched_getaffinity(0))
    if "bpf" not in bench.collectors():
        raise Skipped("the kernel skips only the in-kernel sampler")
    with spinning(bench, sorted(os.sched_getaffinity(0) - {cpu})):
        recording = bench.record("skipped", [*every_cpu(rate), "--collector", "bpf"], [
            bench.programs() / "bpfhammer", "4", cpu])
    ends = counted_ticks(recording)[cpu]
    print(f"# {ends}", flush=True)
    if ends["skipped"] < 20:  # other load may use most of the CPU
        raise Failed(f"bpfhammer had hardly any effect: {ends}")
    if problem := counters_problem(recording) or due_problem(recording, rate):
        raise Failed(problem)
    return f"{ends['skipped'] / ends['due']:.0%} of {ends['due']} ticks were skipped and counted"


# ---- owners of samples ----

class Lives:
    """Which twin had a process id at which time, as the twins themselves recorded it."""

    def __init__(self, path):
        self.by_tgid = collections.defaultdict(list)
        for tgid, which, start_ns, end_ns in LIFE.iter_unpack(path.read_bytes()):
            self.by_tgid[tgid].append((start_ns, end_ns, TWINS[which]))
        for lives in self.by_tgid.values():
            lives.sort()

    def find(self, tgid, time_ns):
        lives = self.by_tgid[tgid]
        at = bisect.bisect_right(lives, (time_ns, 1 << 63, "")) - 1
        return lives[at][2] if at >= 0 and time_ns <= lives[at][1] else None

    def count(self):
        return sum(map(len, self.by_tgid.values()))

    def reused(self):
        return sum(len(lives) > 1 for lives in self.by_tgid.values())


class Owners:
    """Compares the recording's owners of the twins' samples with the twins' own records."""

    def __init__(self, recording, lives):
        self.right = self.whole = self.unknown = 0
        self.wrong = collections.Counter()
        self.stacks = Stacks(recording)
        self.images = {int(row["id"]): row["path"] or "" for row in recording.sql(
            "SELECT id, path FROM image")}
        self.names = {(int(row["image"]), int(row["vaddr"])): row["name"] for row in recording.sql(
            "SELECT location.image, location.vaddr, name FROM location "
            "JOIN function ON function.id = location.function")}
        for row in recording.sql("SELECT tgid, exe.text AS exe, time_ns, stack FROM sample "
                                 "JOIN thread ON thread.id = sample.thread "
                                 "JOIN process ON process.id = thread.process "
                                 "LEFT JOIN string AS exe ON exe.id = process.exe"):
            if truth := lives.find(int(row["tgid"]), int(row["time_ns"])):
                self.judge(truth, row)

    def judge(self, truth, row):
        _, user, root = self.stacks.frames(row["stack"])
        said = [row["exe"] or ""]
        said += [self.images.get(image, "") for image, _ in user]
        said += [self.names.get(location, "") for location in user]
        other = "beta" if truth == "alpha" else "alpha"
        if found := [word for word in said if f"twin-{other}" in word or f"{other}_" in word]:
            self.wrong[f"{truth} as {found[0]}"] += 1
        elif any(f"twin-{truth}" in word for word in said):
            self.right += 1
            self.whole += root == "end" and self.names.get(user[-1:] and user[-1]) == "_start"
        else:
            self.unknown += 1

    def text(self):
        return (f"{self.right} samples right, {self.whole} of them with whole stacks, "
                f"{self.unknown} of unknown programs, {sum(self.wrong.values())} wrong: "
                f"{dict(self.wrong)}")

    def problem(self, right_min=0.99):
        total = self.right + self.unknown + sum(self.wrong.values())
        if self.wrong or self.right < max(500, right_min * total):
            return self.text()
        return None


def twins(bench, seconds, name):
    """Return (command that runs the twins, path of the records of their lives)."""
    programs, lives = bench.programs(), bench.directory / f"{name}.lives"
    cpus = len(os.sched_getaffinity(0))
    return [programs / "twinstorm", str(seconds), str(cpus), str(TWIN_STEPS), lives,
            programs / "twin-alpha", programs / "twin-beta"], lives


def own_numbers():
    """Return the words that run a command in a pid namespace with few process ids.

    There process ids are reused after a hundred processes.
    """
    words = ["unshare", "-p", "-f", "--mount-proc", "sh", "-c",
             f'echo {PID_MAX} >/proc/sys/kernel/pid_max && exec "$@"', "sh"]
    before = open("/proc/sys/kernel/pid_max", encoding="ascii").read()
    done = run([*words, "cat", "/proc/sys/kernel/pid_max"])
    after = open("/proc/sys/kernel/pid_max", encoding="ascii").read()
    if before != after:  # before Linux 6.14, pid_max applies to the whole machine
        with open("/proc/sys/kernel/pid_max", "w", encoding="ascii") as file:
            file.write(before)
        raise Skipped("this kernel has no pid_max for each pid namespace")
    if done.returncode != 0:
        raise Skipped(f"a pid namespace cannot be made here: {done.stderr.strip()}")
    return words


@attempts(2)
def reused_numbers(bench):
    """Process ids are reused often. Each sample must go to the process that had the id then."""
    for collector, options in bench.collectors(STACK_BYTES).items():
        command, lives_path = twins(bench, SECONDS, f"reused-{collector}")
        path, words = bench.record_command(f"reused-{collector}", ["-a", "-F", "1999", *options],
                                           command)
        done = run([*own_numbers(), *words])
        if done.returncode != 0:
            raise Failed(f"exit {done.returncode}: {done.stderr[-300:].strip()}")
        lives = Lives(lives_path)
        owners = Owners(bench.open(path), lives)
        print(f"# {collector}: {lives.count()} lives, {len(lives.by_tgid)} process ids, "
              f"{lives.reused()} reused; {owners.text()}", flush=True)
        if lives.reused() < 50:
            raise Skipped(f"only {lives.reused()} process ids were reused")
        yield collector, owners.problem()


@contextlib.contextmanager
def stopped(process):
    process.send_signal(signal.SIGSTOP)
    yield
    process.send_signal(signal.SIGCONT)


@attempts(2)
def stopped_recorder(bench):
    """The recorder is stopped for five seconds, in which hundreds of processes start and end."""
    rate = 3999
    for collector, options in bench.collectors(STACK_BYTES).items():
        name = f"stopped-{collector}"
        command, lives_path = twins(bench, STOPPED_S + 7, name)
        path, words = bench.record_command(name, [*every_cpu(rate), *options], command)
        with spinning(bench, sorted(os.sched_getaffinity(0))):
            recorder = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
            time.sleep(3)
            with stopped(recorder):
                time.sleep(STOPPED_S)
            _, said = recorder.communicate(timeout=120)
        if recorder.returncode != 0:
            raise Failed(f"exit {recorder.returncode}: {said[-300:]!r}")
        recording = bench.open(path)
        owners = Owners(recording, Lives(lives_path))
        print(f"# {collector}: {owners.text()}, ticks {counted_ticks(recording)}, "
              f"lost {losses(recording)}", flush=True)
        yield f"{collector}-ticks", ticks_problem(recording, collector, rate)
        yield f"{collector}-owners", owners.problem(right_min=0.5)


CHECKS = [every_tick, skipped_ticks, reused_numbers, stopped_recorder]
