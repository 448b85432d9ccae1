#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Source lines and inline chains of compiled programs, against addr2line and eu-addr2line.

usage: test_lines.py DUMP_LINES
       test_lines.py DUMP_LINES FILE...    compares on 1,000 addresses of each file, and reports

A program of two units with inlined functions of several depths is built in the ways that
compilers offer.  Split units are compared with llvm-symbolizer, or with the same program not
split: the other two do not follow them everywhere.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

DUMP = sys.argv[1]

MAIN = """
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
#include "shape.h"
namespace deep {
template <class T> struct box {
    T value;
    __attribute__((always_inline)) inline T twice() const { return once() + once(); }
    __attribute__((always_inline)) inline T once() const { return value * 3; }
};
struct local { int n; int run() { struct in { static __attribute__((noinline)) int f(int x)
    { return x * 7 + (int)std::to_string(x).size(); } }; return in::f(n); } };
}
static std::map<std::string, int> words;
__attribute__((noinline)) int count(const std::vector<std::string> &all)
{
    for (const auto &word : all)
        words[word] += (int)word.size();
    std::vector<int> sizes;
    for (const auto &entry : words)
        sizes.push_back(entry.second);
    std::sort(sizes.begin(), sizes.end(), [](int a, int b) { return a > b; });
    return sizes.empty() ? 0 : sizes[0];
}
int main(int argc, char **argv)
{
    std::vector<std::string> all(argv, argv + argc);
    deep::box<int> box{argc};
    deep::local local{argc};
    int total = count(all) + box.twice() + area(argc) + local.run() + plain(argc);
    std::printf("%d\\n", total);
    return total == 0;
}
"""
OTHER = """
#include "shape.h"
static volatile int sink;
static inline int inner(int n) { for (int i = 0; i < n; i++) sink += i * n; return sink; }
static inline int middle(int n) { return inner(n) + inner(n + 1) * 2; }
int area(int n) { if (__builtin_expect(n > 1000, 0)) return middle(n * 3);
    return middle(n) + inner(7); }
"""
PLAIN = """
static volatile int kept;
static inline int step(int n) { return kept += n; }
__attribute__((noinline)) static int walk(int n) { while (n-- > 0) step(n); return kept; }
int plain(int n)
{
    int nested(int m) { return walk(m + n) + step(m); }
    return nested(n) + walk(n);
}
"""
HEADER = """
#ifdef __cplusplus
extern "C" int plain(int);
#endif
int area(int);
"""


def run(*command, **kw):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True,
                          **kw).stdout


def tidy(path):
    """The same path without what readers disagree about."""
    return "?" if path in ("??", "?", "") else os.path.normpath(path)


def frames_of(lines):
    """Pairs of lines, name and path:line, as both addr2lines print them."""
    chain = []
    for name, place in zip(lines[::2], lines[1::2]):
        place = re.sub(r" \(.*\)$", "", place)
        path, _, number = place.rpartition(":")
        path, _, maybe = (path.rpartition(":") if re.fullmatch(r".*:\d+", path) else (path, "", ""))
        number = maybe or number
        if number in ("0", "?", "") and not path.startswith("/"):
            path = "?"      # the file symbol before it, which is no debug information
        chain.append((name.split(" inlined at ")[0], tidy(path),
                      int(number) if number.isdigit() else 0))
    return chain


def by_address(text):
    """{vaddr: [line, ...]} of output with -a."""
    found, lines = {}, []
    for line in text.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            lines = found.setdefault(int(line, 16), [])
        else:
            lines.append(line)
    return found


def addr2line(path, vaddrs):
    text = run("addr2line", "-a", "-f", "-i", "-e", path, input="".join(f"{v:x}\n" for v in vaddrs))
    return {v: frames_of(lines) for v, lines in by_address(text).items()}


def eu_addr2line(path, vaddrs, *options):
    text = run("eu-addr2line", "-a", "-f", "-i", *options, "-e", path,
               input="".join(f"0x{v:x}\n" for v in vaddrs))
    return {v: frames_of(lines) for v, lines in by_address(text).items()}


def llvm_symbolizer(path, vaddrs):
    text = run("llvm-symbolizer", "--no-demangle", "--output-style=GNU", "-a", "-e", path,
               input="".join(f"0x{v:x}\n" for v in vaddrs))
    return {v: frames_of(lines) for v, lines in by_address(text).items()}


def ours(path, vaddrs, *debug_dir):
    text = run(DUMP, path, *debug_dir, input="".join(f"{v:x}\n" for v in vaddrs))
    first = re.search("^0x", text, re.M).start()
    return ({v: frames_of(lines) for v, lines in by_address(text[first:]).items()},
            text[:first].splitlines())


def text_addresses(path, wanted=1000):
    """Addresses of .text, spread evenly and then a little at random."""
    sections = run("readelf", "-SW", path)
    match = re.search(r" \.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", sections)
    start, size = int(match[1], 16), int(match[2], 16)
    pick = random.Random(1)
    return sorted({start + pick.randrange(size) for _ in range(wanted)})


def places(chain):
    return [frame[1:] for frame in chain]


def is_known(chain):
    return any(frame[1] != "?" for frame in chain)


def differences(path, vaddrs, theirs, mine):
    """Chains that differ, of addresses for which either knows a line."""
    return [(hex(v), theirs.get(v, []), mine.get(v, [])) for v in vaddrs
            if (is_known(theirs.get(v, [])) or is_known(mine.get(v, [])))
            and places(theirs.get(v, [])) != places(mine.get(v, []))]


class Lines(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)
        self.dir = pathlib.Path(self.temp.name)
        for name, text in (("main.cc", MAIN), ("other.c", OTHER), ("plain.c", PLAIN),
                           ("shape.h", HEADER)):
            (self.dir / name).write_text(text)
        run("sed", "-i", 's/^int area/extern "C" int area/;', self.dir / "main.cc")
        header = HEADER.replace("int area(int);", "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
                                "int area(int);")
        (self.dir / "shape.h").write_text(header)

    def build(self, name, *options, cc="gcc", cxx="g++", link=()):
        """Only gcc knows the nested functions of plain.c, and llvm-dwp does not know its .dwo."""
        out = self.dir / name
        objects = []
        gcc_options = [o for o in options if cc == "gcc" or not o.startswith("-gsplit-dwarf")]
        for source, compiler, words in (("main.cc", cxx, options), ("other.c", cc, options),
                                        ("plain.c", "gcc", gcc_options)):
            objects.append(self.dir / f"{name}-{source}.o")
            run(compiler, "-O2", "-g", *words, "-c", "-o", objects[-1], source, cwd=self.dir)
        run(cxx, *options, *link, "-Wl,--build-id", "-o", out, *objects, cwd=self.dir)
        return out

    def check(self, path, oracle, least_known=300, least_deep=15, debug_dir=()):
        vaddrs = text_addresses(path)
        mine, other = ours(path, vaddrs, *debug_dir)
        theirs = oracle(path, vaddrs)
        self.assertEqual(other, [])
        self.assertGreater(sum(is_known(c) for c in mine.values()), least_known)
        self.assertGreater(sum(len(c) > 2 for c in mine.values()), least_deep - 1)
        self.assertEqual(differences(path, vaddrs, theirs, mine)[:3], [])

    def check_both(self, path, least_known=300, least_deep=15):
        """Every address has to agree with one of the two.

        eu-addr2line 0.188 lists inlined neighbours whose ranges overlap as if one were in the
        other, and lines of padding behind a function; addr2line 2.40 gets some files wrong, but
        not the line numbers.
        """
        vaddrs = text_addresses(path)
        mine, other = ours(path, vaddrs)
        theirs = addr2line(path, vaddrs)
        self.assertEqual(other, [])
        self.assertGreater(sum(map(is_known, mine.values())), least_known)
        self.assertGreater(sum(len(c) > 2 for c in mine.values()), least_deep - 1)
        for vaddr, eu_chain, chain in differences(path, vaddrs, eu_addr2line(path, vaddrs), mine):
            known = [f[2] for f in theirs[int(vaddr, 16)]] if is_known(theirs[int(vaddr, 16)]) else []
            self.assertEqual(known, [f[2] for f in chain], (vaddr, eu_chain, chain))
        for vaddr in filter(lambda v: is_known(mine[v]), vaddrs):
            outermost = theirs[vaddr][-1][0]    # may be its symbol's name: "main.cold"
            for my_frame, their_frame in zip(mine[vaddr][:-1], theirs[vaddr]):
                self.assertIn(their_frame[0].split("<")[0],
                              (my_frame[0].split("<")[0], outermost.split("<")[0]), hex(vaddr))

    def test_versions_of_gcc(self):
        for version in ("2", "4", "5"):
            with self.subTest(version):
                self.check_both(self.build(f"v{version}", f"-gdwarf-{version}"))

    def test_64_bit_dwarf(self):
        """Which addr2line of binutils 2.40 does not understand."""
        narrow = self.build("narrow", "-gdwarf-5")
        self.check(self.build("wide", "-gdwarf-5", "-gdwarf64"), self.same_as(narrow))

    def test_no_optimisation(self):
        self.check_both(self.build("o0", "-O0", "-gdwarf-5"), least_deep=0)

    def test_sections_of_functions(self):
        self.check_both(self.build("gc", "-ffunction-sections", link=["-Wl,--gc-sections"]))

    def test_compressed(self):
        """eu-addr2line 0.188 reads no zstd, addr2line 2.40 not all of zlib-gnu."""
        plain = self.build("plain", "-gz=none")
        for how in ("zlib", "zlib-gnu", "zstd"):
            with self.subTest(how):
                path = self.dir / f"gz-{how}"
                run("objcopy", f"--compress-debug-sections={how}", plain, path)
                self.check(path, self.same_as(plain))

    def test_link_time_optimisation(self):
        self.check_both(self.build("lto", "-flto"))

    @unittest.skipUnless(shutil.which("llvm-symbolizer") and shutil.which("clang++"), "no llvm")
    def test_clang(self):
        """Its DWARF 5 is too new for the other two: no inlined functions, no lines at all."""
        for version in ("4", "5"):
            with self.subTest(version):
                self.check(self.build(f"clang{version}", f"-gdwarf-{version}", cc="clang",
                                      cxx="clang++"), llvm_symbolizer)

    def split(self, version, cc="gcc", cxx="g++"):
        """The program with and without its tree in other files: the same code."""
        options = ("-gdwarf-" + version,)
        whole = self.build("whole" + version, *options, cc=cc, cxx=cxx)
        split = self.build("split" + version, *options, "-gsplit-dwarf", cc=cc, cxx=cxx)
        return whole, split

    def same_as(self, whole):
        return lambda _, vaddrs: ours(whole, vaddrs)[0]

    def test_split(self):
        for version in ("4", "5"):
            with self.subTest(version):
                whole, split = self.split(version)
                self.check(split, self.same_as(whole))

    @unittest.skipUnless(shutil.which("clang++"), "no clang")
    def test_split_by_llvm(self):
        for version in ("4", "5"):
            with self.subTest(version):
                whole, split = self.split(version, "clang", "clang++")
                self.check(split, self.same_as(whole))

    @unittest.skipUnless(shutil.which("clang++"), "no clang")
    def test_split_within_the_object(self):
        """What is split stays in the .o, which has plain sections of the same names as well."""
        for version in ("4", "5"):
            with self.subTest(version):
                options = ("-gdwarf-" + version,)
                whole = self.build("one" + version, *options, cc="clang", cxx="clang++")
                split = self.build("single" + version, *options, "-gsplit-dwarf=single",
                                   cc="clang", cxx="clang++")
                self.assertEqual(list(self.dir.glob("*.dwo")), [])
                self.check(split, self.same_as(whole))

    @unittest.skipUnless(shutil.which("dwp"), "no dwp")
    def test_packed(self):
        self.check_packed("4", "dwp", "gcc", "g++")

    @unittest.skipUnless(shutil.which("llvm-dwp") and shutil.which("clang++"), "no llvm")
    def test_packed_by_llvm(self):
        """Of what gcc 12 makes of DWARF 5, llvm-dwp 14 never comes to an end."""
        self.check_packed("5", "llvm-dwp", "clang", "clang++")

    def check_packed(self, version, tool, cc, cxx):
        whole, split = self.split(version, cc, cxx)
        run(tool, "-e", split, "-o", f"{split}.dwp", cwd=self.dir)
        for dwo in self.dir.glob("*.dwo"):
            dwo.unlink()
        self.check(split, self.same_as(whole))

    @unittest.skipUnless(shutil.which("dwp"), "no dwp")
    def test_a_packed_unit_with_impossible_addresses(self):
        """The index leads to it, past the check of all units."""
        _, split = self.split("4")
        run("dwp", "-e", split, "-o", f"{split}.dwp", cwd=self.dir)
        for dwo in self.dir.glob("*.dwo"):
            dwo.unlink()
        packed = bytearray(pathlib.Path(f"{split}.dwp").read_bytes())
        match = re.search(r" \.debug_info\.dwo +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)",
                          run("readelf", "-SW", f"{split}.dwp"))
        at, size = int(match[1], 16), int(match[2], 16)
        end = at + size
        while at < end:
            packed[at + 10] = 16
            at += 4 + int.from_bytes(packed[at:at + 4], "little")
        pathlib.Path(f"{split}.dwp").write_bytes(packed)
        mine, other = ours(split, text_addresses(split))
        self.assertEqual(other, ["health damaged=3 missing=0 shared=0 exhausted=0"])
        self.assertEqual(max(len(c) for c in mine.values()), 1)

    def test_a_missing_dwo_leaves_the_lines(self):
        _, split = self.split("5")
        vaddrs = text_addresses(split)
        for dwo in self.dir.glob("*.dwo"):
            dwo.unlink()
        mine, other = ours(split, vaddrs)
        self.assertEqual(other, ["health damaged=0 missing=3 shared=0 exhausted=0"])
        self.assertGreater(sum(is_known(c) for c in mine.values()), 200)
        self.assertEqual(max(len(c) for c in mine.values()), 1)

    @unittest.skipUnless(shutil.which("dwz"), "no dwz")
    def test_shared_by_dwz(self):
        first = self.build("first", "-gdwarf-4")
        second = self.build("second", "-gdwarf-4", "-DSECOND")
        vaddrs = text_addresses(first)
        before, _ = ours(first, vaddrs)
        run("dwz", "-m", "shared.debug", "first", "second", cwd=self.dir)
        self.assertIn(".gnu_debugaltlink", run("readelf", "-SW", first))
        after, other = ours(first, vaddrs)
        self.assertEqual((after, other), (before, []))
        self.check_both(second)
        (self.dir / "shared.debug").unlink()
        _, other = ours(first, vaddrs)
        self.assertEqual(other, ["health damaged=0 missing=0 shared=1 exhausted=0"])

    def test_separate_debug_file(self):
        full = self.build("full")
        vaddrs = text_addresses(full)
        before, _ = ours(full, vaddrs)
        build_id = run("readelf", "-n", full).split("Build ID: ")[1].split()[0]
        debug = self.dir / "debug/.build-id" / build_id[:2] / (build_id[2:] + ".debug")
        debug.parent.mkdir(parents=True)
        run("objcopy", "--only-keep-debug", full, debug)
        run("strip", full)
        self.assertEqual(ours(full, vaddrs, self.dir / "debug"), (before, []))
        self.assertEqual(ours(full, vaddrs)[1], ["failed No such file or directory"])

    def test_a_cut_file_loses_what_is_cut(self):
        path = self.build("cut", "-gdwarf-5")
        vaddrs = text_addresses(path)
        before, _ = ours(path, vaddrs)
        run("objcopy", "--dump-section", f".debug_line={self.dir}/line", path)
        line = (self.dir / "line").read_bytes()
        (self.dir / "line").write_bytes(line[:-100])
        run("objcopy", "--update-section", f".debug_line={self.dir}/line", path)
        after, other = ours(path, vaddrs)
        self.assertTrue(any(o.startswith("health damaged=") for o in other), other)
        self.assertTrue(any(is_known(c) and c == before[v] for v, c in after.items()))


def report(paths):
    for path in paths:
        vaddrs = text_addresses(path)
        mine, other = ours(path, vaddrs)
        for name, oracle in (("addr2line", addr2line), ("eu-addr2line", eu_addr2line)):
            theirs = oracle(path, vaddrs)
            differ = differences(path, vaddrs, theirs, mine)
            print(f"{path}: {len(vaddrs)} addresses, {sum(map(is_known, mine.values()))} with a "
                  f"line, deepest chain {max(map(len, mine.values()))}; {len(differ)} differ from "
                  f"{name}", *other)
            for vaddr, their_chain, my_chain in differ[:5]:
                print(f"  {vaddr}\n    {their_chain}\n    {my_chain}")


if __name__ == "__main__":
    if len(sys.argv) > 2 and os.path.exists(sys.argv[2]):
        report(sys.argv[2:])
    else:
        unittest.main(argv=sys.argv[:1] + sys.argv[2:])
