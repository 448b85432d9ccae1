# SPDX-License-Identifier: GPL-2.0-or-later
"""Check the callers in the stacks of system programs: each return address must follow a call.

For each frame that is not a leaf and was not interrupted by a signal, the bytes before the return
address must encode a call instruction: e8 with a target in the code of the same file, or ff /2 with
a valid length. Bytes that are not code pass this test by chance less than once in a hundred times.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import time

from harness import Failed, attempts
from tools import run

SECONDS = 8
PAIRS_MIN = 2000
SQL = ("WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 99999999) "
       "SELECT x % 999, count(*), max(printf('%d', x)) FROM r GROUP BY 1 ORDER BY 2")
PYTHON = ("import json, re\nwhile True: json.loads(json.dumps([{'a': list(range(50))}] * 50)); "
          "sorted(range(9999), key=lambda x: -x); re.findall('a+b', 'aab' * 999)")
NODE = ("for (;;) { JSON.parse(JSON.stringify(Array(999).fill({a: [1, 2]})));"
        "[...Array(9999).keys()].sort((a, b) => b - a); 'aab'.repeat(999).match(/a+b/g) }")


def programs(directory):
    """Return the commands of those programs that are installed. They run until they are killed."""
    source, repository = directory / "many.c", directory / "repository"
    source.write_text("".join(
        f"int f{i}(int *p) {{ for (int i = 0; i < {i}; i++) p[i] += p[{i} - i] * {i}; "
        f"return p[{i % 7}]; }}\n" for i in range(400)), encoding="ascii")
    scripts = {"gcc": f"while :; do gcc -O2 -c {source} -o {source}.o; done",
               "git": f"while :; do rm -rf {repository}; mkdir {repository}; cp -r "
                      f"/usr/include/linux {repository}; git -C {repository} init -q; "
                      f"git -C {repository} add .; done",
               "sort": "while :; do seq 300000 | sort -R >/dev/null; done"}
    commands = {name: ["sh", "-c", script] for name, script in scripts.items()}
    commands |= {"python3": ["/usr/bin/python3", "-c", PYTHON], "node": ["node", "-e", NODE],
                 "openssl": ["openssl", "speed", "-seconds", "1", "rsa2048"],
                 "sqlite3": ["sqlite3", ":memory:", SQL]}
    return [command for name, command in commands.items() if shutil.which(name)]


class File:
    """The code of an ELF file, by vaddr."""

    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        self.loads = []  # (vaddr, offset, size) of each executable segment
        for line in run(["readelf", "-lW", path]).stdout.splitlines():
            if found := re.match(r"\s+LOAD\s+(\S+) (\S+) \S+ (\S+) \S+ (.{3}) ", line):
                offset, vaddr, size = (int(word, 16) for word in found.groups()[:3])
                if "E" in found[4]:
                    self.loads.append((vaddr, offset, size))

    def before(self, vaddr, count=8):
        for start, offset, size in self.loads:
            if start + count <= vaddr <= start + size:
                return self.data[offset + vaddr - start - count:offset + vaddr - start]
        return b""

    def is_code(self, vaddr):
        return any(start <= vaddr < start + size for start, _, size in self.loads)

    def follows_call(self, vaddr):
        code = self.before(vaddr)
        if not code:
            return False
        if code[-5] == 0xe8:
            target = vaddr + int.from_bytes(code[-4:], "little", signed=True)
            if self.is_code(target):
                return True
        return any(code[-length] == 0xff and call_length(code[-length + 1:]) == length
                   for length in range(2, 8))


def call_length(rest):
    """Return the length of an `ff /2` instruction, or 0 if it is another instruction.

    @rest: its bytes from the ModRM byte on.
    """
    mode, register, memory = rest[0] >> 6, rest[0] >> 3 & 7, rest[0] & 7
    if register != 2:
        return 0
    if mode == 3:
        return 2
    length = 2 + (memory == 4) + (0, 1, 4)[mode]
    if mode == 0 and (memory == 5 or memory == 4 and len(rest) > 1 and rest[1] & 7 == 5):
        length += 4
    return length


class Frames:
    """The callers in a recording's stacks.

    .callers counts them by (path, vaddr of the call's last byte). .others counts the callers that
    cannot be checked, by reason.
    """

    def __init__(self, recording):
        rows = recording.sql(
            # The kernel calls the first byte of __restore_rt, so the byte before it may be code
            # without a name, in front of this function.
            "SELECT stack, f.image, f.vaddr, f.function || ' ' || coalesce(function.after, '') "
            "AS function, kind, path FROM stack_frames AS f "
            "JOIN location ON location.id = f.location JOIN image ON image.id = location.image "
            "LEFT JOIN function ON function.id = location.function "
            "WHERE stack IN (SELECT DISTINCT stack FROM sample) ORDER BY stack, depth")
        self.callers, self.others = collections.Counter(), collections.Counter()
        stack = callee = None
        for row in rows:
            if row["kind"] in ("kernel", "module", "bpf"):
                continue
            if row["stack"] != stack:
                stack, callee = row["stack"], row  # this is the leaf
                continue
            if "restore_rt" in callee["function"] or "restore_rt" in row["function"]:
                # The kernel called the handler, or a signal interrupted this frame.
                self.others["signal"] += 1
            elif row["kind"] != "file":
                self.others[row["kind"]] += 1
            else:
                self.callers[row["path"], int(row["vaddr"])] += 1
            callee = row


def verdict(frames, begin_ns):
    """Return (count of right callers, {wrong caller: count}, count of unchecked callers, files).

    A file that has changed since @begin_ns is not checked, because another version of it ran.
    """
    files, right, wrong, unread = {}, 0, collections.Counter(), 0
    for (path, vaddr), count in frames.callers.items():
        if path not in files:
            file = pathlib.Path(path)
            same = file.is_file() and max(file.stat().st_mtime_ns,
                                          file.stat().st_ctime_ns) < begin_ns
            files[path] = File(path) if same else None
        if not files[path]:
            unread += count
        elif files[path].follows_call(vaddr + 1):
            right += count
        else:
            wrong[f"{path}+{vaddr + 1:#x}"] += count
    return right, wrong, unread, files


@attempts(2)
def callers_called(bench):
    for collector, options in bench.collectors().items():
        path, words = bench.record_command(f"callers-{collector}", ["-a", "-F", "999", *options],
                                           ["sleep", str(SECONDS)])
        loads = [subprocess.Popen(["timeout", str(SECONDS), *command], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
                 for command in programs(bench.directory)]
        begin_ns = time.time_ns()
        done = run(words)
        for load in loads:
            load.wait()
        if done.returncode != 0:
            raise Failed(f"exit {done.returncode}: {done.stderr[-300:].strip()}")
        frames = Frames(bench.open(path))
        right, wrong, unread, files = verdict(frames, begin_ns)
        print(f"# {collector}: {right} callers right, {sum(wrong.values())} wrong, {unread} in "
              f"files that are gone or changed, not checked {dict(frames.others)}; "
              f"{len(frames.callers)} places in {len(files)} files", flush=True)
        if right < PAIRS_MIN:
            yield collector, f"only {right} callers are right"
        else:
            yield collector, f"{wrong.most_common(5)}" if wrong else None
        # The oracle must be able to say no.
        shifted = [files[path].follows_call(vaddr + 4) for path, vaddr in frames.callers
                   if files[path]]
        yield f"{collector}-shifted", "the oracle accepts wrong addresses" \
            if sum(shifted) > len(shifted) / 10 else None


CHECKS = [callers_called]
