# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure how much longer the in-kernel sampler runs than a BPF program that does nothing.

The run times are those that the kernel counts (kernel.bpf_stats_enabled).
"""
import contextlib
import os
import pathlib
import subprocess
import time

RATE = 999
HERE = pathlib.Path(__file__).resolve().parent
STATS = pathlib.Path("/proc/sys/kernel/bpf_stats_enabled")
WARM_S = 2
PERF_EVENT_PROGRAM = "7"  # BPF_PROG_TYPE_PERF_EVENT
DEPTHS = (6, 35)
CLANG = "while :; do clang -O2 -D_GNU_SOURCE -c -o {out} {source}; done"


def program_of(process):
    """Return (ns in all runs, number of runs) of the process's BPF program for perf events."""
    for path in pathlib.Path(f"/proc/{process.pid}/fdinfo").iterdir():
        try:
            fields = dict(line.split(":", 1) for line in path.read_text("ascii").splitlines())
        except OSError:  # the descriptor was closed meanwhile
            continue
        if fields.get("prog_type", "").strip() == PERF_EVENT_PROGRAM and "run_cnt" in fields:
            return int(fields["run_time_ns"]), int(fields["run_cnt"])
    return 0, 0


@contextlib.contextmanager
def counting():
    before = STATS.read_text(encoding="ascii")
    STATS.write_text("1\n", encoding="ascii")
    try:
        yield
    finally:
        STATS.write_text(before, encoding="ascii")


class Added:
    def __init__(self, assay, loads, directory, seconds):
        self.assay, self.loads = assay, loads
        self.directory, self.seconds = directory, min(seconds, 20)
        self.cpu = max(os.sched_getaffinity(0))

    def run_ns(self, command):
        """Return (ns per run, number of runs) of the BPF program that @command loads.

        The first WARM_S seconds do not count.
        """
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
        time.sleep(WARM_S)  # the sampler learns the processes and their unwind tables
        warm_ns, warm_runs = program_of(process)
        time.sleep(self.seconds - WARM_S - 0.5)  # the command still runs after this
        all_ns, runs = program_of(process)
        process.wait()
        return (all_ns - warm_ns) / max(runs - warm_runs, 1), runs - warm_runs

    def frames(self, path):
        """Return the mean number of frames per sample."""
        rows = subprocess.run([self.assay, "sql", "--csv", path, "SELECT 1.0 * sum(samples * depth)"
                               " / sum(samples) FROM (SELECT stack, count(*) AS samples FROM sample"
                               " GROUP BY stack) JOIN (SELECT stack, count(*) AS depth FROM "
                               "stack_frames GROUP BY stack) USING (stack)"], check=True,
                              capture_output=True, text=True).stdout.splitlines()
        return float(rows[1] or 0)

    def cases(self):
        """Yield (title, whether only user mode is sampled, command of the load)."""
        source = max((HERE / "workloads").glob("*.c"), key=lambda path: path.stat().st_size)
        again = CLANG.format(out=self.directory / "added.o", source=source)
        for frames in DEPTHS:
            yield (f"a stack of {frames} frames", True,
                   [self.loads.workloads / "deep-nofp", str(frames)])
        yield "clang", True, ["sh", "-c", again]
        yield "clang, with the kernel", False, ["sh", "-c", again]

    @contextlib.contextmanager
    def running(self, command):
        """Run the command on one CPU with real-time priority.

        So hardly any other task of that CPU is sampled.
        """
        load = subprocess.Popen(["taskset", "-c", str(self.cpu), "chrt", "--rr", "1", *command],
                                start_new_session=True, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        try:
            time.sleep(1)
            yield
        finally:
            subprocess.run(["kill", "-KILL", "--", f"-{load.pid}"], check=False)
            load.wait()

    def measure(self, null, only_user):
        """Measure under the present load.

        Return the ns per run of the null program and of the sampler, the frames per sample, and the
        number of the sampler's runs.
        """
        path, event = self.directory / "added.assay", "cpu-clock:u" if only_user else "cpu-clock"
        nothing_ns, _ = self.run_ns([null / "null_sampler", null / "null.bpf.o", RATE,
                                     self.seconds, self.cpu] + ["u"] * only_user)
        sampler_ns, runs = self.run_ns([self.assay, "record", "-q", "-a", "-C", self.cpu, "-F",
                                        RATE, "-e", event, "--no-irq-time", "--collector", "bpf",
                                        "-o", path, "--", "sleep", self.seconds])
        return nothing_ns, sampler_ns, self.frames(path), runs

    def table(self, note):
        null, found = self.directory / "null", {}
        subprocess.run(["make", "-s", "-C", HERE / "null", f"OUT={null}"], check=True)
        lines = ["| load | null program, ns | sampler, ns | added, ns | frames per sample "
                 "| added, ns per frame | samples |", "|---" * 7 + "|"]
        for title, only_user, command in self.cases():
            with counting(), self.running(command):
                nothing_ns, sampler_ns, frames, runs = self.measure(null, only_user)
            added_ns = sampler_ns - nothing_ns
            found[title] = (added_ns, frames)
            note("added", load=title, null_ns=nothing_ns, sampler_ns=sampler_ns, frames=frames,
                 runs=runs)
            lines.append(f"| {title} | {nothing_ns:.0f} | {sampler_ns:.0f} | {added_ns:.0f} "
                         f"| {frames:.1f} | {added_ns / max(frames, 1):.0f} | {runs} |")
        return "\n".join([*lines, "", one_more(*list(found.values())[:len(DEPTHS)]), ""])


def one_more(short, long):
    """Say how much one more frame costs. The two stacks differ only in their number of frames."""
    each_ns = (long[0] - short[0]) / max(long[1] - short[1], 1)
    return (f"Each additional frame of a small image: {each_ns:.0f} ns. At {RATE} Hz, on a CPU "
            "reserved for the load. Measured with kernel.bpf_stats_enabled, without the first two "
            "seconds.")
