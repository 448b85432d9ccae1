# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the stacks of code without frame pointers with the calls in the source."""
import collections

from harness import Failed, attempts
from stats import wilson

SAMPLES_MIN = 500
BURNERS = ("burn_a", "burn_b", "burn_c", "burn_d")


def stacks_of(recording, comm):
    """Return {functions, innermost first: samples} of a program's user-mode samples."""
    names = collections.defaultdict(list)
    for row in recording.sql("SELECT stack, function FROM stack_frames ORDER BY stack, depth"):
        names[row["stack"]].append(row["function"])
    found = collections.Counter()
    for row in recording.sql(
            "SELECT stack, count(*) AS samples FROM sample "
            "JOIN thread ON thread.id = sample.thread "
            "JOIN context ON context.id = sample.context "
            f"WHERE thread.comm = '{comm}' AND context.name = 'user' GROUP BY stack"):
        found[tuple(names[row["stack"]])] += int(row["samples"])
    return found


@attempts(2)
def stacks_without_frame_pointers(bench):
    """Each burning function is called by main, main by the C library, and that by _start."""
    recording = bench.record("stacks", ["--call-graph", "dwarf", "-F", "999"],
                             [bench.workload("shares-nofp"), "2000"])
    stacks = stacks_of(recording, "shares-nofp")
    burning = {stack: samples for stack, samples in stacks.items() if stack[0] in BURNERS}
    total = sum(burning.values())
    if total < SAMPLES_MIN:
        raise Failed(f"only {total} samples: {stacks.most_common(5)}")
    right = sum(samples for stack, samples in burning.items()
                if stack[1] == "main" and stack[-1] == "_start" and len(stack) == 5)
    if wilson(right, total)[1] < 0.999:
        raise Failed(f"{right} of {total} stacks are right; {stacks.most_common(5)}")
    return f"{right} of {total} stacks are whole and right"


@attempts(2)
def stacks_of_a_compiler(bench):
    """Record gcc as the distribution compiled it. Nine in ten stacks must be whole."""
    source = bench.directory / "many.c"
    source.write_text("".join(f"int f{i}(int *p) {{ for (int i = 0; i < {i}; i++) p[i] += p[{i} - "
                              f"i] * {i}; return p[{i % 7}]; }}\n" for i in range(400)))
    whole = {}
    for how in ("fp", "dwarf"):
        recording = bench.record(f"compiler-{how}", ["--call-graph", how, "-F", "999"],
                                 ["gcc", "-O2", "-c", source, "-o", bench.directory / "many.o"])
        health = recording.report()["health"]
        whole[how] = health["stacks"]["whole"], sum(health["stacks"].values())
    if wilson(*whole["dwarf"])[1] < 0.9:
        raise Failed(f"(whole stacks, all stacks): {whole}")
    return f"(whole stacks, all stacks): {whole}"


CHECKS = [stacks_without_frame_pointers, stacks_of_a_compiler]
