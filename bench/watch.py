# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure what assay top costs in a terminal of 80 columns, beside perf top."""
import contextlib
import fcntl
import os
import pty
import statistics
import struct
import subprocess
import termios
import threading
import time

ROUNDS = 3
START_S = 2
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Watch:
    def __init__(self, assay, loads, seconds, quick):
        self.assay, self.loads = assay, loads
        self.seconds, self.rounds = seconds, 1 if quick else ROUNDS

    def share(self, command):
        """Return the command's CPU time in percent of one CPU, and the CPU seconds of its start."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        process = subprocess.Popen(list(map(str, command)), stdin=theirs, stdout=theirs, stderr=theirs,
                                   start_new_session=True, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        reader = threading.Thread(target=drain, args=(ours,))
        reader.start()
        time.sleep(START_S)
        started_s, start = cpu_s(process.pid), time.monotonic()
        time.sleep(self.seconds)
        used_s = cpu_s(process.pid) - started_s
        passed_s = time.monotonic() - start
        if process.poll() is not None:
            raise SystemExit(f"{command[0]} {command[1]}: exit {process.returncode}")
        os.write(ours, b"q")
        process.wait()
        reader.join()
        os.close(ours)
        return 100 * used_s / passed_s, started_s

    def table(self, note):
        ways = {"assay": [self.assay, "top"], "perf": ["perf", "top", "-g"]}
        lines = ["| load | assay top, % CPU | perf top -g, % CPU | assay / perf | assay start, CPU s | perf start, CPU s |",
                 "|---|---|---|---|---|---|"]
        for name, load in (("idle", self.loads.idle), ("CPU-bound", self.loads.busy),
                           ("a compiler on each CPU", self.loads.compiling),
                           ("fork storm", self.loads.forks)):
            found = {tool: [] for tool in ways}
            for _ in range(self.rounds):
                for tool, command in ways.items():
                    with load(self.seconds + START_S + 2):
                        found[tool].append(self.share(command))
            note("watch", load=name, **found)
            (ours, begin), (theirs, peer_begin) = (map(statistics.median, zip(*found[tool])) for tool in ways)
            lines.append(f"| {name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} "
                         f"| {begin:.2f} | {peer_begin:.2f} |")
        return "\n".join([*lines, ""])


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def drain(terminal):
    """Read and discard the output until nobody has the terminal open for writing."""
    with contextlib.suppress(OSError):
        while os.read(terminal, 65536):
            pass
