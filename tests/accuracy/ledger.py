# SPDX-License-Identifier: GPL-2.0-or-later
"""Check that the ledger adds up to CPUs x wall clock, and compare samples with /proc/PID/stat."""
import contextlib
import os
import subprocess

import pairs
from harness import Failed, attempts, recording
from stats import wilson

SECONDS = 4


@contextlib.contextmanager
def spinning(bench, cpus):
    spinners = [subprocess.Popen([bench.workload("spinner"), "3600", str(cpu)],
                                 stdout=subprocess.DEVNULL) for cpu in cpus]
    yield
    for spinner in spinners:
        spinner.kill()
        spinner.wait()


def gives_no_idle_samples(run):
    rows = run.sql("SELECT cpu, sum(name = 'idle') AS idle FROM sample "
                   "JOIN context ON context.id = sample.context GROUP BY cpu")
    idle = {int(row["cpu"]): int(row["idle"]) for row in rows}
    return any(idle.get(cpu, 0) < SECONDS for cpu in os.sched_getaffinity(0))


def gap_of(cpu, period_ns):
    """Return the time of one CPU that the ledger should explain and does not, in ns.

    Ticks that did not come may stay unaccounted. Busy time is sampled and idle time is not, so the
    sum is as uncertain as a share of so many ticks.
    """
    wall = cpu["wall_ns"]
    missing = max(0, wall - cpu["ticks"] * period_ns)
    low, high = wilson(min(cpu["busy_ns"], wall) / period_ns, wall / period_ns)
    return max(0, cpu["ns"]["unaccounted"] - missing - (high - low) / 2 * wall)


def closes(bench, name, load):
    """Record under @load. Return why the ledger does not add up, or None if it does."""
    with load:
        run = bench.record(name, ["-e", "cpu-clock", "-a", "-F", "1999"], ["sleep", str(SECONDS)])
    ledger = run.report()["ledger"]
    if "missing" in ledger:
        return ledger["missing"]
    wall, parts = ledger["wall_ns"], ledger["ns"]
    if wall < len(os.sched_getaffinity(0)) * SECONDS * 0.99e9:
        return f"only {wall / 1e9:.3f} s of CPUs x wall are accounted for"
    named = sum(parts.values()) - parts["unaccounted"]
    weights = run.sql("SELECT sum(weight) AS ns, count(*) AS samples FROM sample")[0]
    period_ns = int(weights["ns"]) / int(weights["samples"])
    if max(named - wall, sum(gap_of(cpu, period_ns) for cpu in ledger["cpus"])) > wall / 100:
        return f"{named / 1e9:.3f} s of {wall / 1e9:.3f} s: {ledger}, period {period_ns} ns"
    if parts["unsampled interrupts"] and not gives_no_idle_samples(run):
        return "every CPU is sampled while idle, but " \
            f"{parts['unsampled interrupts']} ns of interrupts are unsampled"
    return None


@attempts(3)
def ledger_closes(bench):
    cpus = sorted(os.sched_getaffinity(0))
    yield "idle", closes(bench, "ledger-idle", contextlib.nullcontext())
    yield "busy", closes(bench, "ledger-busy", spinning(bench, cpus))
    yield "interrupts", closes(bench, "ledger-interrupts", pairs.running(
        bench.workload("pingpong"), "udp", pairs.loopback))


def stat_ns(pid):
    """Return utime + stime of /proc/PID/stat, and the largest error of that sum."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    tick_ns = 1000000000 // os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) * tick_ns, 2 * tick_ns


@attempts(3)
def process_times(bench):
    """Compare the samples of processes with their CPU times.

    One spinner is alone on its CPU. Two spinners and a loop of system calls share the other CPU.
    """
    last = max(os.sched_getaffinity(0))
    loads = {"one": ["spinner", "2", str(last)], "two": ["spinner", "2", "0"],
             "three": ["spinner", "2", "0"]}
    path, command = bench.record_command(
        "process-times", ["-e", "cpu-clock", "-a", "-F", "1999"], [])
    times = {}
    with recording(command) as recorder:
        processes = {name: subprocess.Popen([bench.workload(words[0]), *words[1:]],
                                            stdout=subprocess.DEVNULL)
                     for name, words in loads.items()}
        processes["dd"] = subprocess.Popen(
            ["taskset", "-c", "0", "dd", "if=/dev/zero", "of=/dev/null", "bs=64", "count=2000000"],
            stderr=subprocess.DEVNULL)
        for name, process in processes.items():
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # a zombie is in /proc
            times[name] = stat_ns(process.pid)
            process.wait()
    if recorder.returncode != 0:
        raise Failed(f"assay record: exit {recorder.returncode}: {recorder.output[1]!r}")
    weights = bench.open(path).sql("SELECT tgid, count(*) AS samples, sum(weight) AS weight_ns "
                                   "FROM sample JOIN thread ON thread.id = sample.thread "
                                   "JOIN process ON process.id = thread.process GROUP BY tgid")
    total = sum(int(row["samples"]) for row in weights)
    seen = {int(row["tgid"]): (int(row["samples"]), int(row["weight_ns"])) for row in weights}
    for name, process in processes.items():
        if process.pid not in seen:
            raise Failed(f"no samples of {name}")
        # The rate varies from second to second, so the time is that of the samples' weights.
        hits, weight_ns = seen[process.pid]
        low, high = (share * total / hits * weight_ns for share in wilson(hits, total))
        true_ns, error_ns = times[name]
        good = low - error_ns <= true_ns <= high + error_ns
        yield name, None if good else (f"/proc/PID/stat says {true_ns / 1e9:.2f} s, the samples "
                                       f"{low / 1e9:.3f} to {high / 1e9:.3f} s")


CHECKS = [ledger_closes, process_times]
