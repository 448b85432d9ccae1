# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast each format is exported, and whether memory grows with the samples."""
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

    def export(self, name, path):
        """Seconds of CPU time, the most memory in MiB, and MiB written."""
        out = self.directory / "exported"
        child = subprocess.Popen([self.assay, "export", "-f", name, "-o", out, path])
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, child.args)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.stat().st_size / 2**20

    def table(self, note):
        build = next(path for path in self.assay.parents if (path / "build.ninja").exists())
        subprocess.run(["ninja", "-C", build, "bench/bench_samples"], check=True,
                       stdout=subprocess.DEVNULL)
        count, few = SAMPLES // self.scale, FEW // self.scale
        many_path, few_path = self.recording(build, count), self.recording(build, few)
        listed = subprocess.run([self.assay, "list", "formats"], check=True, capture_output=True,
                                text=True).stdout
        lines = [f"| format | {count:,} samples, s | samples/s | MiB written | most memory, MiB "
                 f"| with {few:,}, MiB |", "|---" * 6 + "|"]
        for name in (line.split()[0] for line in listed.splitlines()):
            took, memory, written = self.export(name, many_path)
            _, memory_few, _ = self.export(name, few_path)
            note("export", case=name, seconds=took, mib=memory, mib_few=memory_few)
            lines.append(f"| {name} | {took:.2f} | {count / took:,.0f} | {written:.1f} "
                         f"| {memory:.0f} | {memory_few:.0f} |")
        return "\n".join([*lines, "", "CPU time.", ""])
