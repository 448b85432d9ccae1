# SPDX-License-Identifier: GPL-2.0-or-later
"""Run failed tests once more.

A test that observes a running machine can fail by chance if other programs keep the machine busy. A
defect makes the test fail each time. So a failed test is run again after all stages, when nothing
else of the test run is active. The unit of a second run is a CLI case, a check, or a program of
unit tests. A test that fails twice has failed.

These failures are not tried again:
- stages that do not depend on chance (stages that are one command, fuzz replays)
- reports of a sanitizer, except leaks of a unit test whose case failed: a failed assertion leaves
  the test at once, with all its memory
- all failures, if there are more than FAILURES_MAX, because then the source tree is broken
"""
import re

FAILURES_MAX = 5
SANITIZER = re.compile(r"(Address|Memory|Thread|UndefinedBehavior)Sanitizer|: runtime error: ")
LEAKS = re.compile(r"LeakSanitizer|AddressSanitizer: \d+ byte\(s\) leaked")


def target_of(stage, name):
    """Return the test to run again for the result of that name; None if it is not a single test."""
    if stage.startswith("unit"):
        program, colon, _ = name.partition(": ")
        return program if colon else None
    room, _, rest = name.partition("/")
    if not rest or room != stage:
        return None
    return rest if stage == "cli" else rest.partition("/")[0]


def is_reported(stage, result):
    """Return whether a sanitizer has found a defect, which is not there by chance."""
    detail = result.detail
    if stage.startswith("unit") and not result.name.rpartition(": ")[2].isupper():
        detail = LEAKS.sub("", detail)
    return bool(SANITIZER.search(detail) or LEAKS.search(detail))


def targets_of(failures, stages):
    """Return {(stage, target): [names of its failed results]}, in the order of @failures.

    @failures: (stage, result) pairs. @stages: the stages that can run a single target.
    """
    if len(failures) > FAILURES_MAX:
        return {}
    found, reported = {}, set()
    for stage, result in failures:
        target = target_of(stage, result.name) if stage in stages else None
        if target:
            found.setdefault((stage, target), []).append(result.name)
            if is_reported(stage, result):
                reported.add((stage, target))
    return {key: names for key, names in found.items() if key not in reported}


def passes(names, results):
    """Return whether the second run succeeded: all @names passed, and nothing else failed.

    A program that ended without naming a case ("elf lines: TIMEOUT") has no case to look for. A
    check that was aborted ("terminal/killed") has passed if its cases ("terminal/killed/SIGTERM")
    did.
    """
    passed = {result.name for result in results if result.outcome == "passed"}
    named = {name for name in names if not name.rpartition(": ")[2].isupper()}
    missing = {name for name in named - passed
               if not any(other.startswith(f"{name}/") for other in passed)}
    return (bool(passed) and not missing
            and all(result.outcome != "failed" for result in results))


def run(failures, runners, show):
    """Run the failed tests again. Return the number of failures that did not occur again.

    @runners: {stage: function that runs a target and returns its results}. show(result) prints a
    failed result with its output.
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
        print("repeated: these failed tests were run once more", *lines, sep="\n")
    return gone
