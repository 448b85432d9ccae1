#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of real compiled files against what nm and addr2line say of them.

usage: test_oracle.py DUMP_NAMES COMPILER
"""
import pathlib, subprocess, sys, tempfile, unittest

DUMP, CC = sys.argv[1], sys.argv[2:]

PROGRAM = """
#include <stdio.h>
volatile int sink;
#define F(storage, name) __attribute__((noinline, noclone)) storage int name(int n) \\
	{ for (int i = 0; i < n; i++) sink += i * __LINE__; return sink; }
F(, first)
F(static, hidden_a)
F(static, hidden_b)
F(, second)
F(static, hidden_c)
F(, third)
int callers(int n) { return hidden_a(n) + hidden_b(n) + hidden_c(n) + (int)puts("x"); }
"""
CPP_NAMES = """
namespace space { struct thing { int run(int n); static int walk(const char *p); }; }
volatile int sink;
int space::thing::run(int n) { return sink += n; }
int space::thing::walk(const char *p) { return sink += *p; }
"""


def run(*command, **kw):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True,
                          **kw).stdout


def nm(path, *options):
    """[(vaddr, size, type, name)] of the functions in .text, by address."""
    rows = (line.split(None, 3) for line in run("nm", "-S", *options, path).splitlines())
    return sorted((int(r[0], 16), int(r[1], 16), r[2], r[3].split("@")[0])
                  for r in rows if len(r) == 4 and r[2] in "tTwW")


class Named:
    def __init__(self, recorded, path, vaddrs, *debug_dir):
        text = run(DUMP, recorded, path, *debug_dir, input="".join(f"{v:x}\n" for v in vaddrs))
        self.at, self.between, self.losses = {}, {}, {}
        for line in text.splitlines():
            if line.startswith("loss "):
                self.losses[line.split()[1]] = int(line.split()[2])
                continue
            line, before, after = line.split("\t")
            vaddr, quality, start, size, name = line.split(" ", 4)
            self.between[int(vaddr, 16)] = (before, after)
            self.at[int(vaddr, 16)] = (quality, int(start, 16), int(size, 16), name)


class Names(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)
        self.dir = pathlib.Path(self.temp.name)
        self.full = self.build("libfull.so")

    def build(self, name, *options, text=PROGRAM, language="c"):
        out = self.dir / name
        run(*CC, "-x", language, "-O1", "-g", "-fPIC", "-shared", "-Wl,--build-id",
            "-fasynchronous-unwind-tables", "-fno-toplevel-reorder", *options, "-o", out, "-",
            input=text)
        return out

    def strip(self, name, *options):
        out = self.dir / name
        run("strip", *options, "-o", out, self.full)
        return out

    def functions(self):
        return [f for f in nm(self.full) if f[3] in ("first", "second", "third", "callers")
                or f[3].startswith("hidden")]

    def test_symtab_agrees_with_addr2line(self):
        vaddrs = [v for start, size, _, _ in self.functions() for v in range(start, start + size)]
        named = Named(self.full, self.full, vaddrs)
        said = run("addr2line", "-f", "-e", self.full, *[hex(v) for v in vaddrs]).splitlines()[::2]
        self.assertGreater(len(vaddrs), 100)
        for vaddr, name in zip(vaddrs, said):
            self.assertEqual(named.at[vaddr][3], name)
            self.assertEqual(named.at[vaddr][0], "symtab")

    def test_bounds_agree_with_nm(self):
        functions = self.functions()
        named = Named(self.full, self.full, [f[0] + 1 for f in functions])
        for start, size, _, name in functions:
            self.assertEqual(named.at[start + 1], ("symtab", start, size, name))

    def neighbours(self, stripped, vaddr):
        exported = nm(stripped, "-D", "--defined-only")
        before = [f[3] for f in exported if f[0] <= vaddr]
        after = [f[3] for f in exported if f[0] > vaddr]
        return ([""] + before)[-1], (after or [""])[0]

    def test_stripped_code_is_between_its_neighbours(self):
        stripped = self.strip("libstripped.so", "--strip-all")
        functions = self.functions()
        named = Named(stripped, stripped, [f[0] + 1 for f in functions])
        for start, size, kind, name in functions:
            quality, got_start, got_size, got = named.at[start + 1]
            self.assertEqual((got_start, got_size), (start, size), name)
            if kind == "T":
                self.assertEqual((quality, got), ("dynsym", name))
            else:
                self.assertEqual((quality, got), ("bracket", f"fn_{start:x}"))
                self.assertEqual(named.between[start + 1], self.neighbours(stripped, start))
        self.assertEqual(len({named.at[f[0] + 1][3] for f in functions}), len(functions))

    def test_without_unwind_tables_a_bracket_holds_several(self):
        lib = self.build("libplain.so", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
                         "-s")
        functions = [f for f in nm(lib, "-D", "--defined-only") if f[3] in ("first", "second")]
        (first, size, _, _), (second, _, _, _) = functions
        named = Named(lib, lib, [first + size, second - 1])
        self.assertEqual(named.at[first + size][3], f"gap_{first + size:x}")
        self.assertEqual(named.between[first + size], ("first", "second"))
        self.assertEqual(named.at[first + size], named.at[second - 1])
        self.assertEqual(named.at[second - 1][0], "bracket")

    def check_all_named(self, named):
        for start, size, _, name in self.functions():
            self.assertEqual(named.at[start + 1], ("symtab", start, size, name))

    def test_debug_file_by_debuglink(self):
        run("objcopy", "--only-keep-debug", self.full, self.dir / "lib.debug")
        stripped = self.strip("liblink.so", "--strip-all")
        run("objcopy", "--add-gnu-debuglink=lib.debug", stripped, cwd=self.dir)
        self.check_all_named(Named(stripped, stripped, [f[0] + 1 for f in self.functions()]))

    def test_debug_file_by_build_id(self):
        stripped = self.strip("libid.so", "--strip-all")
        notes = run("readelf", "-n", stripped)
        build_id = notes.split("Build ID: ")[1].split()[0]
        debug = self.dir / "debug" / ".build-id" / build_id[:2] / (build_id[2:] + ".debug")
        debug.parent.mkdir(parents=True)
        run("objcopy", "--only-keep-debug", self.full, debug)
        vaddrs = [f[0] + 1 for f in self.functions()]
        self.check_all_named(Named(stripped, stripped, vaddrs, self.dir / "debug"))

    def test_a_replaced_file_gives_no_names(self):
        other = self.build("libother.so", text=PROGRAM.replace("third", "fourth"))
        vaddrs = [f[0] + 1 for f in self.functions()]
        named = Named(self.full, other, vaddrs)
        self.assertEqual({named.at[v] for v in vaddrs}, {("none", 0, 0, "[libother.so]")})
        self.assertEqual(named.losses, {"image-replaced": 1})

    def test_cpp_names_agree_with_cppfilt(self):
        lib = self.build("libcpp.so", text=CPP_NAMES, language="c++")
        functions = [f for f in nm(lib) if "thing" in f[3]]
        named = Named(lib, lib, [f[0] for f in functions])
        self.assertEqual(len(functions), 2)
        for start, _, _, name in functions:
            self.assertEqual(named.at[start][3], run("c++filt", "--no-params", name).strip())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
