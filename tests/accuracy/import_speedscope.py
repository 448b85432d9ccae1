# SPDX-License-Identifier: GPL-2.0-or-later
"""Export a recording for speedscope and import it again."""
import collections
import csv
import io
import json

from harness import Failed
from imports import lines_of
from tools import run

# The tables of the report that the format can reproduce. It has no contexts, ids or programs.
TABLES = ("function", "image", "comm", "event", "function,image,comm,event")
COLUMNS = ("samples", "weight")


def recorded(bench, *options):
    path = bench.directory / "speedscope.assay"
    done = run([bench.assay, "record", "-q", *options, "-o", path, "--",
                "sh", "-c", f"{bench.workloads / 'call'} 20000; ls -lR /usr/share/doc >/dev/null"])
    if done.returncode != 0:
        raise Failed(f"assay record: {done.stderr[-300:].strip()}")
    return bench.open(path)


def through(bench, recording, style, *options):
    """Export the recording and import it again. Return the new recording and the exported file."""
    exported = bench.directory / f"through.{style}"
    imported = bench.directory / f"through-{style}.assay"
    for words in (["export", "-f", style, *options, "-o", exported, recording.path],
                  ["import", "-q", "-o", imported, exported]):
        done = run([bench.assay, *words])
        if done.returncode != 0:
            raise Failed(f"assay {words[0]}: {done.stderr[-300:].strip()}")
    return bench.open(imported), exported


def table(recording, by, *options):
    text = recording.ask("report", "--csv", "--limit", "0", "--by", by, *options, recording.path)
    return collections.Counter({tuple(row[key] for key in (*by.split(","), *COLUMNS)): 1
                                for row in csv.DictReader(io.StringIO(text, newline=""))})


def stacks(recording, *options):
    """Return {(event, weight, thread name, ((function, image)...)): number of samples}."""
    text = recording.ask("trace", "--json", "--fields", "event,weight,comm,stack", *options, recording.path)
    found = collections.Counter()
    for line in text.splitlines():
        sample = json.loads(line)
        found[sample["event"], sample["weight"], sample["comm"],
              tuple((frame["function"], frame.get("image")) for frame in sample["stack"])] += 1
    return found


def difference(before, after):
    lost, new = before - after, after - before
    return f"lost {list(lost)[:2]}, new {list(new)[:2]}" if lost or new else None


def losses(recording):
    return {loss["cause"]: loss["count"] for loss in recording.report()["losses"]}


def compare(bench, before, name, *options):
    """Compare the stacks, and the file that a second export writes.

    Inlined frames return as functions.
    """
    after, _ = through(bench, before, "speedscope", *options)
    if sum(stacks(before).values()) < 300:
        raise Failed("too few samples for a verdict")
    yield f"stacks{name}", difference(stacks(before, *options), stacks(after, *options))
    if options:
        yield f"lines{name}", difference(collections.Counter(lines_of(before)),
                                         collections.Counter(lines_of(after)))
    again = profiles(through(bench, after, "speedscope", *options)[1])
    first = profiles(through(bench, before, "speedscope", *options)[1])
    yield f"file{name}", None if again == first else "the second export differs from the first"


def profiles(path):
    """Return the profiles of a file, with names in place of frame numbers.

    The numbers can differ, because an inlined frame and another one can have the same name.
    """
    file = json.loads(path.read_text())
    frames = [(frame["name"], frame.get("file")) for frame in file["shared"]["frames"]]
    return [(profile["name"], profile["unit"], profile["weights"], profile["endValue"],
             [[frames[number] for number in sample] for sample in profile["samples"]])
            for profile in file["profiles"]]


def speedscope_returns(bench):
    before = recorded(bench, "-e", "cpu-clock,page-faults", "-F", "1999")
    yield from compare(bench, before, "")
    yield from compare(bench, before, " inlined", "--inline")
    after, _ = through(bench, before, "speedscope")
    yield "losses", None if losses(after) == losses(before) else f"{losses(before)} is {losses(after)}"
    for by in TABLES:
        for event in ("cpu-clock", "page-faults"):
            yield f"{by} of {event}", difference(table(before, by, "--event", event),
                                                 table(after, by, "--event", event))


def same_as_folded(bench):
    """Two formats of one recording must have the same functions with the same counts."""
    before = recorded(bench, "-e", "cpu-clock", "-c", "500000")     # folded stacks round varied weights
    flat = []
    for style in ("folded", "speedscope"):
        after, _ = through(bench, before, style, "--event", "cpu-clock")
        found = collections.Counter()
        for (_, _, _, stack), count in stacks(after).items():
            found[stack[-1][0]] += count
        flat.append(found)
    yield "functions", difference(*flat)


CHECKS = [speedscope_returns, same_as_folded]
