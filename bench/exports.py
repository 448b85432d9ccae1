# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure how fast each format is exported, and whether memory grows with the number of samples."""
import os
import subprocess

SAMPLES, FEW = 1_000_000, 100_000


class Exports:
    def __init__(self, assay, directory, quick):
        self.assay, self.directory, self.scale = assay, directory, 10 if quick else 1

    def recording(self, build, count):
        path = self.directory / f"{count}.assay"
        subprocess.run([build / "bench/bench_samples", path, str(count)], check=True)
        return path

    def export(self, name, path, out):
        """Export the recording. Return the seconds of CPU time and the peak memory in MiB."""
        child = subprocess.Popen([self.assay, "export", "-f", name, "-o", out, path])
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, child.args)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def table(self, note):
        build = next(path for path in self.assay.parents if (path / "build.ninja").exists())
        subprocess.run(["ninja", "-C", build, "bench/bench_samples"], check=True,
                       stdout=subprocess.DEVNULL)
        count, few = SAMPLES // self.scale, FEW // self.scale
        many_path, few_path = self.recording(build, count), self.recording(build, few)
        listed = subprocess.run([self.assay, "list", "formats"], check=True, capture_output=True,
                                text=True).stdout
        out, nothing = self.directory / "exported", "/dev/null"
        lines = [f"| format | {count:,} samples, s | samples/s | to a file, s | file, MiB | peak memory, MiB "
                 f"| peak memory with {few:,} samples, MiB |", "|---" * 7 + "|"]
        for name in (line.split()[0] for line in listed.splitlines() if line.split()[1] == "export"):
            took, memory = self.export(name, many_path, nothing)
            took_file, _ = self.export(name, many_path, out)
            _, memory_few = self.export(name, few_path, nothing)
            note("export", case=name, seconds=took, seconds_file=took_file, mib=memory, mib_few=memory_few)
            lines.append(f"| {name} | {took:.2f} | {count / took:,.0f} | {took_file:.2f} "
                         f"| {out.stat().st_size / 2**20:.1f} | {memory:.0f} | {memory_few:.0f} |")
        return "\n".join([*lines, "", "All times are CPU time.", ""])
