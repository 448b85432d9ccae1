# SPDX-License-Identifier: GPL-2.0-or-later
"""Which failed tests are tried once more, and what came of it.

Tests that watch a living machine can fail by chance, when others keep it busy; a defect fails
them each time. So what failed is tried again when all stages are through and nothing else runs:
a CLI case, a check, a program of unit tests. What fails twice has failed. Never tried again are
what chance has no part in (stages that are one command, fuzz replays), whatever a sanitizer
reports, and anything at all when much failed: then the tree is broken.
"""
import re

FAILURES_MAX = 5
SANITIZER = re.compile(r"(Address|Leak|Memory|Thread|UndefinedBehavior)Sanitizer|: runtime error: ")


def target_of(stage, name):
    """What is to run for the result of that name; None where it is no single test."""
    if stage.startswith("unit"):
        program, colon, _ = name.partition(": ")
        return program if colon else None
    room, _, rest = name.partition("/")
    if not rest or room != stage:
        return None
    return rest if stage == "cli" else rest.partition("/")[0]


def targets_of(failures, stages):
    """{(stage, target): [name of each result that failed there]} of @failures, in their order.

    @failures are (stage, result) pairs, @stages those that can run a single target.
    """
    if len(failures) > FAILURES_MAX:
        return {}
    found, reported = {}, set()
    for stage, result in failures:
        target = target_of(stage, result.name) if stage in stages else None
        if target:
            found.setdefault((stage, target), []).append(result.name)
            if SANITIZER.search(result.detail):
                reported.add((stage, target))
    return {key: names for key, names in found.items() if key not in reported}


def passes(names, results):
    """Has a second try gone well? Each that failed must have passed, and nothing else failed.

    A program that ended without naming a case ("elf lines: TIMEOUT") has none to look for, and a
    check that broke off ("terminal/killed") has passed with its cases ("terminal/killed/SIGTERM").
    """
    passed = {result.name for result in results if result.outcome == "passed"}
    named = {name for name in names if not name.rpartition(": ")[2].isupper()}
    missing = {name for name in named - passed
               if not any(other.startswith(f"{name}/") for other in passed)}
    return (bool(passed) and not missing
            and all(result.outcome != "failed" for result in results))


def run(failures, runners, show):
    """Tries again; the number of failures that did not repeat.

    @runners: {stage: function that runs a target and gives its results}; show(result) prints a
    failure with its output.
    """
    lines, gone = [], 0
    for (stage, target), names in targets_of(failures, runners).items():
        results = runners[stage](target)
        passed = passes(names, results)
        gone += len(names) if passed else 0
        lines += [f"  {name}: {'passed then' if passed else 'failed again'}" for name in names]
        for result in results:
            if result.outcome == "failed":
                show(result)
    if lines:
        print("repeated: what failed above was tried once more", *lines, sep="\n")
    return gone
