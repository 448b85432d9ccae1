# SPDX-License-Identifier: GPL-2.0-or-later
"""Run checks and print one line for each: `ok NAME`, `not ok NAME - why` or `skip NAME - why`.

A check is a function. It returns on success, or raises Failed or Skipped, or yields a pair (name,
problem) for each case; the problem is None if the case passed. A driver runs the checks that are
named on its command line (all by default) and exits with checks.status().

@attempts(N) marks a check that measures a machine which other programs may be using. Such a check
can fail by chance, but a defect makes it fail each time. So it is run up to N times, until it
passes. Each failed attempt but the last is printed as `again NAME - why`.
"""
import contextlib
import inspect
import pathlib
import shutil
import signal
import subprocess
import sys
import traceback


class Failed(Exception):
    """The program under test did something wrong."""


class Skipped(Exception):
    """The machine cannot run the check. The text says what is missing."""


def attempts(count):
    def mark(check):
        check.attempts = count
        return check
    return mark


class Checks:
    def __init__(self):
        self.counts = {"ok": 0, "not ok": 0, "skip": 0}

    def line(self, verdict, name, why=None):
        if verdict in self.counts:
            self.counts[verdict] += 1
        name = "_".join(name.split())  # programs that read these lines expect one word
        text = f"{verdict} {name}" + (f" - {why}" if why else "")
        print(text.encode("unicode_escape").decode("ascii"), flush=True)

    def run(self, check, *arguments):
        for left in reversed(range(getattr(check, "attempts", 1))):
            cases = list(verdicts(check, arguments))
            failed = [case for case in cases if case[0] == "not ok"]
            if not left or not failed:
                break
            for _, name, why in failed:
                self.line("again", name, why)
        for case in cases:
            self.line(*case)

    def status(self):
        print("# " + ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items()))
        return 1 if self.counts["not ok"] or not self.counts["ok"] else 0


def verdicts(check, arguments):
    """Run the check once. Yield (verdict, name, why) of each case."""
    name = check.__name__.replace("_", "-")
    try:
        result = check(*arguments)
        if not inspect.isgenerator(result):
            yield "ok", name, result
            return
        for case, problem in result:
            yield "not ok" if problem else "ok", f"{name}/{case}", problem
    except Skipped as reason:
        yield "skip", name, reason
    except Failed as reason:
        yield "not ok", name, reason
    except Exception:  # a broken check must not prevent the checks after it
        yield "not ok", name, traceback.format_exc().strip()


def select(checks, wanted):
    """Return the checks whose names are in @wanted, or all checks if it is empty."""
    by_name = {check.__name__.replace("_", "-"): check for check in checks}
    for name in wanted:
        if name not in by_name:
            sys.exit(f"unknown check {name}; the checks are: {' '.join(by_name)}")
    return [by_name[name] for name in wanted] or list(checks)


@contextlib.contextmanager
def recording(command, seconds_max=120):
    """Run a recorder around the block. Yield its process.

    @command is the recorder's command line up to and including "--". It records cat, whose echo
    shows that the recording has begun, and which ends when its input ends. After the block,
    .output holds (stdout, stderr) of the recorder.
    """
    recorder = subprocess.Popen([*command, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, preexec_fn=default_signals)
    try:
        recorder.stdin.write(b"go\n")
        recorder.stdin.flush()
        if recorder.stdout.readline() != b"go\n":
            raise Failed(f"the recorder did not start: {recorder.stderr.read()!r}")
        yield recorder
        recorder.output = recorder.communicate(timeout=seconds_max)
    except subprocess.TimeoutExpired as problem:
        raise Failed("the recorder hangs") from problem
    finally:
        recorder.kill()
        recorder.wait()


SYSCTLS = pathlib.Path("/proc/sys/kernel")


def set_sysctl(name, value):
    with contextlib.suppress(OSError):  # without the privilege, the value does not change
        (SYSCTLS / name).write_text(f"{value}\n")


@contextlib.contextmanager
def allow_rates(hz=100000):
    """Allow sampling at @hz during the block. @hz is the kernel's default limit.

    On machines with hardware counters, the kernel lowers the limit permanently if the interrupts of
    the counters take long. That would break tests that request a rate. So the lowering is switched
    off during the block. While it is off, the kernel does not accept a new limit. So the lowering
    is switched off after the limit is written, and on again before the limit is restored.
    """
    names = "perf_event_max_sample_rate", "perf_cpu_time_max_percent"
    limit, percent = [int((SYSCTLS / name).read_text()) for name in names]
    lowers = percent not in (0, 100)
    # The limit must be restored even if this process is terminated.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        if lowers:
            set_sysctl(names[0], max(hz, limit))
            set_sysctl(names[1], 0)
        yield
    finally:
        if lowers:
            set_sysctl(names[1], percent)
            set_sysctl(names[0], limit)


def default_signals():
    """Reset signals in a child (for preexec_fn).

    A child would otherwise ignore these signals if the tests were started with nohup or &.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed")


def build(directory, out):
    """Build the programs of @directory into @out."""
    subprocess.run(["make", "-s", "-C", str(directory), f"OUT={out}"], check=True)
    return out
