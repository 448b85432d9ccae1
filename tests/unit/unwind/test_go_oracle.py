#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the rules of a Go program with what readelf says about its .debug_frame.

Go's linker makes that section from the same frame sizes as the table from which the rules are made.
So each CFA must be the same, except in the functions that have special rules. The program is built
for x86_64 and aarch64.

Usage: test_go_oracle.py DUMP_ROWS   (exit status 77: nothing to compare with)
"""
import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = """package main
import ("fmt"; "os"; "sort")
func main() { words := append([]string{}, os.Args...); sort.Strings(words); fmt.Println(words) }
"""
ROWS_MIN = 5000
SPECIAL_MAX = 80
# Kinds of rules that say more than the frame size.
SPECIAL = {"end", "switch", "switch-past", "unsupported", "at"}


def lines_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def rules_of(program, path):
    """Return the addresses of the rows, and their rules as lists of words."""
    rows = [line.split() for line in lines_of(program, path) if line.startswith("row ")]
    return [int(row[1], 16) for row in rows], [row[2:] for row in rows]


def cfas_of(path):
    """Yield (address, CFA) of each row of each FDE."""
    in_fde = False
    for line in lines_of("readelf", "-W", "--debug-dump=frames-interp", path):
        if re.match(r"[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ ", line):
            in_fde = " FDE " in line
        elif in_fde and (row := re.match(r"([0-9a-f]{16}) (\S+) ", line)):
            yield int(row[1], 16), row[2].replace("rsp", "sp")


def compare(program, path, machine):
    addresses, rules = rules_of(program, path)
    same, special, wrong = 0, 0, []
    for address, cfa in cfas_of(path):
        index = bisect.bisect(addresses, address) - 1
        rule = rules[index] if index >= 0 else ["none", "-"]
        if rule[0] in SPECIAL:
            special += 1
        elif rule[:2] == ["cfa", cfa]:
            same += 1
        else:
            wrong.append(f"{address:#x}: {cfa} is {' '.join(rule)}")
    print(f"{machine}: {same} rows are the same, {special} have special rules, "
          f"{len(wrong)} are wrong: {wrong[:5]}")
    return same >= ROWS_MIN and special <= SPECIAL_MAX and not wrong


def main():
    if not shutil.which("go") or not shutil.which("readelf"):
        print("go or readelf is not installed")
        return 77
    good = True
    with tempfile.TemporaryDirectory() as directory:
        source, path = f"{directory}/main.go", f"{directory}/program"
        with open(source, "w", encoding="ascii") as file:
            file.write(SOURCE)
        for machine in ("amd64", "arm64"):
            # The cache is in the directory, because HOME may not be set.
            environment = os.environ | {"GOARCH": machine, "GOCACHE": f"{directory}/cache",
                                        "CGO_ENABLED": "0", "GO111MODULE": "off"}
            subprocess.run(["go", "build", "-ldflags=-compressdwarf=false", "-o", path, source],
                           check=True, env=environment)
            good = compare(sys.argv[1], path, machine) and good
    return 0 if good else 1


sys.exit(main())
