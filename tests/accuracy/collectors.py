# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the in-kernel sampler with the ring that copies stacks, and check its tick counters."""
import collections

from harness import Failed, attempts
from names import COLLECTORS
from stacks import stacks_of
from stats import shares_differ
from tools import ticks_of

ENDS = ("sent", "sent-raw", "idle", "no-target", "other-cgroup", "own-process", "other-namespace",
        "ring-missing", "ring-full", "scratch-missing")
SIGMAS = 5  # a high limit, because there are many comparisons


def differences(one, other):
    """Yield a message for each key whose shares differ by more than sampling can explain."""
    for key in set(one) | set(other):
        hits = one[key], sum(one.values()), other[key], sum(other.values())
        if shares_differ(*hits, z=SIGMAS):
            yield f"{key}: {hits[0]} of {hits[1]} and {hits[2]} of {hits[3]}"


@attempts(2)
def collectors_agree(bench):
    """Record the same program with each collector. Compare functions, and then whole stacks."""
    stacks, functions = {}, {}
    for name, options in COLLECTORS.items():
        recording = bench.record(f"agree-{name}", [*options, "-F", "999"],
                                 [bench.workload("shares-nofp"), "3000"])
        stacks[name] = stacks_of(recording, "shares-nofp")
        functions[name] = collections.Counter()
        for stack, samples in stacks[name].items():
            functions[name][stack[0]] += samples
    for what, found in (("functions", functions), ("stacks", stacks)):
        if min(sum(counts.values()) for counts in found.values()) < 1000:
            raise Failed(f"too few samples: {found}")
        yield what, "; ".join(differences(*found.values()))


def check_sums(ticks):
    for place, counts in ticks.items():
        ends = sum(counts[reason] for reason in ENDS)
        if counts["ticks"] != ends:
            yield f"(event, cpu) {place}: {counts['ticks']} ticks, {ends} outcomes: {dict(counts)}"


def ticks_add_up(bench):
    """Each tick has exactly one outcome, and the recording has the samples that were sent."""
    command = ["sh", "-c", '"$0" 500 & "$0" 500; wait', bench.workload("shares-nofp")]
    for name, options in (("system", ["-e", "cpu-clock", "-a"]), ("command", ["-e", "cpu-clock"]),
                          ("events", ["-a", "-e", "cpu-clock,context-switches"])):
        recording = bench.record(f"ticks-{name}", ["--collector", "bpf", "-F", "999", *options],
                                 command)
        ticks = ticks_of(recording)
        problems = list(check_sums(ticks))
        sent = collections.Counter()
        for (event, cpu), counts in ticks.items():
            sent[event, cpu] += counts["sent"] + counts["sent-raw"]
        stored = collections.Counter({(int(row["event"]), int(row["cpu"])): int(row["samples"])
                                      for row in recording.sql(
                                          "SELECT event, cpu, count(*) AS samples FROM sample "
                                          "GROUP BY event, cpu")})
        if not sent or (stored != sent if "-a" in options else stored - sent):
            problems.append(f"sent {dict(sent)}, stored {dict(stored)}")
        yield name, "; ".join(problems)


CHECKS = [collectors_agree, ticks_add_up]
