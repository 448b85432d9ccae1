# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure the costs of processes, and compute intervals from a few paired measurements."""
import dataclasses
import math
import statistics
import subprocess


@dataclasses.dataclass
class Cost:
    wall_s: float
    cpu_s: float
    peak_bytes: int


class Meter:
    """Measures commands by running them under workloads/cost."""

    def __init__(self, cost, directory):
        self.cost, self.file = cost, directory / "cost"

    def words(self, command):
        return [str(word) for word in (self.cost, self.file, *command)]

    def read(self):
        """Return the cost of the last command that ran with words()."""
        wall_ns, user_us, system_us, peak_kib, status = map(int, self.file.read_text().split())
        if status != 0:
            raise RuntimeError(f"the measured command exited with {status}")
        return Cost(wall_ns / 1e9, (user_us + system_us) / 1e6, peak_kib * 1024)

    def run(self, command):
        """Run the command and return its cost.

        A command that fails is tried twice more, because perf 6.1 sometimes crashes.
        """
        for _ in range(3):
            done = subprocess.run(self.words(command), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode == 0:
                return self.read()
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()[-500:]}")


def interval(values):
    """Return (median, low, high), where low and high are order statistics of the values.

    The true median is between low and high with a probability of 95 %. With fewer than six values
    no two of them reach that probability; then low and high are the smallest and largest value.
    """
    values = sorted(values)
    count, rank, tail = len(values), 0, 0.0
    while rank < count // 2:
        tail += math.comb(count, rank) / 2 ** count
        if tail > 0.025:
            break
        rank += 1
    low = max(rank - 1, 0)
    return statistics.median(values), values[low], values[count - 1 - low]


def ratios(ours, peers):
    """Return the ratio of each pair of values that were measured side by side."""
    return [mine / theirs for mine, theirs in zip(ours, peers)]


def rotated(items, by):
    by %= len(items)
    return items[by:] + items[:by]
