# SPDX-License-Identifier: GPL-2.0-or-later
"""Watch the memory of recorders on a machine on which everything is soon over."""
import os
import shutil
import signal
import subprocess
import sys
import time

from storm import FREE_BYTES_MIN, map_bytes

MIB = 1 << 20
MOMENTS = (0.1, 0.25, 0.5, 0.75, 1)     # when to look, as shares of the run


class Soak:
    def __init__(self, assay, loads, directory, seconds):
        self.assay, self.loads, self.directory, self.seconds = assay, loads, directory, seconds

    def ways(self):
        """Yield (title, command, argument by which the process is found)."""
        ours, theirs = self.directory / "soak.assay", self.directory / "soak.data"
        yield ("assay record", [self.assay, "record", "-q", "-a", "-F", "999", "--off-cpu", "-o", ours],
               ours)
        yield "assay top", [self.assay, "top", "--json", "-F", "999", "--off-cpu"], "top"
        if shutil.disk_usage(self.directory).free > FREE_BYTES_MIN:
            yield ("perf record", ["perf", "record", "-q", "-a", "-F", "999", "-g", "-o", theirs],
                   theirs)

    def watch(self, command, argument):
        """Return what the recorder takes at each moment."""
        looks = []
        with self.loads.churn(self.seconds + 5) as made:
            recorder = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
            start = time.monotonic()
            for moment in MOMENTS:
                time.sleep(max(0, start + moment * self.seconds - time.monotonic()))
                if recorder.poll() is not None:
                    break
                looks.append(look(recorder.pid, str(argument).encode()))
            recorder.send_signal(signal.SIGINT)
            status = recorder.wait()
        if status not in (0, 130, -signal.SIGINT) or len(looks) < len(MOMENTS):
            raise RuntimeError(f"exit {status} after {len(looks)} looks")
        for path in self.directory.glob("soak.*"):
            path.unlink()
        return {"looks": looks, "processes_per_s": made[0] / (self.seconds + 5)}

    def table(self, note):
        heads = " | ".join(f"{int(moment * self.seconds)} s" for moment in MOMENTS)
        lines = [f"| recorder | {heads} | BPF maps | descriptors | processes per s |",
                 "|---" * (len(MOMENTS) + 4) + "|"]
        for title, command, argument in self.ways():
            try:
                found = self.watch(command, argument)
            except RuntimeError as problem:
                print(f"{title}: {problem}", file=sys.stderr)
                continue
            note("soak", way=title, **found)
            last = found["looks"][-1]
            cells = [f"{one['anonymous'] / MIB:.1f}" for one in found["looks"]]
            cells += [f"{last['maps'] / MIB:.1f}", str(last["descriptors"]),
                      f"{found['processes_per_s']:.0f}"]
            lines.append(f"| {title} | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr)
        return "\n".join([*lines, "", "MiB of anonymous memory that the recorder has at each moment, and of "
                          "kernel memory for BPF maps, rings included, at the end.", ""])


def look(pid, argument):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        words = dict(line.split(":", 1) for line in file)
    return {"anonymous": int(words["RssAnon"].split()[0]) * 1024,
            "maps": map_bytes(f"/proc/{pid}", argument),
            "descriptors": len(os.listdir(f"/proc/{pid}/fd"))}
