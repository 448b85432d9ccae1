# SPDX-License-Identifier: GPL-2.0-or-later
"""Check generated code in an imported perf.data against jitcode's truth and `perf inject -j`."""
import os
import shutil

from generated import NODE, Truth, frames, judged, losses
from harness import Failed, attempts, need
from imports import imported, perf, samples_of_perf
from tools import run

CLOCK = ["-k", "CLOCK_MONOTONIC"]
HEADER_PID = 20     # offset of the pid in a jitdump


def record(bench, place, command, clock=()):
    """Record the command with perf. Return (its output, path of its jitdump).

    The jitdump is in the same directory as perf.data.
    """
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    done = run(["perf", "record", "-q", "-N", "-B", "-e", "cpu-clock", "-F", "1999", "-g", *clock,
                "-o", "perf.data", "--", *command], cwd=place)
    if done.returncode != 0:
        raise Failed(f"perf record: {done.stderr[-300:].strip()}")
    dumps = list(place.glob("jit-*.dump"))
    if len(dumps) != 1:
        raise Failed(f"{len(dumps)} jitdumps")
    return done.stdout, dumps[0]


def jitcode(bench, place, clock=(), words=()):
    text, dump = record(bench, place, [bench.programs() / "jitcode", "dump", "2500", "60", *words],
                        clock)
    return Truth(text), dump


def all_right(recording, truth):
    named, unnamed, wrong = judged(recording, truth)
    if wrong:
        return wrong[0]
    return None if named > 1000 and unnamed <= named / 200 else \
        f"{unnamed} of {named + unnamed} frames have no name"


def leaves(recording):
    return {time_ns: name for time_ns, depth, name, _ in frames(recording) if depth == 0}


def against_perf(recording, place):
    """Compare the names of the leaves with those of `perf inject -j`. Return a problem or None."""
    injected = place / "injected.data"
    if perf("inject", "-j", "-i", place / "perf.data", "-o", injected) is None:
        raise Failed("perf inject failed")
    theirs = {s["time"]: s["stack"][0] for s in samples_of_perf(injected) if s["stack"]}
    mine = leaves(recording)
    same = sum(theirs.get(time_ns) == name for time_ns, name in mine.items() if name)
    wrong = [(time_ns, name, theirs[time_ns]) for time_ns, name in mine.items()
             if name and theirs.get(time_ns, name) != name]
    # perf may choose another function if it begins in the same microsecond as the sample.
    if len(wrong) > same / 500:
        return f"{len(wrong)} differ: {wrong[:2]}"
    return None if same > 500 and same > 0.98 * len(mine) else f"{same} of {len(mine)} agree"


@attempts(2)
def imported_jitdump(bench):
    """All frames have their right names if the jitdump is at its path or beside perf.data."""
    need("perf")
    place, elsewhere = bench.directory / "imported-jit", bench.directory / "imported-jit-copy"
    truth, dump = jitcode(bench, place, CLOCK)
    recording = imported(bench, place / "perf.data", "imported-jit")
    yield "all", all_right(recording, truth)
    yield "perf", against_perf(recording, place)
    elsewhere.mkdir(exist_ok=True)
    for path in (place / "perf.data", dump):
        shutil.copy(path, elsewhere)
    dump.unlink()
    copied = imported(bench, elsewhere / "perf.data", "imported-jit-copy")
    yield "copy", None if list(frames(copied)) == list(frames(recording)) else \
        "a copy beside the file does not give the same names"
    gone = imported(bench, place / "perf.data", "imported-jit-gone")
    yield "gone", None if not judged(gone, truth)[0] and losses(gone).get("jitdump-refused") == 1 \
        else f"without a dump: {judged(gone, truth)[0]} names, {losses(gone)}"
    truth, _ = jitcode(bench, place, CLOCK, ["move"])      # perf inject ignores code that moves
    yield "moved", all_right(imported(bench, place / "perf.data", "imported-jit-moved"), truth)


def patched(dump, target, change):
    content = bytearray(dump.read_bytes())
    target.write_bytes(change(content))


def with_pid(content, pid):
    content[HEADER_PID:HEADER_PID + 4] = pid.to_bytes(4, "little")
    return content


@attempts(2)
def imported_jitdump_hostile(bench):
    """Dumps are cut short, from another process, or from a later run.

    They must not give a wrong name, and a loss must be counted.
    """
    need("perf")
    place, later = bench.directory / "hostile-jit", bench.directory / "hostile-jit-later"
    truth, dump = jitcode(bench, place, CLOCK)
    whole = bench.directory / "whole.dump"
    shutil.copy(dump, whole)
    named_whole = judged(imported(bench, place / "perf.data", "hostile-whole"), truth)[0]
    os.truncate(dump, whole.stat().st_size // 2 + 1)    # it keeps its inode
    cut = imported(bench, place / "perf.data", "hostile-cut")
    named, _, wrong = judged(cut, truth)
    yield "cut-right", wrong[0] if wrong else None
    yield "cut-some", None if named_whole / 5 < named < named_whole * 0.8 else \
        f"{named} names, {named_whole} with the whole dump"
    yield "cut-told", None if losses(cut).get("jitdump-damaged") == 1 and \
        losses(cut).get("jit-unsure") else f"{losses(cut)}"
    pid = int(dump.stem.split("-")[1])
    _, second = jitcode(bench, later, CLOCK)
    dump.rename(bench.directory / "hostile-first.dump")     # a new file may not get its inode number
    cases = {"other-pid": lambda content: with_pid(content, pid + 1),
             "other-file": lambda _: b"x" * 64, "empty": lambda _: b"", "blank": lambda _: bytes(64)}
    for name, change in cases.items():
        copy = bench.directory / f"hostile-{name}"
        copy.mkdir(exist_ok=True)
        shutil.copy(place / "perf.data", copy)
        patched(whole, copy / dump.name, change)
        recording = imported(bench, copy / "perf.data", f"hostile-{name}")
        yield name, None if not judged(recording, truth)[0] and \
            losses(recording).get("jitdump-refused") == 1 else f"{losses(recording)}"
    # The dump of a later run that had the same pid. At the original path it is a different file. A
    # copy of it beside perf.data is recognized by its times.
    patched(second, dump, lambda content: with_pid(content, pid))
    replaced = imported(bench, place / "perf.data", "hostile-replaced")
    yield "replaced", None if not judged(replaced, truth)[0] and \
        losses(replaced).get("jitdump-refused") == 1 else f"{losses(replaced)}"
    copy = bench.directory / "hostile-other-file"
    shutil.copy(dump, copy / dump.name)
    recording = imported(bench, copy / "perf.data", "hostile-later")
    yield "later", None if not judged(recording, truth)[0] else "names from a later run's dump"


@attempts(2)
def imported_jitdump_clock(bench):
    """If perf recorded with its own clock, which jitdumps do not use, frames get no names."""
    need("perf")
    place = bench.directory / "clock-jit"
    truth, _ = jitcode(bench, place)
    recording = imported(bench, place / "perf.data", "clock-jit")
    fact = recording.sql("SELECT value FROM meta WHERE key = 'not_in_file'")[0]["value"]
    yield "unnamed", None if not judged(recording, truth)[0] else "names without a common clock"
    yield "told", None if losses(recording).get("jitdump-refused") == 1 and \
        "CLOCK_MONOTONIC" in fact else f"{losses(recording)}, {fact}"


@attempts(2)
def imported_node(bench):
    """Check names from V8's jitdump."""
    need("perf")
    need("node")
    place = bench.directory / "imported-node"
    script = bench.directory / "imported.js"
    script.write_text(NODE)
    record(bench, place, ["node", "--perf-prof", "--no-turbo-inlining", script], CLOCK)
    recording = imported(bench, place / "perf.data", "imported-node")
    names = [name for name in leaves(recording).values() if name]
    hot = sum("hot_alpha" in name for name in names)
    yield "hot", None if hot > 1000 and hot > len(names) / 2 else f"{hot} of {len(names)}"
    yield "perf", against_perf(recording, place)


CHECKS = [imported_jitdump, imported_jitdump_hostile, imported_jitdump_clock, imported_node]
