# SPDX-License-Identifier: GPL-2.0-or-later
"""What the machine does while it is profiled: context managers, each for a number of seconds."""
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
        """A process that only counts on each CPU."""
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
        """Children that live 200 us, as many as the machine can start."""
        storm = subprocess.Popen(
            [self.workloads / "forkstorm", str(seconds + 1), self.workloads / "ember-static"],
            stdout=subprocess.PIPE, text=True)
        time.sleep(SETTLE_S)
        yield
        self.forks_per_second.append(int(storm.communicate()[0].split()[1]))

    @contextlib.contextmanager
    def compiling(self, seconds):
        """A compiler on each CPU, over and over."""
        compilers = [subprocess.Popen(["sh", "-c", COMPILE, self.sources,
                                       self.directory / f"object-{cpu}.o"], start_new_session=True)
                     for cpu in os.sched_getaffinity(0)]
        time.sleep(SETTLE_S)
        yield
        for compiler in compilers:
            os.killpg(compiler.pid, 9)
            compiler.wait()
