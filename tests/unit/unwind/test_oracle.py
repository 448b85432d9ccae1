#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare unwind tables with what readelf says about the same files.

At each row that readelf prints for .eh_frame (or .debug_frame, where a file has only that), our
rule must say the same CFA, frame pointer and return address, and in a file with a CFA that is
counted from the kept register the same of that one; behind each function without a
neighbour there must be a gap, or padding where the next begins less than 16 bytes behind at a
multiple of 16; and we must have no row that readelf has not.  What readelf prints
as "exp", and what cannot be a rule, is counted by class and not compared.

The files are those named, /usr/bin and the libraries around libc in even steps, the vdso, and a
small library for aarch64 where clang and lld can make it.

Usage: test_oracle.py DUMP_ROWS COUNT FILE...   (exit status 77: nothing to compare with)
"""
import bisect, collections, functools, glob, os, re, shutil, subprocess, sys, tempfile

REGISTERS = {"X86-64": ("rsp", "rbp", "r10", "rbx"), "AArch64": ("sp", "x29", "x30", "x19")}
RECORD = re.compile(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (CIE|FDE)")
ALIGNMENT = 16          # padding is less
SIZE_MAX = 600_000      # of the files that are not named: readelf is slow
AARCH64 = """
int sink(void *, int);
static int leaf(int a) { return a * 3; }
int frame(int a) { char b[64]; return sink(b, a) + leaf(a); }
int dynamic(int a) { char b[a]; return sink(b, a); }
int large(int a) { char b[70000]; return sink(b, a) + sink(b + 1, a); }
int aligned(int a) { char b[64] __attribute__((aligned(64))); return sink(b, a) + frame(a); }
int many(int a, int b, int c) { int d = frame(a), e = frame(b), f = frame(c); return d * e + f; }
"""


def lines_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape")
    return done.stdout.splitlines()


class Record:
    def __init__(self, line):
        self.rows = []          # (vaddr, CFA, fp, ra, kept)
        bounds = re.search(r"cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)$", line)
        if bounds:
            self.cie = int(bounds[1], 16)
            self.start, self.end = int(bounds[2], 16), int(bounds[3], 16)


def readelf_functions(path, fp, kept):
    """The FDEs of the section that counts, sorted as our table takes them."""
    sections = collections.defaultdict(list)
    cies, section, record, columns, places = {}, None, None, [], []
    for line in lines_of("readelf", "-W", "--debug-dump=frames-interp", path):
        if line.startswith("Contents of the "):
            section, cies = line.split()[3], {}
        elif RECORD.match(line):
            record = Record(line)
            if " FDE " in line:
                sections[section].append(record)
                record.cie = cies.get(record.cie)
            else:
                cies[int(line.split()[0], 16)] = record
        elif line.startswith("   LOC"):
            columns = line.split()
            places = [columns.index(word) if word in columns else None
                      for word in ("CFA", fp, "ra", kept)]
        elif record and line and line[0] in "0123456789abcdef":
            words = (re.sub(r" \(\w+\)", "", line) if "(" in line else line).split()
            if len(words) == len(columns) and "ZERO" not in words:      # no terminator
                record.rows.append((int(words[0], 16),
                                    *("u" if at is None else words[at] for at in places)))
    functions = sections.get(".eh_frame") or sections.get(".debug_frame") or []
    for function in functions:
        if not function.rows and function.cie:      # nothing but what its CIE says
            function.rows = [(function.start, *row[1:]) for row in function.cie.rows]
    return sorted((f for f in functions if f.end > f.start), key=lambda f: f.start)


def dump(program, path):
    rows = []
    for line in lines_of(program, path):
        word = line.split()
        if word[0] == "row":
            rows.append((int(word[1], 16), *word[2:6], set(word[6:])))
    return rows


@functools.lru_cache(maxsize=None)
def in_readelfs_words(kind, cfa, fp, ra, registers):
    """CFA, fp, ra as readelf prints them"""
    for name, register in zip(("sp", "fp", "extra", "kept"), registers):
        cfa = re.sub(rf"^{name}(?=[-+])", register, cfa)
    cfa = "exp" if kind in ("at", "plt") else cfa
    words = {"-": "u"}
    ra = "r5" if ra == "-" and registers[0] == "rsp" else ra
    fp = words.get(fp, fp.replace("cfa", "c") if fp.startswith("cfa") else "exp")
    fp = "u" if kind == "plt" else fp
    if ra != "r5":
        ra = words.get(ra, ra.replace("cfa", "c") if ra.startswith("cfa") else "exp")
    return cfa, fp, ra


def plain(register_word):
    return "u" if register_word == "s" else register_word


def same_kept(theirs, ours):
    """Of the kept register: rules can say less, but not another thing."""
    said = {word for word in ours if word.startswith("kept")}
    if plain(theirs) == "u":
        return said == {"kept"}
    near = re.match(r"c(-\d+|\+[1-9]\d*)$", theirs)
    if near and -1024 < int(near[1]) < 1024:
        return said == {"kept:cfa" + near[1]}
    return not said


def class_of(theirs, ours, vaddr, entry, registers, follows_kept):
    """What the comparison of one row comes to: 'same', another class, or 'DIFFERENT'."""
    _, cfa, fp, ra, kept = theirs
    if ours[1] == "end":
        return "same" if ra == "u" else "entry" if vaddr >= entry > 0 else "DIFFERENT"
    if ours[1] == "unsupported":
        known = re.match(r"(\w+)[-+]", cfa)
        if cfa == "exp" or plain(fp) == "exp":
            return "unsupported expression"
        if not known or known[1] not in registers:
            return "CFA by another register"
        if re.match("r[0-9]", ra):
            return "return address in a register"
        return "fp in another place" if not re.match(r"(c[-+]|u$)", plain(fp)) else "DIFFERENT"
    if (cfa, plain(fp), plain(ra)) != in_readelfs_words(*ours[1:5], registers):
        return "DIFFERENT"
    if follows_kept and not same_kept(kept, ours[5]):
        return "DIFFERENT"
    return "same" if "exp" not in (cfa, fp) else "expression"


def compare(program, path):
    header = "\n".join(lines_of("readelf", "-hW", path))
    entry = int(re.search(r"Entry point address: +0x([0-9a-f]+)", header)[1], 16)
    machine = next((m for m in REGISTERS if m in header), None)
    if not machine:
        return collections.Counter(), []
    registers = REGISTERS[machine]
    functions, rows = readelf_functions(path, registers[1], registers[3]), dump(program, path)
    follows_kept = any(row[2].lstrip("*").startswith("kept") for row in rows)
    starts, addresses = [f.start for f in functions], [row[0] for row in rows]
    counts, bad, known, inits = collections.Counter(), [], set(), made_bounds(path, machine)

    def rule_at(vaddr):
        return rows[bisect.bisect(addresses, vaddr) - 1]

    for i, function in enumerate(functions):
        known.update((function.start, function.end))
        following = starts[i + 1] if i + 1 < len(starts) else 1 << 64
        for k, row in enumerate(function.rows):
            later = function.rows[k + 1][0] if k + 1 < len(function.rows) else function.end
            if later <= row[0] or row[0] >= function.end:
                continue            # readelf prints what nothing executes
            known.add(row[0])
            if row[0] >= following:
                counts["overlapped"] += 1
                continue
            kind = class_of(row, rule_at(row[0]), row[0], entry, registers, follows_kept)
            counts[kind] += 1
            if kind == "DIFFERENT":
                bad.append(f"{row[0]:x}: readelf {row[1:]}, ours {rule_at(row[0])[1:]}")
        behind = rule_at(function.end)
        begins = [vaddr for vaddr in (entry, *(at for at, _ in inits)) if vaddr > function.end]
        gap_end = min([following, *begins])
        is_aligned = gap_end - function.end < ALIGNMENT and gap_end % ALIGNMENT == 0
        between = "padding" if is_aligned else "gap"
        if "clones" in behind[5] and following - function.end in (10, 14):
            counts["made from clone()"] += rule_at(following)[1] == "end"
        elif (function.end < following and behind[1] != between and
                function.end not in (entry, *(start for start, _ in inits))):
            bad.append(f"{function.end:x}: no {between} behind a function")
    more = [vaddr for vaddr in addresses if vaddr not in known and
            vaddr not in (entry, entry + 64)]
    made = {vaddr for vaddr in more for start, end in inits if start <= vaddr <= end}
    counts["made from .init or .plt"] += len(made)
    bad += [f"{vaddr:x}: a row that readelf has not" for vaddr in more if vaddr not in made]
    return counts, bad


def made_bounds(path, machine):
    """What we make rows for without a record: (start, end) of .init and .fini, or of .plt."""
    names = "plt" if machine == "AArch64" else "init|fini"
    found = re.findall(rf"\] \.(?:{names}) +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) ",
                       "\n".join(lines_of("readelf", "-SW", path)))
    return [(int(start, 16), int(start, 16) + int(size, 16)) for start, size in found]


def vdso(folder):
    with open("/proc/self/maps") as maps:
        bounds = [line.split()[0] for line in maps if line.rstrip().endswith("[vdso]")]
    if not bounds:
        return []
    start, end = (int(part, 16) for part in bounds[0].split("-"))
    path = os.path.join(folder, "vdso.so")
    with open("/proc/self/mem", "rb") as memory, open(path, "wb") as copy:
        memory.seek(start)
        copy.write(memory.read(end - start))
    return [path]


def aarch64(folder):
    source, path = os.path.join(folder, "a.c"), os.path.join(folder, "aarch64.so")
    with open(source, "w") as file:
        file.write(AARCH64)
    command = ["clang", "--target=aarch64-linux-gnu", "-O2", "-mbranch-protection=standard",
               "-fasynchronous-unwind-tables", "-fPIC", "-nostdlib", "-shared", "-fuse-ld=lld",
               "-Wl,--unresolved-symbols=ignore-all", "-o", path, source]
    made = shutil.which("clang") and subprocess.run(command, capture_output=True).returncode == 0
    return [path] if made else []


def is_elf(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def some_files(count):
    libraries = os.path.dirname(next(iter(glob.glob("/lib/*/libc.so.6")), "/lib/x"))
    paths = [path for pattern in ("/usr/bin/*", "/usr/sbin/*", libraries + "/*.so*",
                                  libraries + "/*/*.so")
             for path in sorted(glob.glob(pattern))
             if not os.path.islink(path) and os.path.getsize(path) <= SIZE_MAX and is_elf(path)]
    return paths[:: max(1, len(paths) // count)] if count else []


def main():
    program, count, named = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if not shutil.which("readelf"):
        print("skipped: no readelf")
        return 77
    total, differences, files = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        named = [found for pattern in named for found in glob.glob(pattern)]
        paths = [*vdso(folder), *aarch64(folder), *named, *some_files(count)]
        for path in paths:
            counts, bad = compare(program, path)
            total.update(counts)
            files += bool(counts)
            differences += len(bad)
            for line in bad[:5]:
                print(f"{path}: {line}")
    print(f"{files} files, {differences} differences;",
          ", ".join(f"{count} {kind}" for kind, count in total.most_common()))
    return 1 if differences or not files else 0


if __name__ == "__main__":
    sys.exit(main())
