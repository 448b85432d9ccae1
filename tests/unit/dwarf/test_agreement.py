#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines and inline chains of five programs, against three other readers, address by address.

usage: test_agreement.py DUMP_LINES

Wherever another reader says something else, the program's list below says why, in a way that the
test can check of that very address; anything else fails.  Each program has a reader that agrees
on all addresses, but for how a path is written.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import test_lines as lines

READERS = {"addr2line": lines.addr2line, "eu-addr2line": lines.eu_addr2line,
           "llvm-symbolizer": lines.llvm_symbolizer}


# Why another reader differs: of its chain, ours, and the address, whether that is what happened.

def path(theirs, mine, _):
    """The same lines of files called otherwise: addr2line 2.40 takes the outermost file or that
    of the unit ("<artificial>" with -flto) for one of a header; llvm-symbolizer 14 does not find
    the unit's directory in the file that dwz shares, and leaves the name as it is there."""
    return [place[1] for place in theirs] == [place[1] for place in mine]


def innermost(theirs, mine, _):
    """The line alone, without the functions it was inlined into.

    eu-addr2line 0.188 asks libdw's dwarf_getscopes(), which finds no scope at all in two cases:
    where what was inlined has its origin in another unit, as all of it has with -flto, and where
    the function's entry stands inside another one that has no code there (a function of a class
    that is local to a function).  It lists no inlined function of a .dwo.  llvm-symbolizer 14
    finds no ranges of inlined functions in a .dwo whose skeleton has one range itself.
    """
    return len(theirs) == 1 and len(mine) > 1 and theirs == mine[:1]


def neighbour(theirs, mine, _):
    """eu-addr2line 0.188 lists an inlined function as called by its neighbour whose ranges begin
    at the same address, or takes that one's call for its own: begin and end are the same."""
    return len(theirs) > 1 and len(mine) > 1 and theirs[0] == mine[0] and theirs[-1] == mine[-1]


def padding(theirs, mine, vaddr):
    """The line before it, of what fills the gap between two functions: no code of either."""
    return len(theirs) == 1 and not mine and vaddr.is_gap


def nothing(theirs, mine, _):
    """addr2line 2.40 reads no .dwo of DWARF 5."""
    return theirs in ([], [("?", 0)])


WHY = {
    "c": {},
    "c++": {"addr2line": [path], "eu-addr2line": [innermost, neighbour, padding]},
    "lto": {"addr2line": [path], "eu-addr2line": [innermost]},
    "dwz": {"eu-addr2line": [innermost, neighbour, padding], "llvm-symbolizer": [path]},
    "split": {"addr2line": [nothing], "eu-addr2line": [innermost, padding],
              "llvm-symbolizer": [innermost]},
}


class Vaddr(int):
    is_gap = False


class Agreement(lines.Lines):
    """Its sources and its ways to build them, once for all programs."""
    @classmethod
    def setUpClass(cls):
        missing = [name for name in (*READERS, "dwz") if not shutil.which(name)]
        if missing:
            raise unittest.SkipTest("no " + ", ".join(missing))

    def build_all(self):
        (self.dir / "small.c").write_text('#include "shape.h"\nint plain(int);\n'
                                          "int main(int n, char **v) { return area(n) + plain(n); }\n")
        objects = []
        for source in ("small.c", "other.c", "plain.c"):
            objects.append(self.dir / f"{source}.small.o")
            lines.run("gcc", "-O2", "-g", "-c", "-o", objects[-1], source, cwd=self.dir)
        lines.run("gcc", "-o", self.dir / "c", *objects)
        shared = [self.build("dwz", "-gdwarf-4"), self.build("other", "-gdwarf-4", "-DOTHER")]
        lines.run("dwz", "-m", "shared.debug", *(path.name for path in shared), cwd=self.dir)
        return {"c": self.dir / "c", "c++": self.build("c++", "-gdwarf-5"),
                "lto": self.build("lto", "-flto"), "dwz": shared[0],
                "split": self.build("split", "-gdwarf-5", "-gsplit-dwarf")}

    def gaps(self, path, vaddrs):
        """Addresses that no function of the symbol table covers."""
        bounds = []
        for line in lines.run("nm", "-S", "--defined-only", path).splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "tTwWiVv":
                bounds.append((int(words[0], 16), int(words[0], 16) + int(words[1], 16)))
        for vaddr in vaddrs:
            vaddr.is_gap = not any(low <= vaddr < high for low, high in bounds)

    def compare(self, program, path):
        vaddrs = [Vaddr(vaddr) for vaddr in lines.text_addresses(path)]
        self.gaps(path, vaddrs)
        mine, other = lines.ours(path, vaddrs)
        self.assertEqual(other, [])
        self.assertGreater(sum(map(lines.is_known, mine.values())), 300)
        exact = []
        for name, reader in READERS.items():
            theirs, explained, unexplained = reader(path, vaddrs), {}, []
            for vaddr in vaddrs:
                known = lines.is_known(mine[vaddr]) or lines.is_known(theirs.get(vaddr, []))
                chains = [lines.places(chain) if lines.is_known(chain) else []
                          for chain in (theirs.get(vaddr, []), mine[vaddr])]
                if not known or chains[0] == chains[1]:
                    continue
                why = next((why for why in WHY[program].get(name, ())
                            if why(chains[0], chains[1], vaddr)), None)
                if why:
                    explained[why.__name__] = explained.get(why.__name__, 0) + 1
                else:
                    unexplained.append((hex(vaddr), chains))
            said = ", ".join(f"{count} {why}" for why, count in explained.items())
            print(f"{program}: {len(vaddrs)} addresses, {name} {said or 'agrees'}", flush=True)
            self.assertEqual(unexplained[:3], [], (program, name))
            if set(explained) <= {"path"}:
                exact.append(name)
        return exact, mine

    def test_all(self):
        programs, chains = self.build_all(), {}
        for program, path in programs.items():
            with self.subTest(program):
                exact, chains[program] = self.compare(program, path)
                # No reader here follows all of a .dwo; the same code that is not split does.
                self.assertTrue(exact or program == "split", program)
        self.assertEqual([lines.places(chain) for chain in chains["split"].values()],
                         [lines.places(chain) for chain in chains["c++"].values()])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + ["Agreement.test_all"] + sys.argv[2:])
