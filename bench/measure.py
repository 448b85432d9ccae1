# SPDX-License-Identifier: GPL-2.0-or-later
"""Costs of processes, and what a handful of paired measurements can tell."""
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
    """Runs commands under workloads/cost."""

    def __init__(self, cost, directory):
        self.cost, self.file = cost, directory / "cost"

    def words(self, command):
        return [str(word) for word in (self.cost, self.file, *command)]

    def read(self):
        """Of the command that words() ran last."""
        wall_ns, user_us, system_us, peak_kib, status = map(int, self.file.read_text().split())
        if status != 0:
            raise RuntimeError(f"the measured command exited with {status}")
        return Cost(wall_ns / 1e9, (user_us + system_us) / 1e6, peak_kib * 1024)

    def run(self, command):
        """A peer that crashes now and then (perf 6.1 does) is given two more chances."""
        for _ in range(3):
            done = subprocess.run(self.words(command), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode == 0:
                return self.read()
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()[-500:]}")


def interval(values):
    """(median, low, high): order statistics that hold the true median with 95 %.

    With fewer than six values no pair of them does; the extremes are given then.
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
    """Of pairs that were measured side by side."""
    return [mine / theirs for mine, theirs in zip(ours, peers)]


def rotated(items, by):
    by %= len(items)
    return items[by:] + items[:by]
