#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""objdump as judge: where instructions begin, how long they are, where branches lead.

usage: test_oracle.py DUMP OWN_PROGRAM

Every instruction of 50 functions of the C library, of 50 of a program of our own, and, where
a library for aarch64 and a disassembler for it are installed, of 50 of that.
"""
import glob
import re
import shutil
import subprocess
import sys

FUNCTIONS = 50
JUMPS = re.compile(r"(?:(?:bnd|notrack|addr32|repz|repnz|data16|cs|ds)\s+)*"
                   r"(j\w+|call\w*|loop\w*|xbegin|b|bl|b\.\w+|bc\.\w+|cbn?z|tbn?z)\s+(.*)")


def run(*command, **kwargs):
    return subprocess.run(command, check=True, capture_output=True, text=True, **kwargs).stdout


def functions_of(path):
    """(vaddr, size) of 50 functions spread over the file, without those inside others."""
    found = {}
    for line in run("readelf", "-sW", path).splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] in ("FUNC", "IFUNC") and words[6].isdigit():
            found[int(words[1], 16)] = int(words[2], 0)
    chosen, end = [], 0
    for vaddr, size in sorted(found.items()):
        if size and vaddr >= end:
            chosen.append((vaddr, size))
            end = vaddr + size
    step = max(1, len(chosen) // FUNCTIONS)
    largest = sorted(chosen, key=lambda function: -function[1])[:5]
    return (largest + chosen[::step])[:FUNCTIONS]


def target_of(text):
    jump = JUMPS.fullmatch(re.sub(r"\s*<.*", "", text))
    operand = jump.group(2).split(",")[-1].strip() if jump else ""
    return int(operand, 16) if re.fullmatch(r"(0x)?[0-9a-f]+", operand) else 0


def objdump(tool, path, vaddr, size):
    """[(vaddr, length, target)]; what objdump cuts off at the end has its bytes all the same."""
    rows = []
    for line in run(tool, "-dw", f"--start-address={vaddr:#x}", f"--stop-address={vaddr + size:#x}",
                    path).splitlines():
        words = line.split("\t")
        if len(words) < 2 or not re.fullmatch(r" *[0-9a-f]+:", words[0]):
            continue
        length = len(words[1].replace(" ", "")) // 2
        text = " ".join(words[2:]).split("//")[0].strip()
        rows.append((int(words[0].strip(" :"), 16), length, target_of(text)))
    return rows


def compare(dump, tool, path):
    functions = functions_of(path)
    asked = "".join(f"{vaddr:x} {size:x}\n" for vaddr, size in functions)
    ours = [line.split(" ", 4) for line in run(dump, path, input=asked).splitlines()]
    ours = [(int(row[0], 16), int(row[1]), int(row[3], 16)) for row in ours]
    theirs = [row for vaddr, size in functions for row in objdump(tool, path, vaddr, size)]
    wrong = [(a, b) for a, b in zip(ours, theirs) if a != b]
    for a, b in wrong[:10]:
        print(f"{path}: {a[0]:x} {a[1]} -> {a[2]:x}; objdump: {b[0]:x} {b[1]} -> {b[2]:x}")
    print(f"{path}: {len(functions)} functions, {len(ours)} instructions, "
          f"{sum(1 for row in ours if row[2])} with a target; {len(wrong)} differ")
    return not wrong and len(ours) == len(theirs) and len(functions) >= 10


def main():
    dump, own = sys.argv[1:3]
    machine = run("uname", "-m").strip()
    libc = (glob.glob(f"/lib/{machine}-linux-gnu/libc.so.6") + glob.glob("/lib64/libc.so.6"))[:1]
    judged = [compare(dump, "objdump", path) for path in libc + [own]]
    foreign = glob.glob("/usr/aarch64-linux-gnu/lib/libc.so.6")
    tool = shutil.which("aarch64-linux-gnu-objdump")
    if machine == "x86_64" and foreign and tool:
        judged.append(compare(dump, tool, foreign[0]))
    else:
        print("aarch64: no library or no objdump for it here, not compared")
    return 0 if all(judged) else 1


sys.exit(main())
