# SPDX-License-Identifier: GPL-2.0-or-later
"""Two strict readers of perf script's text: as stackcollapse-perf.pl and as speedscope read it.

Both tools skip what they do not know and split or shorten names. Here that is an error.
"""
import re

START = re.compile(r"(\S.+?)\s+(\d+)(?:/?(\d+))?\s+")


class Misread(AssertionError):
    """A reader would lose or change a part of the text."""


def name_of(line, words):
    if re.search(r"->", words) or words.startswith("("):
        raise Misread(f"split or skipped: {line!r}")
    return re.sub(r"\+0x[\da-f]+$", "", words)


def collapse(text):
    """Yield (event, thread, weight, names outermost first) of each sample."""
    sample = None
    for line in text.split("\n"):
        if line.startswith("#"):
            continue
        if not line:
            if sample:
                yield (*sample[:3], sample[3][::-1])
            sample = None
        elif start := START.match(line):
            event = re.search(r":\s*(\d+)?\s+(\S+):\s*$", line)
            if sample or not event or not start[3]:
                raise Misread(line)
            sample = event[2], start[1].rstrip(" "), int(event[1] or 1), []
        elif frame := re.match(r"\s*(\w+)\s*(.+) \((.*)\)$", line):
            if not sample:
                raise Misread(line)
            name = name_of(line, frame[2])
            image = frame[3].rsplit("/", 1)[-1]
            sample[3].append(name if name != "[unknown]" else f"[{image.strip('[]')}]")
        else:
            raise Misread(line)
    if sample:
        raise Misread(f"not ended: {sample}")


def speedscope(text):
    """Yield the same as collapse(), without weights."""
    for block in text.split("\n\n"):
        head, *lines = block.split("\n")
        start = START.match(head)
        if not start:
            if re.sub(r"(?m)^#.*\n?", "", block):
                raise Misread(block)
            continue
        if not re.search(r"\s+(\d+\.\d+):\s+", head):
            raise Misread(head)
        names = []
        for line in lines:
            frame = re.match(r"\s*(\w+)\s*(.+) \((\S*)\)$", line)
            if not frame:
                raise Misread(line)
            names.append((name_of(line, frame[2]), frame[3]))
        yield re.search(r"(\S+):\s*$", head)[1], start[1].rstrip(" "), names[::-1]
