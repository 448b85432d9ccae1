# SPDX-License-Identifier: GPL-2.0-or-later
"""Load the machine while it is profiled.

Each load is a context manager. @seconds says how long the block takes.
"""
import contextlib
import os
import subprocess
import time

SETTLE_S = 0.5
COMPILE = """while :; do
	for source in "$0"/*.c; do gcc -O2 -D_GNU_SOURCE -c -o "$1" "$source"; done
done"""


class Loads:
    def __init__(self, workloads, sources, directory):
        self.workloads, self.sources, self.directory = workloads, sources, directory
        self.forks_per_second = []

    @contextlib.contextmanager
    def idle(self, seconds):
        yield

    @contextlib.contextmanager
    def busy(self, seconds, nice=0):
        """Run a process on each CPU that only counts."""
        spinners = [subprocess.Popen(["nice", "-n", str(nice), self.workloads / "spinner", "3600",
                                      str(cpu)], stdout=subprocess.DEVNULL)
                    for cpu in sorted(os.sched_getaffinity(0))]
        time.sleep(SETTLE_S)
        yield
        for spinner in spinners:
            spinner.kill()
            spinner.wait()

    @contextlib.contextmanager
    def forks(self, seconds):
        """Start as many children as the machine can; each one lives 200 us."""
        storm = subprocess.Popen(
            [self.workloads / "forkstorm", str(seconds + 1), self.workloads / "ember-static"],
            stdout=subprocess.PIPE, text=True)
        time.sleep(SETTLE_S)
        yield
        self.forks_per_second.append(int(storm.communicate()[0].split()[1]))

    @contextlib.contextmanager
    def churn(self, seconds):
        """Make processes, files and generated code that are soon over; yield a list that gets the
        number of processes."""
        made = []
        churn = subprocess.Popen(
            ["nice", "-n", "19", self.workloads / "churn", str(seconds), self.directory],
            stdout=subprocess.PIPE, text=True)
        time.sleep(SETTLE_S)
        yield made
        made.append(int(churn.communicate()[0].split()[0]))

    @contextlib.contextmanager
    def compiling(self, seconds):
        """Run a compiler on each CPU, again and again."""
        compilers = [subprocess.Popen(["sh", "-c", COMPILE, self.sources,
                                       self.directory / f"object-{cpu}.o"], start_new_session=True)
                     for cpu in os.sched_getaffinity(0)]
        time.sleep(SETTLE_S)
        yield
        for compiler in compilers:
            os.killpg(compiler.pid, 9)
            compiler.wait()
