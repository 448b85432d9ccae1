# SPDX-License-Identifier: GPL-2.0-or-later
"""One line per check: `ok NAME`, `not ok NAME - why`, `skip NAME - why`.

A check is a function that returns on success, raises Failed or Skipped, or yields
(name, problem) pairs, problem being None for a case that went well. A driver runs the checks
named on its command line (all by default) and exits with checks.status().

@attempts(N) marks a check that measures a machine which others may be using: chance and
neighbours can fail it once, a defect fails it every time. It is repeated when it fails, which is
printed, and has failed when N attempts did.
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
    """The machine cannot run the check; the text says what is missing."""


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
        name = "_".join(name.split())  # one word for those who read these lines
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
    """(verdict, name, why) of each case of one attempt."""
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
    except Exception:  # a broken check must not hide the ones after it
        yield "not ok", name, traceback.format_exc().strip()


def select(checks, wanted):
    """The checks whose names are in @wanted; all when it is empty."""
    by_name = {check.__name__.replace("_", "-"): check for check in checks}
    for name in wanted:
        if name not in by_name:
            sys.exit(f"no check is called {name}; there are: {' '.join(by_name)}")
    return [by_name[name] for name in wanted] or list(checks)


@contextlib.contextmanager
def recording(command, seconds_max=120):
    """Runs the recorder @command (up to its --) around the block; yields the process.

    What it records is cat, whose echo says that the recording has begun and which ends with its
    input. Afterwards .output holds (stdout, stderr).
    """
    recorder = subprocess.Popen([*command, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, preexec_fn=default_signals)
    try:
        recorder.stdin.write(b"go\n")
        recorder.stdin.flush()
        if recorder.stdout.readline() != b"go\n":
            raise Failed(f"the recorder did not begin: {recorder.stderr.read()!r}")
        yield recorder
        recorder.output = recorder.communicate(timeout=seconds_max)
    except subprocess.TimeoutExpired as problem:
        raise Failed("the recorder hangs") from problem
    finally:
        recorder.kill()
        recorder.wait()


SYSCTLS = pathlib.Path("/proc/sys/kernel")


def set_sysctl(name, value):
    with contextlib.suppress(OSError):  # without the privilege it stays as it is
        (SYSCTLS / name).write_text(f"{value}\n")


@contextlib.contextmanager
def allow_rates(hz=100000):
    """Around what samples fast: the kernel allows @hz, its own default, and does not lower it.

    On machines with hardware counters it lowers the limit for good when their interrupts take
    long, which is no business of tests that ask for a rate. It takes no limit while the lowering
    is switched off, so that is the last to be written and the first to be restored.
    """
    names = "perf_event_max_sample_rate", "perf_cpu_time_max_percent"
    limit, percent = [int((SYSCTLS / name).read_text()) for name in names]
    lowers = percent not in (0, 100)
    # Who ends us does not end the restoring.
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
    """For preexec_fn: who starts the tests by nohup or & makes children ignore these."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed")


def build(directory, out):
    """Builds the programs of @directory into @out."""
    subprocess.run(["make", "-s", "-C", str(directory), f"OUT={out}"], check=True)
    return out
