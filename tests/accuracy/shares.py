# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the shares of functions with known shares, and with those of perf."""
import shutil

from harness import Failed, attempts, need
from stats import CONFIDENCE, chi_square, chi_square_p, shares_differ
from tools import perf_samples

FUNCTIONS = ("burn_a", "burn_b", "burn_c", "burn_d")
TRUTH = (0.49, 0.30, 0.16, 0.05)
RUNS = 20


def verdict(runs):
    """Return why the runs cannot have the shares of TRUTH, or None if they can.

    @runs: the samples of the four functions in each run.
    """
    spread = sum(chi_square(hits, TRUTH) for hits in runs)
    pooled = chi_square([sum(column) for column in zip(*runs)], TRUTH)
    p_spread, p_pooled = chi_square_p(spread, 3 * len(runs)), chi_square_p(pooled, 3)
    text = f"chi-square {spread:.1f} (p = {p_spread:.2g}), pooled {pooled:.1f} (p = {p_pooled:.2g})"
    return text if min(p_spread, p_pooled) < 1 - CONFIDENCE else None


def runs_of(recording, program):
    """Return the samples of the four functions for each run of the program."""
    runs = {}
    for (tgid, function), samples in recording.counts("tgid,function", comm=program,
                                                      context="user").items():
        if function in FUNCTIONS:
            runs.setdefault(tgid, [0] * 4)[FUNCTIONS.index(function)] += samples
    if len(runs) != RUNS:
        raise Failed(f"{program} ran {RUNS} times, but the recording has {len(runs)} runs")
    return list(runs.values())


@attempts(2)
def known_shares(bench):
    """Check 20 runs with shares of 49/30/16/5. The test must reject 20 runs of 46/33/16/5."""
    biased = bench.directory / "shares-biased"
    shutil.copy(bench.workload("shares"), biased)
    script = ('for run in $(seq "$3"); do "$1" 1000; done >/dev/null & '
              'for run in $(seq "$3"); do "$2" 1000 46 33 16 5; done >/dev/null; wait')
    recording = bench.record("shares", ["-F", "1999"], [
        "sh", "-c", script, "sh", bench.workload("shares"), biased, str(RUNS)])
    yield "true", verdict(runs_of(recording, "shares"))
    yield "planted-bias", None if verdict(runs_of(recording, "shares-biased")) else \
        "a shift of three percentage points from one function to another was not noticed"


@attempts(2)
def same_run_as_perf(bench):
    """assay and perf sample the same run of btree and shares. Their shares must agree."""
    need("perf")
    data = bench.directory / "perf.data"
    script = '"$1" 20000000 >/dev/null & "$2" 3000 >/dev/null; wait'
    recording = bench.record("with-perf", ["-a", "-F", "999"], [
        "perf", "record", "-q", "-a", "-e", "cpu-clock", "-B", "-N", "-F", "997", "-o", data, "--",
        "sh", "-c", script, "sh", bench.workload("btree"), bench.workload("shares")])
    for comm in ("btree", "shares"):
        ours = recording.counts("function", comm=comm, context="user")
        theirs = {}
        for user_mode, function in perf_samples(data, comm):
            if user_mode:
                theirs[function] = theirs.get(function, 0) + 1
        totals = sum(ours.values()), sum(theirs.values())
        if min(totals) < 1000:
            raise Failed(f"{comm}: only {totals} samples")
        for function in sorted(ours.keys() | theirs.keys()):
            pair = ours.get(function, 0), theirs.get(function, 0)
            if sum(pair) < sum(totals) / 100:
                continue
            apart = shares_differ(pair[0], totals[0], pair[1], totals[1])
            yield f"{comm}/{function}", f"{pair} of {totals} samples" if apart else None


def in_step(bench):
    """Programs in step with the clock must have true shares, because the rate varies.

    With a fixed rate, first_quarter has 0 or 100 %. With the varied rate, one second may be in step
    by chance: in one of 3,000, first_quarter has more than 73 %. For an error of more than 12
    points, two of the eight seconds must be like this: 3e-6 for each round.
    """
    for round_us in (1000, 2000, 500):
        recording = bench.record(f"in-step-{round_us}", ["-F", "1000"], [
            bench.programs() / "in_step", str(round_us * 1000), "8"])
        share = recording.functions("--comm", "in_step").get("first_quarter", (0, 0))[1]
        yield f"{round_us}-us", None if abs(share - 0.25) < 0.12 else \
            f"first_quarter has {share:.1%}, and 25 % are true"


CHECKS = [known_shares, same_run_as_perf, in_step]
