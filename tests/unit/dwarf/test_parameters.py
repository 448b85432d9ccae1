#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Parameters of compiled functions, and the registers in which the ABI passes them.

usage: test_parameters.py DUMP_PARAMETERS
"""
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

DUMP = sys.argv[1]

C_PROGRAM = """
#include <stddef.h>
#include <stdint.h>
#ifdef __clang__
#define KEEP __attribute__((noinline, used))
#else
#define KEEP __attribute__((noinline, noclone, used))
#endif
struct small { int a, b; };
struct large { long at[4]; };
enum color { RED, GREEN };
typedef uint16_t port_t;
static volatile long sink;
static inline __attribute__((always_inline)) long first(long inlined) { return sink += inlined; }
KEEP void simple(int fd, const char *path, size_t bytes, signed char step, _Bool on, port_t port)
{ sink += fd + *path + (long)bytes + step + on + port; }
KEEP void seven(int a, int b, int c, int d, int e, int f, int seventh, int eighth, int ninth)
{ sink += a + b + c + d + e + f + seventh + eighth + ninth; }
KEEP long mixed(double ratio, long count, float part, enum color color, long double wide, int last)
{ return (long)(ratio + part + (float)wide) + count + color + last; }
KEEP void after_small(long before, struct small pair, long after) { sink += before + pair.a + after; }
KEEP void after_large(long before, struct large many, long after)
{ sink += before + many.at[0] + after; }
KEEP struct large returns_large(int key) { return (struct large){ { key } }; }
KEEP struct small returns_small(int key) { return (struct small){ key, 1 }; }
KEEP void variable(const char *format, ...) { sink += *format; }
KEEP void nothing(void) { sink++; }
KEEP long inlines(long outer) { return first(outer + 1) + first(outer); }
KEEP void unused(int never, int used) { sink += used; }
KEEP void wide_number(__int128 wide, long after) { sink += (long)wide + after; }
int main(int argc, char **argv)
{
    simple(argc, argv[0], 1, 2, 1, 4);
    seven(1, 2, 3, 4, 5, 6, 7, 8, 9);
    sink += mixed(1, 2, 3, GREEN, 5, argc);
    after_small(1, (struct small){ 2, 3 }, 4);
    after_large(1, (struct large){ { 2 } }, 4);
    sink += returns_large(argc).at[0] + returns_small(argc).a;
    variable("%d", 1);
    nothing();
    unused(argc, 2);
    wide_number(argc, 2);
    return inlines(argc) == 0;
}
"""

CXX_PROGRAM = """
#include <string>
#define KEEP __attribute__((noinline, used))
static volatile long sink;
struct plain { char at[8]; };
struct owner { long *at; owner() : at(nullptr) {} owner(const owner &o) : at(o.at) {} ~owner() { sink++; } };
enum class level : unsigned char { low, high };
struct counter {
    long total = 0;
    KEEP void add(int step, level at);
    KEEP owner make(long key);
};
void counter::add(int step, level at) { total += step + (long)at; }
owner counter::make(long key) { total += key; return {}; }
template <class T> KEEP T twice(T value, T &&moved) { sink += (long)value; return value + moved; }
KEEP void takes_owner(long before, owner mine, long after) { sink += before + (mine.at != nullptr) + after; }
KEEP plain returns_plain(int key) { sink += key; return {}; }
int main(int argc, char **argv)
{
    counter count;
    count.add(argc, level::high);
    count.make(2);
    owner mine;
    takes_owner(1, mine, 2);
    returns_plain(3);
    return (int)twice<short>((short)argc, 2) == 0;
}
"""

# By function; what differs between x86-64 and arm64 is a pair.
C_WANTED = {
    "simple": "fd=r0:s4 path=r1:u8 bytes=r2:u8 step=r3:s1 on=r4:u1 port=r5:u2",
    "seven": ("a=r0:s4 b=r1:s4 c=r2:s4 d=r3:s4 e=r4:s4 f=r5:s4 seventh=memory eighth=memory "
              "ninth=memory",
              "a=r0:s4 b=r1:s4 c=r2:s4 d=r3:s4 e=r4:s4 f=r5:s4 seventh=r6:s4 eighth=r7:s4 "
              "ninth=memory"),
    "mixed": "ratio=float count=r0:s8 part=float color=r1:u4 wide=float last=r2:s4",
    "after_small": "before=r0:s8 pair=unknown after=unknown",
    "after_large": ("before=r0:s8 many=memory after=r1:s8",
                    "before=r0:s8 many=unknown after=unknown"),
    "returns_large": ("key=r1:s4", "key=r0:s4"),
    "returns_small": "key=r0:s4",
    "variable": "format=r0:u8",
    "nothing": "",
    "inlines": "outer=r0:s8",
    "unused": "never=r0:s4 used=r1:s4",
    "wide_number": "wide=unknown after=unknown",
}
CXX_WANTED = {
    "counter::add": "this=r0:u8 step=r1:s4 at=r2:u1",
    "counter::make": ("this=r1:u8 key=r2:s8", "this=r0:u8 key=r1:s8"),
    "twice<short>": "value=r0:s2 moved=r1:u8",
    "takes_owner": "before=r0:s8 mine=unknown after=r2:s8",
    "returns_plain": "key=r0:s4",
}
# GCC does not say which classes are passed as addresses.
NOT_TOLD_BY_GCC = {
    "counter::make": ("this=unknown key=unknown", "this=r0:u8 key=r1:s8"),
    "takes_owner": "before=r0:s8 mine=unknown after=unknown",
    "returns_plain": ("key=unknown", "key=r0:s4"),
}


def addresses(path):
    """Return {name without parameters: vaddr}."""
    text = subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        words = line.split(maxsplit=2)
        if len(words) == 3 and words[1] in "tTwW":
            found[words[2].split("(")[0].split(" ")[-1]] = words[0]
    return found


class Parameters(unittest.TestCase):
    def compare(self, compiler, source, suffix, options, wanted):
        if not shutil.which(compiler):
            self.skipTest(f"there is no {compiler}")
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / f"program{suffix}"
            path.write_text(source)
            subprocess.run([compiler, *options, "-o", f"{directory}/program", path], check=True)
            places = addresses(f"{directory}/program")
            done = subprocess.run([DUMP, f"{directory}/program",
                                   *(places[name] for name in wanted)],
                                  capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), len(wanted))
        is_arm = platform.machine() == "aarch64"
        for line, (name, text) in zip(lines, wanted.items()):
            expected = text if isinstance(text, str) else text[is_arm]
            with self.subTest(compiler=compiler, options=options, function=name):
                self.assertEqual(line.strip(), expected)

    def test_c(self):
        for compiler in ("gcc", "clang"):
            for options in (["-O0", "-g"], ["-O2", "-g"], ["-O2", "-gdwarf-4"]):
                self.compare(compiler, C_PROGRAM, ".c", options, C_WANTED)

    def test_lto(self):
        self.compare("gcc", C_PROGRAM, ".c", ["-O2", "-g", "-flto"], C_WANTED)

    def test_cxx(self):
        for compiler in ("g++", "clang++"):
            for options in (["-O0", "-g"], ["-O2", "-g"]):
                wanted = {**CXX_WANTED, **(NOT_TOLD_BY_GCC if compiler == "g++" else {})}
                self.compare(compiler, CXX_PROGRAM, ".cc", options, wanted)

    def test_no_debug_information(self):
        self.compare("gcc", C_PROGRAM, ".c", ["-O2"], {"simple": "none"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
