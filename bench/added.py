# SPDX-License-Identifier: GPL-2.0-or-later
"""What the sampler inside the kernel adds to a program that does nothing, by the kernel's count."""
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
    """(ns in all runs, runs) of the program that the process runs on perf events."""
    for path in pathlib.Path(f"/proc/{process.pid}/fdinfo").iterdir():
        try:
            fields = dict(line.split(":", 1) for line in path.read_text("ascii").splitlines())
        except OSError:  # closed meanwhile
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
        """(ns for each run, runs) of the program that @command loads, in its last seconds."""
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
        time.sleep(WARM_S)  # processes and tables are known to it
        warm_ns, warm_runs = program_of(process)
        time.sleep(self.seconds - WARM_S - 0.5)  # it still runs
        all_ns, runs = program_of(process)
        process.wait()
        return (all_ns - warm_ns) / max(runs - warm_runs, 1), runs - warm_runs

    def frames(self, path):
        """Of a sample, in the mean."""
        rows = subprocess.run([self.assay, "sql", "--csv", path, "SELECT 1.0 * sum(samples * depth)"
                               " / sum(samples) FROM (SELECT stack, count(*) AS samples FROM sample"
                               " GROUP BY stack) JOIN (SELECT stack, count(*) AS depth FROM "
                               "stack_frames GROUP BY stack) USING (stack)"], check=True,
                              capture_output=True, text=True).stdout.splitlines()
        return float(rows[1] or 0)

    def cases(self):
        """(title, whether user mode alone is sampled, command of the load)"""
        source = max((HERE / "workloads").glob("*.c"), key=lambda path: path.stat().st_size)
        again = CLANG.format(out=self.directory / "added.o", source=source)
        for frames in DEPTHS:
            yield (f"a stack of {frames} frames", True,
                   [self.loads.workloads / "deep-nofp", str(frames)])
        yield "clang", True, ["sh", "-c", again]
        yield "clang, with the kernel", False, ["sh", "-c", again]

    @contextlib.contextmanager
    def running(self, command):
        """The command on one CPU, nearly alone: what else runs there is hardly sampled."""
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
        """One load: ns of the null program and of the sampler, frames of a sample, runs."""
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
    """What a frame adds, of stacks that differ in nothing else."""
    each_ns = (long[0] - short[0]) / max(long[1] - short[1], 1)
    return (f"Each additional frame of a small image: {each_ns:.0f} ns. At {RATE} Hz, on a CPU "
            "reserved for the load; from kernel.bpf_stats_enabled, without the first two seconds.")
