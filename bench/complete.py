# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure how many stacks are whole, by program and by unwinding method.

The programs are compiled as distributions compile them.
"""
import collections
import csv
import glob
import io
import shutil
import subprocess
import time

RATE = 499
PERF_TRIES = 3
QUIET_S = 60
# The outermost function of a whole stack, or, if the program has no symbols, the function that the
# outermost one calls. The kernel enters a program in the dynamic linker; there, constructors are
# called from _dl_start_user.
ROOTS = ("_start", "_dl_start_user", "__libc_start_main", "__libc_start_main_impl",
         "__libc_start_main@@GLIBC_2.34", "clone", "__clone", "clone3", "__clone3", "start_thread", "runtime.goexit",
         "runtime.goexit.abi0", "runtime.mstart", "runtime.mstart.abi0", "runtime.rt0_go",
         "runtime.rt0_go.abi0", "_rt0_amd64_linux")
PERF_WAYS = ("fp", "dwarf,16384", "dwarf,65528")
GO = """package main

import ("fmt"; "sort"; "strings")

func depth(n int) int { if n == 0 { return work() }; return depth(n-1) + 1 }
func work() int {
	m := map[string]int{}
	for i := 0; i < 2000; i++ { m[fmt.Sprint("key", i%500)] += i }
	names := []string{}
	for k := range m { names = append(names, k) }
	sort.Strings(names)
	return len(strings.Join(names, ","))
}
func main() {
	done := make(chan int)
	for { for i := 0; i < 4; i++ { go func(n int) { done <- depth(n * 10) }(i) }
	for i := 0; i < 4; i++ { <-done } }
}
"""
PYTHON = ("import json, re\n"
          "def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\n"
          "while True: f(18); json.loads(json.dumps([{'a': list(range(50))}] * 50)); "
          "sorted(range(9999), key=lambda x: -x); re.findall('a+b', 'aab' * 999)")
NODE = ("function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }"
        "for (;;) { f(20); JSON.parse(JSON.stringify(Array(999).fill({a: [1, 2]})));"
        "[...Array(9999).keys()].sort((a, b) => b - a); 'aab'.repeat(999).match(/a+b/g) }")
SQL = ("WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 99999999) "
       "SELECT x % 999, count(*), max(printf('%d', x)) FROM r GROUP BY 1 ORDER BY 2")


def again(command):
    return ["sh", "-c", f"while :; do {command}; done"]


class Complete:
    def __init__(self, assay, directory, seconds):
        self.assay, self.directory, self.seconds = assay, directory, seconds

    # Programs: (title, comm, command that runs until timeout(1) ends it)

    def sources(self):
        source = self.directory / "many.c"
        source.write_text("".join(
            f"int f{i}(int *p) {{ for (int i = 0; i < {i}; i++) p[i] += p[{i} - i] * {i}; "
            f"return p[{i % 7}]; }}\n" for i in range(400)), encoding="ascii")
        return source

    def go_program(self):
        if not shutil.which("go"):
            return None
        (self.directory / "gowork.go").write_text(GO, encoding="ascii")
        subprocess.run(["go", "build", "-o", "gowork", "gowork.go"], cwd=self.directory, check=True,
                       env={"PATH": "/usr/bin:/bin", "HOME": str(self.directory),
                            "GOCACHE": str(self.directory / "gocache"), "GO111MODULE": "off"})
        return self.directory / "gowork"

    def programs(self):
        source, out = self.sources(), self.directory / "many.o"
        yield "gcc -O2", "cc1", again(f"gcc -O2 -c {source} -o {out}")
        yield "clang -O2", "clang", again(f"clang -O2 -c {source} -o {out}")
        yield "python3", "python3", ["/usr/bin/python3", "-c", PYTHON]
        repository = self.directory / "repository"
        yield "git add", "git", again(
            f"rm -rf {repository}; mkdir {repository}; cp -r /usr/include/linux {repository}; "
            f"git -C {repository} init -q; git -C {repository} add .")
        yield "sqlite3", "sqlite3", ["sqlite3", ":memory:", SQL]
        yield "openssl speed", "openssl", ["openssl", "speed", "-seconds", "1"]
        yield "node", "node", ["node", "-e", NODE]
        if program := self.go_program():
            yield "Go", "gowork", [str(program)]

    def timed(self, command):
        return ["timeout", str(self.seconds), *command]

    # Unwinding methods: each returns (whole stacks, all stacks) of the samples in user mode

    def by_assay(self, comm, command, options):
        path = self.directory / "complete.assay"
        subprocess.run([self.assay, "record", "-q", "-e", "cpu-clock:u", "-F", str(RATE), *options,
                        "-o", path, "--", *self.timed(command)], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        query = ("SELECT samples, depth, function FROM (SELECT stack, count(*) AS samples "
                 "FROM sample JOIN thread ON thread.id = sample.thread "
                 f"WHERE comm = '{comm}' GROUP BY stack) JOIN stack_frames USING (stack) "
                 "ORDER BY stack, depth")
        text = subprocess.run([self.assay, "sql", "--csv", path, query], capture_output=True,
                              text=True, check=True, errors="replace").stdout
        whole = total = 0
        for samples, names in assay_stacks(csv.DictReader(io.StringIO(text))):
            total += samples
            whole += samples * is_whole(names)
        return whole, total

    def by_perf(self, comm, command, way):
        for _ in range(PERF_TRIES):
            wait_for_quiet()
            if found := self.by_perf_once(comm, command, way):
                return found
        return None

    def by_perf_once(self, comm, command, way):
        """Return None if perf crashed, as perf 6.1 sometimes does."""
        data = self.directory / "complete.data"
        done = subprocess.run(["perf", "record", "-q", "-B", "-N", "-e", "cpu-clock:u", "-F",
                               str(RATE), "--call-graph", way, "-o", data, "--",
                               *self.timed(command)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        if done.returncode < 0:
            return None
        script = subprocess.Popen(["perf", "script", "-i", data, "--comms", comm, "--no-inline",
                                   "-F", "ip,sym"], stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.DEVNULL, errors="replace")
        whole = total = 0
        for names in perf_stacks(script.stdout):
            total += 1
            whole += is_whole(names)
        data.unlink()
        return None if script.wait() < 0 else (whole, total)

    def ways(self):
        helped = subprocess.run([self.assay, "record", "--help"], capture_output=True, text=True,
                                check=True).stdout
        ring = ["--call-graph", "dwarf,16384"]
        if "--collector" in helped:
            yield "assay bpf", lambda *program: self.by_assay(*program, ["--collector", "bpf"])
            ring = ["--collector", "ring", *ring]
        yield "assay ring dwarf,16384", lambda *program: self.by_assay(*program, ring)
        for way in PERF_WAYS:
            yield f"perf {way}", lambda *program, way=way: self.by_perf(*program, way)

    def table(self, note):
        """Return the table as Markdown. Call @note for each result."""
        ways = dict(self.ways())
        lines = ["| program | " + " | ".join(ways) + " |", "|---" * (len(ways) + 1) + "|"]
        for title, comm, command in self.programs():
            cells = []
            for name, walk in ways.items():
                whole, total = walk(comm, command) or (0, 0)
                note("complete", program=title, way=name, whole=whole, samples=total)
                cells.append(f"{100 * whole / total:.1f} of {total}" if total else "failed")
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
        return "\n".join([*lines, "", f"Percentage of samples in user mode (cpu-clock:u, {RATE} Hz, "
                          f"{self.seconds} s) whose stack reaches the function where its thread begins.", ""])


def wait_for_quiet():
    """Wait until no assay is recording, at most QUIET_S seconds.

    assay asks the kernel for build-ids in mmap records. Meanwhile the kernel (seen in Linux 6.18)
    marks the mmap records of other recorders as if they had build-ids, too, although they do not.
    Then perf reads garbage or crashes.
    """
    end_s = time.monotonic() + QUIET_S
    while time.monotonic() < end_s and any(is_recording(path) for path in glob.glob(
            "/proc/[0-9]*/cmdline")):
        time.sleep(1)


def is_recording(path):
    try:
        words = open(path, "rb").read().split(b"\0")
    except OSError:
        return False
    return words[0].endswith(b"assay") and words[1:2] in ([b"record"], [b"run"])


def is_whole(names):
    """Return whether a stack is whole. @names: its functions, innermost first."""
    return any(name.split("->")[-1] in ROOTS for name in names[-2:])


def assay_stacks(rows):
    """Yield (samples, functions) of each stack."""
    samples, names = 0, []
    for row in rows:
        if row["depth"] == "0":
            if names:
                yield samples, names
            samples, names = int(row["samples"]), []
        names.append(row["function"])
    if names:
        yield samples, names


def perf_stacks(lines):
    """Yield the functions of each sample. perf prints an empty line between samples."""
    names = collections.deque()
    for line in lines:
        if words := line.split(maxsplit=1):
            names.append(words[1].strip() if len(words) > 1 else "")
        elif names:
            yield list(names)
            names.clear()
    if names:
        yield list(names)
