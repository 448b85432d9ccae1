# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings with a flipped bit, or without their end: assay says so, or nothing changes."""
import json
import random

from recordings import good_recording

FLIPS = 200
PAGE = 4096
KINDS_OF_TREE_PAGES = (2, 5, 10, 13)


def is_free(data, at):
    """Whether the byte is between the cell pointers and the cells of a page of a tree.

    https://www.sqlite.org/fileformat.html, section 1.6
    """
    start = at - at % PAGE
    header = start + (100 if start == 0 else 0)
    if data[header] not in KINDS_OF_TREE_PAGES:
        return False
    cells = int.from_bytes(data[header + 3:header + 5], "big")
    content = int.from_bytes(data[header + 5:header + 7], "big") or 65536
    pointers = header + (12 if data[header] in (2, 5) else 8)
    return pointers + 2 * cells <= at < start + content


def flips(data, count, seed):
    chance = random.Random(seed)
    while count:
        at, bit = chance.randrange(len(data)), chance.randrange(8)
        if not is_free(data, at):
            yield at, bit
            count -= 1


def views_of(place, good, path):
    """What the commands print of the recording, the words on stderr, and a problem or None."""
    shown, said = {}, {}
    for words in (["report", "--json", path], ["report", path], ["tree", path], ["flame", path],
                  ["diff", good, path]):
        stdout, stderr, problem = place.judge.run(*words)
        if problem:
            return None, None, problem
        name = " ".join(str(word) for word in words[:-1])
        shown[name], said[name] = stdout, stderr
    return shown, said, None


def losses_of(shown):
    text = shown["report --json"]
    return json.loads(text)["losses"] if text else None


def silent_changes(base, shown, said):
    """The views that differ from those of the unaltered recording, unless something tells."""
    if losses_of(shown) != losses_of(base[0]):
        return []
    return [name for name in shown if shown[name] != base[0][name] and said[name] == base[1][name]]


def flipped_bits(place):
    """A flipped bit changes nothing, is said, or makes assay refuse the file."""
    good, path = good_recording(place), place.directory / "flipped.assay"
    data = good.read_bytes()
    path.write_bytes(data)
    *base, problem = views_of(place, good, path)
    yield "none", problem
    for at, bit in flips(data, FLIPS, 1):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:])
        shown, said, problem = views_of(place, good, path)
        silent = problem or silent_changes(base, shown, said)
        yield f"byte-{at}-bit-{bit}", problem or (silent and f"silent: {', '.join(silent)}") or None
        for suffix in ("-wal", "-shm", "-journal"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def samples_of(place, path):
    """The number of samples that a report of the recording counts, the losses, and a problem."""
    stdout, stderr, problem = place.judge.run("report", "--json", path, allowed=(0, 1))
    if problem or not stdout:
        return 0, "" if problem or "is cut: only " in stderr else stderr, problem
    report = json.loads(stdout)
    return report["samples"], report["losses"], None


def cut_files(place):
    """A cut recording gives the samples before the cut, and its report says that bytes are missing.

    If no samples are before the cut, the message says that the file is cut.
    """
    good, path = good_recording(place), place.directory / "cut.assay"
    data, chance = good.read_bytes(), random.Random(2)
    whole, before = samples_of(place, good)[0], 0
    for size in sorted({len(data) - 1, len(data) - PAGE, *(chance.randrange(100, len(data))
                                                           for _ in range(60))}):
        path.write_bytes(data[:size])
        samples, losses, problem = samples_of(place, path)
        problem = problem or place.judge.reads(path)
        if not problem and path.read_bytes() != data[:size]:
            problem = "the file was changed"
        if not problem and samples < before:
            problem = f"{samples} samples; {before} in a shorter file"
        if not problem and samples and "recording-cut" not in [loss["cause"] for loss in losses]:
            problem = f"the losses do not say that the file is cut: {losses}"
        if not problem and not samples and losses:
            problem = f"the message does not say that the file is cut: {losses}"
        before = samples
        yield f"cut-at-{size}", problem
    yield "samples", None if before == whole else f"{before} of {whole} samples one byte short"


def cut_and_flipped(place):
    """Cut recordings with flipped bits and with pages in other places."""
    data, path, chance = (good_recording(place).read_bytes(), place.directory / "both.assay",
                          random.Random(3))
    for number in range(60):
        part = bytearray(data[:chance.randrange(len(data) // 2, len(data))])
        for _ in range(1 << number % 6):
            part[chance.randrange(100, len(part))] ^= 1 << chance.randrange(8)
        if number % 3 == 0:
            to, start = (PAGE * chance.randrange(1, len(part) // PAGE) for _ in range(2))
            part[to:to + PAGE] = part[start:start + PAGE]
        path.write_bytes(part)
        yield f"{number}", place.judge.reads(path)


CHECKS = [flipped_bits, cut_files, cut_and_flipped]
