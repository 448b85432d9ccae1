# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare shares of basic blocks with known shares, and addresses with report --by address."""
import json
import platform
import shutil

from harness import Skipped, attempts
from stats import wilson

FUNCTION = "known_blocks"
ROUNDS = 2500
TRUTH = 0.75


def annotated(recording, *options):
    text = recording.ask("annotate", "--json", *options, FUNCTION, recording.path)
    return json.loads(text)["functions"][0]


def lines_of(recording):
    """Return the sample counts of the two hottest lines, in order of line."""
    asked = recording.ask("annotate", "--source", "--json", FUNCTION, recording.path)
    lines = [(line["samples"], line["line"]) for file in json.loads(asked)["files"]
             for line in file["lines"]]
    return [samples for samples, _ in sorted(sorted(lines)[-2:], key=lambda line: line[1])]


def loops_of(function):
    """Return the sample counts of blocks that jump to their own start, in order of address."""
    last = {row["block"]: row for row in function["instructions"]}
    return [block["samples"] for block in function["blocks"]
            if last[block["block"]].get("target") == block["vaddr"]]


@attempts(2)
def known_shares_of_blocks(bench):
    """One function has two loops with times of 3 to 1. Check them with and without its file."""
    if platform.machine() != "x86_64":
        raise Skipped("the program is written in x86_64 assembler")
    program = bench.directory / "blocks"
    shutil.copy(bench.programs() / "blocks", program)
    recording = bench.record("blocks", ["-F", "1999"], [program, ROUNDS])
    function = annotated(recording)
    loops = loops_of(function)
    yield "two-loops", None if len(loops) == 2 else f"{len(loops)} loops were found"
    if len(loops) != 2:
        return
    low, high = wilson(loops[0], sum(loops))
    yield "share", None if low <= TRUTH <= high else \
        f"{loops[0]} of {sum(loops)} samples: [{low:.3f}-{high:.3f}] is not {TRUTH}"
    low, high = wilson(loops[0], sum(loops) + loops[1])
    yield "planted-bias", "a second loop that is twice as hot was not noticed" \
        if low <= TRUTH <= high else None
    rows = function["instructions"]
    counted = sum(row["samples"] for row in rows), sum(loops)
    yield "nearly-all", None if counted[1] >= 0.99 * function["samples"] else \
        f"{counted} of {function['samples']} samples"
    lines = lines_of(recording)
    low, high = wilson(lines[0], sum(lines))
    yield "lines", None if low <= TRUTH <= high and sum(lines) >= sum(loops) else \
        f"lines have {lines}: [{low:.3f}-{high:.3f}] is not {TRUTH}"
    by_address = {int(label.split()[0], 16): samples for label, samples in recording.counts(
        "address", image=str(program), context="user").items()}
    apart = [row["vaddr"] for row in rows
             if row["samples"] > by_address.get(int(row["vaddr"], 16), 0)]
    yield "addresses", f"report --by address has fewer at {apart}" if apart else None
    program.unlink()
    yield "file-gone", None if loops_of(annotated(recording)) == loops else \
        "without the file, the recording gives other numbers"


CHECKS = [known_shares_of_blocks]
