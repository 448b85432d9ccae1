# SPDX-License-Identifier: GPL-2.0-or-later
"""Check samples of children that live 200 microseconds, and the file of a killed recorder."""
import contextlib
import os
import pathlib
import signal
import subprocess
import time

from harness import Failed, Skipped, attempts
from stats import wilson


@attempts(2)
def short_children(bench):
    """99.9 % of the samples of children that live 200 us have an image and a function."""
    for child in ("ember-static", "ember"):
        recording = bench.record(f"storm-{child}", ["-a", "-F", "999"], [
            bench.workload("forkstorm"), "5", bench.workload(child)])
        # An exiting task in its last steps in the kernel has no name: "".
        rows = {row[1:]: samples
                for row, samples in recording.counts("comm,image,function").items()
                if row[0] in (child, "")}
        total = sum(rows.values())
        # Each child burns for 200 us; how long its start takes differs from machine to machine.
        burning = int(recording.printed.split()[0]) * 200e-6 * 999
        nameless = {row: samples for row, samples in rows.items()
                    if row[1].startswith(("[", "fn_", "gap_")) or row[0] in ("", "//anon", "[unknown]")}
        if total < 2000:
            yield child, f"only {total} samples"
        elif (found := rows.get((str(bench.workload(child)), "burn_ember"), 0)) < burning / 2:
            yield child, f"burn_ember has {found} samples, not {burning:.0f}: {rows}"
        elif sum(nameless.values()) > total / 1000:
            yield child, f"{nameless} of {total} samples have no name"
        else:
            yield child, None


@attempts(2)
def killed(bench):
    """After kill -9, all samples up to the last flush can be read."""
    flush_ms = 200
    path, words = bench.record_command("killed", ["-a", "-F", "999", "-M", str(flush_ms)],
                                       [bench.workload("spinner"), "8", "0"])
    recorder = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL,
                                start_new_session=True)
    time.sleep(4)
    killed_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    os.killpg(recorder.pid, signal.SIGKILL)  # kills the spinner, too
    recorder.wait()
    recording = bench.open(path)
    row, = recording.sql("SELECT min(time_ns) AS first_ns, max(time_ns) AS last_ns FROM sample")
    first_ns, last_ns = int(row["first_ns"]), int(row["last_ns"])
    functions = recording.counts("function", comm="spinner", context="user")
    # The rate varies, so the samples are not counted, but the time that they stand for is.
    row, = recording.sql("SELECT sum(weight) AS weight_ns FROM sample WHERE cpu = 0")
    sampled_ns = int(row["weight_ns"])
    if killed_ns - last_ns > 5 * flush_ms * 1e6:
        raise Failed(f"the last {(killed_ns - last_ns) / 1e9:.2f} s are missing")
    if sampled_ns < 0.95 * (last_ns - first_ns):
        raise Failed(f"{sampled_ns / 1e9:.2f} of {(last_ns - first_ns) / 1e9:.2f} s of CPU 0")
    if wilson(functions.get("spin", 0), sum(functions.values()))[1] < 0.99:
        raise Failed(f"the functions have no names: {functions}")


def anonymous_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        words = dict(line.split(":", 1) for line in file)
    return int(words["RssAnon"].split()[0]) / 1024


def bounded_memory(bench):
    """What is over leaves memory: processes, files and generated code that nobody runs any more."""
    path, words = bench.record_command("churn", ["-a", "-F", "999", "--memory", "16"], [
        bench.workload("churn"), "40", bench.directory])
    recorder = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
    time.sleep(15)      # until the caches are full
    early_mib = anonymous_mib(recorder.pid)
    time.sleep(22)
    late_mib = anonymous_mib(recorder.pid)
    problem = recorder.communicate()[1]
    if recorder.returncode != 0:
        raise Failed(f"exit {recorder.returncode}: {problem[-300:].strip()}")
    # The totals at the end are made of rows that had left memory.
    row, = bench.open(path).sql(
        "SELECT (SELECT count(*) FROM process) AS processes,"
        " (SELECT count(*) FROM process WHERE tgid = 0 AND start_ns = 0 AND exe <> 0) AS empty,"
        " (SELECT sum(samples) FROM thread_time WHERE thread <> 0) AS owned,"
        " (SELECT count(*) FROM sample) AS samples")
    processes, empty, owned, samples = (int(row[key]) for key in ("processes", "empty", "owned",
                                                                  "samples"))
    if processes < 10000:
        raise Failed(f"only {processes} processes were sampled")
    if late_mib - early_mib > 8:
        raise Failed(f"{early_mib:.1f} MiB became {late_mib:.1f} while {processes} processes ran")
    if empty or owned < 0.999 * samples:
        raise Failed(f"{empty} empty processes; {owned} of {samples} samples have a thread")


def remove_cgroup(group):
    """Readers end a moment after the recorder."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)
    raise Failed(f"{group} has processes")


@contextlib.contextmanager
def memory_cgroup(mib):
    """Make a control group with a memory limit. Yield its directory and the name of its events."""
    for parent, limit, events in (("memory", "memory.limit_in_bytes", "memory.oom_control"),
                                  ("", "memory.max", "memory.events")):
        group = pathlib.Path("/sys/fs/cgroup", parent, f"assay-test-{os.getpid()}")
        with contextlib.suppress(OSError):
            group.mkdir()
        if (group / events).exists():
            (group / limit).write_text(str(mib << 20))
            try:
                yield group, events
            finally:
                remove_cgroup(group)
            return
        with contextlib.suppress(OSError):
            group.rmdir()
    raise Skipped("a memory control group cannot be made here")


def small_cgroup(bench):
    """In a control group of 64 MiB, the budget is smaller and the recorder is not killed."""
    with memory_cgroup(64) as (group, events):
        path, words = bench.record_command("small", ["-a", "-F", "999", "--off-cpu"], ["sleep", "15"])
        churn = subprocess.Popen([bench.workload("churn"), "17", bench.directory],
                                 stdout=subprocess.DEVNULL)
        recorder = subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, check=False,
                                  preexec_fn=lambda: (group / "cgroup.procs").write_text("0"))
        counts = dict(line.split() for line in (group / events).read_text().splitlines())
        churn.wait()
    if recorder.returncode != 0 or int(counts["oom_kill"]):
        raise Failed(f"exit {recorder.returncode}, {counts}: {recorder.stderr[-300:].strip()}")
    row, = bench.open(path).sql(
        "SELECT (SELECT count(*) FROM sample) AS samples,"
        " (SELECT value FROM meta WHERE key = 'memory_budget_bytes') AS budget")
    if int(row["budget"]) != 16 << 20 or int(row["samples"]) < 20000:
        raise Failed(f"{row}")


CHECKS = [short_children, killed, bounded_memory, small_cgroup]
