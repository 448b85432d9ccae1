# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the stacks of a Go program with the calls in its source (programs/planted.go)."""
import collections
import pathlib

from harness import Failed, attempts, need
from stacks import stacks_of
from stats import wilson
from tools import run

MILLISECONDS = 6000
SAMPLES_MIN = 100       # of each leaf
SOURCE = pathlib.Path(__file__).parent / "programs/planted.go"
BUILDS = {"plain": [], "stripped": ["-ldflags=-s -w"], "pie": ["-buildmode=pie"]}

# The functions of each leaf's stack, innermost first. Each stack ends in the goroutine's start.
START = "main.repeat", "runtime.goexit"
CHAINS = [
    ("main.leafBare", "main.bareInner", "main.bareOuter", "main.main.func1"),
    ("main.leafFramed", "main.framedInner", "main.framedOuter", "main.main.func2"),
    ("main.leafCalled", "main.closing.func1", "main.apply", "main.closing", "main.main.func3"),
    ("main.leafDeferred", "main.deferring.func1", "main.deferring", "main.main.func4"),
    ("main.(*number).work", "main.dispatch", "main.main.func5"),
    ("runtime.memmove", "main.moving", "main.main.func6"),
    ("runtime.mapaccess1_fast64", "main.mapping", "main.main.func7"),
]


def built(bench, how):
    need("go")
    program = bench.directory / f"planted-{how}"
    done = run(["go", "build", *BUILDS[how], "-o", program, SOURCE])
    if done.returncode != 0:
        raise Failed(f"go build: {done.stderr[-300:].strip()}")
    return program


def plain_name(name):
    """Return the name without the marks that only .symtab has."""
    return name.removesuffix(".abi0")


def right_of(stacks, chain):
    """Return (samples with exactly this chain, samples of its leaf, other stacks)."""
    right, others = 0, collections.Counter()
    for stack, samples in stacks.items():
        names = tuple(plain_name(name) for name in stack)
        if names[0] != chain[0] or (chain[0].startswith("runtime.") and chain[1] not in names):
            continue        # the runtime calls these leaves for its own purposes, too
        if names[:len(chain)] == chain and names[len(chain)] == START[0] and names[-1] == START[-1]:
            right += samples
        else:
            others[names] += samples
    return right, right + sum(others.values()), others


@attempts(2)
def go_stacks(bench):
    for how in BUILDS:
        program = built(bench, how)
        for collector, options in bench.collectors(stack_bytes=16384).items():
            recording = bench.record(f"go-{how}-{collector}", ["-F", "1999", *options],
                                     [program, MILLISECONDS])
            stacks = stacks_of(recording, program.name[:15])
            for chain in CHAINS:
                right, total, others = right_of(stacks, chain)
                problem = None
                if total < SAMPLES_MIN:
                    problem = f"only {total} samples"
                elif wilson(right, total)[1] < 0.99:
                    problem = f"{right} of {total} are right; {others.most_common(3)}"
                print(f"# {how} {collector}: {chain[0]}: {right} of {total}", flush=True)
                yield f"{how}-{collector}/{chain[0]}", problem


@attempts(2)
def go_health(bench):
    """Stacks that say they are whole end at one of the functions in which Go's stacks begin."""
    program = built(bench, "plain")
    recording = bench.record("go-health", ["-F", "1999"], [program, MILLISECONDS])
    health = recording.report()["health"]["stacks"]
    ends = collections.Counter()
    for stack, samples in stacks_of(recording, program.name).items():
        ends[plain_name(stack[-1])] += samples
    whole = health["whole"]
    total = sum(health.values()) - health["kernel only"]
    if wilson(whole, total)[1] < 0.9:
        raise Failed(f"{whole} of {total} stacks are whole: {health}")
    wrong = {name: samples for name, samples in ends.items()
             if name not in ("runtime.goexit", "runtime.mcall", "runtime.mstart",
                             "runtime.rt0_go", "_rt0_amd64_linux")}
    if sum(wrong.values()) > total - whole:
        raise Failed(f"more stacks end elsewhere than health says: {wrong}, {health}")
    return f"{whole} of {total} stacks are whole, {dict(ends)}"


CHECKS = [go_stacks, go_health]
