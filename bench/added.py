# SPDX-License-Identifier: GPL-2.0-or-later
"""What the sampler inside the kernel adds to a program that does nothing, by the kernel's count."""
import contextlib
import json
import pathlib
import subprocess
import time

RATE = 999
HERE = pathlib.Path(__file__).resolve().parent
STATS = pathlib.Path("/proc/sys/kernel/bpf_stats_enabled")
CLANG = "while :; do clang -O2 -D_GNU_SOURCE -c -o {out} {source}; done"


def programs():
    """{id: (ns in all runs, runs)} of the programs that run on perf events."""
    done = subprocess.run(["bpftool", "-j", "prog", "show"], capture_output=True, text=True,
                          check=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    return {program["id"]: (program.get("run_time_ns", 0), program.get("run_cnt", 0))
            for program in json.loads(done.stdout) if program.get("type") == "perf_event"}


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

    def run_ns(self, command):
        """(ns for each run, runs) of the program that @command loads."""
        before = programs()
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
        time.sleep(self.seconds - 1)  # it still runs
        new = {number: found for number, found in programs().items() if number not in before}
        process.wait()
        total_ns, runs = map(sum, zip(*new.values())) if new else (0, 0)
        return total_ns / max(runs, 1), runs

    def frames(self, path):
        """Of a sample, in the mean."""
        rows = subprocess.run([self.assay, "sql", "--csv", path, "SELECT 1.0 * sum(samples * depth)"
                               " / sum(samples) FROM (SELECT stack, count(*) AS samples FROM sample"
                               " GROUP BY stack) JOIN (SELECT stack, count(*) AS depth FROM "
                               "stack_frames GROUP BY stack) USING (stack)"], check=True,
                              capture_output=True, text=True).stdout.splitlines()
        return float(rows[1] or 0)

    def cases(self):
        """(title, context manager of the load)"""
        source = max((HERE / "workloads").glob("*.c"), key=lambda path: path.stat().st_size)
        again = CLANG.format(out=self.directory / "added.o", source=source)
        yield "small images", self.running([self.loads.workloads / "shares-nofp", "600000"])
        yield "clang", self.running(["sh", "-c", again])

    @contextlib.contextmanager
    def running(self, command):
        """The command on each CPU."""
        loads = [subprocess.Popen(["taskset", "-c", str(cpu), *command], start_new_session=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                 for cpu in range(2)]
        time.sleep(1)
        yield
        for load in loads:
            subprocess.run(["kill", "-KILL", "--", f"-{load.pid}"], check=False)
            load.wait()

    def table(self, note):
        null, path = self.directory / "null", self.directory / "added.assay"
        subprocess.run(["make", "-s", "-C", HERE / "null", f"OUT={null}"], check=True)
        lines = ["| load | null program, ns | sampler, ns | frames per sample "
                 "| added, ns per frame | samples |", "|---" * 6 + "|"]
        for title, load in self.cases():
            with counting(), load:
                nothing, _ = self.run_ns([null / "null_sampler", null / "null.bpf.o", RATE,
                                          self.seconds])
                all_ns, runs = self.run_ns([self.assay, "record", "-q", "-a", "-F", RATE,
                                            "--collector", "bpf", "-o", path, "--", "sleep",
                                            self.seconds])
            frames = self.frames(path)
            note("added", load=title, null_ns=nothing, sampler_ns=all_ns, frames=frames, runs=runs)
            lines.append(f"| {title} | {nothing:.0f} | {all_ns:.0f} | {frames:.1f} "
                         f"| {(all_ns - nothing) / max(frames, 1):.0f} | {runs} |")
        return "\n".join([*lines, "", f"At {RATE} Hz on every CPU, by kernel.bpf_stats_enabled; "
                          "another profiler's programs must not start meanwhile.", ""])
