# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings with a single flipped bit: assay says so, or shows what the recording held."""
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


CHECKS = [flipped_bits]
