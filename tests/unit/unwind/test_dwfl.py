#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare whole stacks of system programs with elfutils' libdwfl, stopped at random moments.

No frame may differ.  A stack may end before the other's, for reasons that are known: ours where
the copy of 64 KiB ends, or in code whose rule needs a register that is not kept; theirs in code
without call frame information.

Usage: test_dwfl.py COMPARE_DWFL   (exit status 77: nothing to compare with)
"""
import collections, pathlib, shutil, subprocess, sys, tempfile

STOPS, EACH_US = 60, 3000
OURS_MAY_END = {"unreadable", "unsupported", "no-row", "no-image", "no-extra", "stuck"}
OURS_SHORT_MAX = 0.05
SQL = ("WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 99999999) "
       "SELECT x % 999, count(*), max(printf('%d', x)) FROM r GROUP BY 1 ORDER BY 2")
PYTHON = ("import json, re\nwhile True: json.loads(json.dumps([{'a': list(range(50))}] * 50)); "
          "sorted(range(9999), key=lambda x: -x); re.findall('a+b', 'aab' * 999)")


def compiler():
    found = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True)
    return found.stdout.strip()


def commands(folder):
    """One thread each; those that are not installed are left out."""
    source, text = folder / "many.c", folder / "text"
    source.write_text("".join(
        f"int f{i}(int *p) {{ for (int i = 0; i < {i}; i++) p[i] += p[{i} - i] * {i}; "
        f"return p[{i % 7}]; }}\n" for i in range(3000)))
    text.write_text("".join(f"{i * 7919 % 1000003} line\n" for i in range(2_000_000)))
    found = [[compiler(), "-quiet", "-O2", str(source), "-o", "/dev/null"],
             ["/usr/bin/python3", "-c", PYTHON], ["openssl", "speed", "rsa2048", "sha256"],
             ["sqlite3", ":memory:", SQL], ["sort", "--parallel=1", str(text)],
             ["perl", "-e", "while (1) { my @a = sort map { $_ * 7 % 999 } 1 .. 5000; }"],
             ["bash", "-c", "while :; do a=${a:0:99}xyz; b=${a//x/yy}; done"],
             ["objdump", "-d", compiler()]]
    return [command for command in found if shutil.which(command[0])]


def judge(name, lines):
    """(problem or None, what was seen)"""
    kinds = collections.Counter()
    frames = 0
    for line in lines:
        kind, *rest = line.split()
        kinds[f"{kind} {rest[0]}" if kind == "ours-ends" else kind] += 1
        frames += int(rest[0]) if kind == "same" else 0
        if kind == "differ" or kind == "ours-ends" and rest[0] not in OURS_MAY_END:
            return f"{name}: {line}", kinds, frames
    short = sum(count for kind, count in kinds.items() if kind.startswith("ours-ends"))
    if short > max(1, OURS_SHORT_MAX * len(lines)):
        return f"{name}: ours is shorter in {short} of {len(lines)}: {dict(kinds)}", kinds, frames
    return None, kinds, frames


def main():
    problems, total, frames = [], collections.Counter(), 0
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for command in commands(pathlib.Path(folder)):
            name = pathlib.Path(command[0]).name
            done = subprocess.run([program, str(STOPS), str(EACH_US), *command], cwd=folder,
                                  capture_output=True, text=True)
            if done.returncode == 77:
                print(done.stderr)
                return 77
            problem, kinds, seen = judge(name, done.stdout.splitlines())
            problems += [problem] if problem else []
            total += kinds
            frames += seen
            print(f"{name}: {dict(kinds)}")
    print(f"{sum(total.values())} stacks, {frames} frames in those that are the same: "
          f"{dict(total)}")
    for problem in problems:
        print(problem)
    return 1 if problems or not total["same"] else 0


sys.exit(main())
