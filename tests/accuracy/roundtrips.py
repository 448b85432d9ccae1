# SPDX-License-Identifier: GPL-2.0-or-later
"""Export recordings to other tools' formats and import them again.

The data that the format can hold must be unchanged. Imports are also compared with other tools.
"""
import collections
import csv
import functools
import io
import json
import pathlib
import re

import imports
from harness import Failed, Skipped, need
from imports import imported, lines_of, perf, perf_record, program
from tools import run

GO_PPROF = ["go", "tool", "pprof"]

# A Go program that writes a CPU profile and a heap profile.
GO_PROGRAM = """
package main
import ("os"; "runtime/pprof"; "runtime")
var kept [][]byte
//go:noinline
func work(n int) int { sum := 0; for i := 0; i < n; i++ { sum += i * i % 7 }; return sum }
//go:noinline
func keep(n int) { for i := 0; i < n; i++ { kept = append(kept, make([]byte, 64 << 10)) } }
func main() {
	cpu, _ := os.Create(os.Args[1])
	runtime.MemProfileRate = 1024
	pprof.StartCPUProfile(cpu)
	sum := 0
	for i := 0; i < 400; i++ { sum += work(3000000) }
	keep(200)
	pprof.StopCPUProfile()
	cpu.Close()
	heap, _ := os.Create(os.Args[2])
	pprof.WriteHeapProfile(heap)
	heap.Close()
	for i, name := range []string{"heap", "goroutine"} {
		text, _ := os.Create(os.Args[3 + i])
		pprof.Lookup(name).WriteTo(text, 1)
		text.Close()
	}
	if sum == 1 { os.Exit(1) }
}
"""


INLINES = """
#include <stdio.h>
static inline __attribute__((always_inline)) unsigned long rotate(unsigned long x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdUL;
	return x ^ x >> 29;
}
static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
{
	return rotate(x) + rotate(x + 1);
}
static __attribute__((noinline)) unsigned long work(unsigned long n)
{
	unsigned long sum = 0;
	for (unsigned long i = 0; i < n; i++)
		sum += mix(i ^ sum);
	return sum;
}
int main(void) { printf("%lu\\n", work(100000000)); }
"""


def perf_data(bench):
    """Record a run of program() with call stacks."""
    need("perf")
    return perf_record(bench, "roundtrip", ["-e", "cpu-clock", "-F", "4999", "-g"],
                       [program(bench), "100000"])


def exported(bench, recording, style, *options):
    path = bench.directory / f"roundtrip.{style}"
    done = run([bench.assay, "export", "-f", style, *options, "-o", path, recording.path])
    if done.returncode != 0:
        raise Failed(f"assay export -f {style}: {done.stderr[-300:].strip()}")
    return path


def table(recording, by, *options, without=()):
    text = recording.ask("report", "--csv", "--by", by, *options, recording.path)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    return sorted(tuple(row[column] for column in row
                        if column not in ("late_samples", "file", *without)) for row in rows)


def stacks(recording, *options):
    """Return {functions of a stack, outermost first: number of samples}."""
    text = recording.ask("trace", "--json", "--fields", "stack", *options, recording.path)
    return collections.Counter(
        tuple(frame["function"] for frame in json.loads(line)["stack"]) for line in text.splitlines())


def trace(recording, fields):
    return recording.ask("trace", "--json", "--fields", fields, recording.path)


def first_difference(before, after):
    lost, new = collections.Counter(before) - collections.Counter(after), \
        collections.Counter(after) - collections.Counter(before)
    return f"{sum(lost.values())} lost, such as {list(lost.items())[:2]}; {sum(new.values())} new, " \
           f"such as {list(new.items())[:2]}" if lost or new else None


def returns(bench, style, *options):
    before = bench.open(imported(bench, perf_data(bench), "roundtrip-before").path)
    if sum(stacks(before).values()) < 500:
        raise Failed("too few samples for a verdict")
    path = exported(bench, before, style, *options)
    return before, imported(bench, path, f"roundtrip-{style}"), path


def pprof_returns(bench):
    before, after, path = returns(bench, "pprof", "--inline")
    for by in ("function", "image", "comm", "thread", "context", "event", "address"):
        yield by, first_difference(table(before, by), table(after, by))
    yield "lines", first_difference(table(before, "line"), table(after, "line"))
    yield "inlined", first_difference(table(before, "function", "--inline"),
                                      table(after, "function", "--inline"))
    yield "stacks", first_difference(stacks(before), stacks(after))
    yield "inlined stacks", first_difference(lines_of(before), lines_of(after))
    again = exported(bench, after, "pprof", "--inline")
    raw = [run([*GO_PPROF, "-raw", "-symbolize=none", file]).stdout for file in (path, again)]
    yield "raw", first_difference(*(samples_of_raw(text) for text in raw))
    first = re.search(r"Mappings\n1: \S+ (\S+)", raw[0])
    yield "program first", None if first and first[1] == str(program(bench)) else f"{first and first[1]} is"


def samples_of_raw(text):
    """Return {(value, places of the stack): count}. The numbers of locations are left out."""
    places, found = {}, collections.Counter()
    body = text[text.index("Samples:"):]
    for line in body[body.index("Locations"):].splitlines():
        if head := re.match(r"\s+(\d+): (0x[0-9a-f]+ )?(?:M=\d+ )?(.*)", line):
            last = head[1]
            places[last] = head[3]
        elif re.match(r"\s{10,}\S", line) and not line.startswith("Mappings"):
            places[last] += "|" + line.strip()
    for line in body[:body.index("Locations")].splitlines()[2:]:
        if head := re.match(r"\s+([-\d ]+): ([\d ]+)$", line):
            key = (head[1].split()[0], tuple(places[number] for number in head[2].split()))
            found[key] += 1
    return found


def perf_script_returns(bench):
    before, after, _ = returns(bench, "perf-script", "--inline")
    origin = ("quality", "before", "after")  # the text has the names, not where they come from
    for by in ("function", "image", "comm", "thread", "cpu", "event", "line"):
        yield by, first_difference(table(before, by, without=origin),
                                   table(after, by, without=origin))
    yield "inlined", first_difference(lines_of(before), lines_of(after))
    fields = "cpu,comm,pid,tid,event,weight,function,stack"
    yield "samples", first_difference(trace(before, fields).splitlines(),
                                      trace(after, fields).splitlines())


def folded_returns(bench):
    before, after, _ = returns(bench, "folded")
    wanted, found = stacks(before), collections.Counter()
    for stack, count in stacks(after).items():
        found[stack[1:]] += count       # the outermost frame is the thread's name
    yield "stacks", first_difference(wanted, found)


def text_of_perf_script(bench):
    """An imported text of perf script has the same samples as the perf.data that perf printed."""
    path = perf_data(bench)
    before = imported(bench, path, "text-before")
    for name, options in {"plain": [], "process": ["-F", "+pid"],
                          "nanoseconds": ["--ns", "-F", "comm,pid,tid,time,period,event,ip,sym,dso"],
                          }.items():
        text = perf("script", "-i", path, "--no-inline", *options)
        if text is None:
            raise Skipped("perf script fails here")
        (bench.directory / "perf.txt").write_text(text)
        after = imported(bench, bench.directory / "perf.txt", f"text-{name}")
        wanted, found = samples_of(before), samples_of(after)
        yield name, compare_names(wanted, found)


def lines_of_text(text):
    """Return the same from perf's text as lines_of() of imports.py. Leave out unnamed frames."""
    found = []
    for line in text.splitlines():
        if frame := re.match(r"\t *[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)?(?: \([^()]*\))?$", line):
            found[-1].insert(0, (frame[1], None, None))
        elif source := re.match(r"  (\S+):(\d+)(?: \(inlined\))?$", line):
            if source[1] != "??" and int(source[2]):
                found[-1][0] = (found[-1][0][0], source[1], int(source[2]))
        elif re.match(r"\S", line.strip()) and ": " in line and not line.startswith("  "):
            found.append([])
        elif line.strip().endswith(":"):
            found.append([])
    return [named(stack) for stack in found]


def named(stack):
    return tuple(frame for frame in stack if not re.match(r"[\[<]", frame[0]))


def lines_of_perf_script(bench):
    """An imported text of perf script has the inlined functions and lines that perf printed."""
    inlines = bench.directory / "inlines"
    inlines.with_suffix(".c").write_text(INLINES)
    done = run(["cc", "-O2", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", "-o", inlines,
                inlines.with_suffix(".c")])
    if done.returncode != 0:
        raise Failed(f"cc: {done.stderr[-300:].strip()}")
    path = perf_record(bench, "lines", ["-e", "cpu-clock", "-F", "999", "--call-graph", "dwarf,4096"], [inlines])
    text = perf("script", "-i", path, "-F", "comm,pid,tid,time,period,event,ip,sym,symoff,dso,srcline")
    if text is None:
        raise Skipped("perf script fails here")
    (bench.directory / "lines.txt").write_text(text)
    wanted = lines_of_text(text)
    found = [named(stack) for stack in lines_of(imported(bench, bench.directory / "lines.txt", "lines"))]
    inlined = sum(frame == ("rotate", "inlines.c", frame[2]) for stack in wanted for frame in stack)
    if len(wanted) < 100 or not inlined:
        raise Failed(f"{len(wanted)} samples, {inlined} inlined frames: too few for a verdict")
    yield "lines", first_difference(wanted, found)


def samples_of(recording):
    """Return [((weight, comm, tid, event, time), names of the stack, innermost first)].

    Times are rounded to 10 microseconds.
    """
    found = []
    for line in trace(recording, "time,weight,comm,tid,event,stack").splitlines():
        sample = json.loads(line)
        found.append(((sample["weight"], sample["comm"], sample["tid"], sample["event"].rstrip(":u"),
                       round(sample["time"], 5)),
                      [frame["function"] for frame in reversed(sample["stack"])]))
    return found


def compare_names(wanted, found):
    """Compare all samples in order. Return a problem or None.

    perf and assay may choose different names for an address, and stacks of different depth.
    """
    if len(wanted) != len(found):
        return f"{len(found)} samples, but {len(wanted)} in the file itself"
    same, differ = 0, collections.Counter()
    for ours, theirs in zip(wanted, found):
        if ours[0][:4] != theirs[0][:4] or abs(ours[0][4] - theirs[0][4]) > 2e-5:
            return f"{theirs[0]}, but {ours[0]} in the file itself"
        for pair in zip(ours[1], theirs[1]):
            if not re.search(r"->|^(fn|gap)_|^\[|@plt|^<|^_*$", " ".join(pair)):
                same += bare(pair[0]) == bare(pair[1])
                differ[pair] += bare(pair[0]) != bare(pair[1])
    if not same or sum(differ.values()) > same / 50:
        return f"{same} names agree, {differ.most_common(3)} do not"
    return None


def flat_counts_of_perf_report(bench):
    """Each symbol must have the same number of samples in perf's report and in ours.

    A symbol may have fewer samples in one report if that report has no name for them.
    """
    path = perf_record(bench, "flat", ["-e", "cpu-clock", "-F", "4999", "-g", "-a"],
                       ["sh", "-c", f"{program(bench)} 50000; ls -R /usr/lib | sort | gzip | wc -c"])
    text = perf("report", "-i", path, "-s", "sym", "--no-children", "--no-inline", "-n", "-t", ";", "-g", "none",
                "--stdio")
    if text is None:
        raise Skipped("perf report fails here")
    theirs, ours = collections.Counter(), collections.Counter()
    for line in text.splitlines():
        if row := re.match(r"\s*[\d.]+%\s*;\s*(\d+)\s*;\[(.)\] (.*?)\s*$", line):
            theirs[row[2] == "k", first_name(row[3])] += int(row[1])
    if not theirs:
        raise Skipped("perf report prints nothing here")
    recording = imported(bench, path, "flat")
    rows = recording.ask("report", "--csv", "--by", "function,context", recording.path)
    for row in csv.DictReader(io.StringIO(rows, newline="")):
        ours[row["context"] != "user", first_name(row["function"])] += int(row["samples"])
    if sum(theirs.values()) < 500 or len(theirs) < 20:
        raise Failed(f"{sum(theirs.values())} samples of {len(theirs)} symbols: too few")
    if sum(theirs.values()) != sum(ours.values()):
        raise Failed(f"{sum(ours.values())} samples, {sum(theirs.values())} for perf")
    for key, count in (theirs - ours).items():
        # assay names these differently: plain addresses, PLT stubs (perf calls them _init if that
        # is the last symbol before them) and BPF programs.
        if not re.match("0x[0-9a-f]+$|.*@plt$|_init$|bpf_prog_", key[1]):
            raise Failed(f"{key}: {ours[key]} samples, but {theirs[key]} for perf, {count} more; "
                         f"we have more of {list((ours - theirs).items())[:3]}")
    for key, count in (ours - theirs).items():
        if not re.search(r"->|^(fn|gap)_|^\[|@plt|^$", key[1]):
            raise Failed(f"{key}: {count} samples more than perf has")


def bare(name):
    """Return a name without prefixes, which is sufficient to compare stacks."""
    return imports.bare(first_name(name))


def symbols():
    """Yield ((file, address), name) for the kernel, the C libraries and the dynamic linker.

    Many of their addresses have several names. The libraries are those that this program uses: a
    machine may have others of the same name, for 32 bits.
    """
    texts = {"kernel": pathlib.Path("/proc/kallsyms").read_text()}
    maps = pathlib.Path("/proc/self/maps").read_text()
    for library in set(re.findall(r"\s(/\S*/(?:libc|libm|ld-linux)[-.][^/\s]*)$", maps, re.M)):
        notes = re.search(r"Build ID: (..)(\w+)", run(["readelf", "-n", library]).stdout)
        debug = f"/usr/lib/debug/.build-id/{notes[1]}/{notes[2]}.debug" if notes else library
        texts[library] = run(["nm", "-D", library]).stdout + run(["nm", debug]).stdout
    for file, text in texts.items():
        for line in text.splitlines():
            if found := re.match(r"([0-9a-f]+) \w ([^\s@]+)", line):
                if int(found[1], 16):
                    yield (file, found[1]), found[2]


@functools.cache
def first_names():
    """Return {name: first name}.

    Names have the same first name if they share an address, directly or through other names.
    """
    first, at = {}, {}

    def find(name):
        while first.setdefault(name, name) != name:
            name = first[name]
        return name

    for address, name in symbols():
        first[find(name)] = find(at.setdefault(address, name))
    return {name: find(name) for name in first}


def first_name(name):
    """Return one name for all names of an address, because perf and assay may choose another."""
    name = re.sub("@+GLIBC.*", "", name)
    return first_names().get(name, name)


def go_profiles(bench):
    """The totals and flat counts of a profile that Go wrote equal those of Go's own tool."""
    need("go")
    source, cpu, heap, *texts = (bench.directory / name for name in
                                 ("main.go", "go.cpu", "go.heap", "heap.txt", "goroutine.txt"))
    source.write_text(GO_PROGRAM)
    done = run(["go", "run", source, cpu, heap, *texts])
    if done.returncode != 0:
        raise Skipped(f"go run: {done.stderr[-200:].strip()}")
    for path, kind, event, unit in ((cpu, "cpu", "cpu", 1e9), (heap, "heap", "inuse_space", 1)):
        recording = imported(bench, path, f"go-{kind}")
        text = recording.ask("report", "--csv", "--inline", "--by", "event,function", recording.path)
        flat = collections.Counter()
        for row in csv.DictReader(io.StringIO(text, newline="")):
            if row["event"] == event:
                flat[row["function"]] += int(row["weight"])
        yield kind, first_difference(flat, flat_of_go(path, event))
    for path in texts:
        recording = imported(bench, path, f"go-{path.stem}-text")
        text = recording.ask("report", "--csv", "--by", "event", recording.path)
        sums = {row["event"]: int(row["weight"]) for row in csv.DictReader(io.StringIO(text, newline=""))}
        yield path.name, first_difference(sums, sums_of_go(path))


def flat_of_go(path, event):
    """Return {leaf: sum} from the output of -traces, which does not round numbers."""
    done = run([*GO_PPROF, "-traces", "-symbolize=none", f"-sample_index={event}",
                "-unit=" + ("ns" if event == "cpu" else "B"), path])
    flat = collections.Counter()
    for line in done.stdout.splitlines():
        if head := re.match(r"\s*(\d+)(?:ns|B)\s+(\S.*)$", line):
            flat[head[2].replace(" (inline)", "")] += int(head[1])
    return +flat


def sums_of_go(path):
    """Return {event: sum of its values} from the output of -raw."""
    lines = run([*GO_PPROF, "-raw", "-symbolize=none", path]).stdout.splitlines()
    start, end = lines.index("Samples:"), lines.index("Locations")
    sums, events = collections.Counter(), [word.split("/")[0] for word in lines[start + 1].split()]
    for line in lines[start + 2:end]:
        if head := re.match(r"\s+([-\d ]+):", line):
            sums.update(dict(zip(events, map(int, head[1].split()))))
    return +sums


def of_speedscope(count):
    samples, weights = "[0]," * (count - 1) + "[0]", "2," * (count - 1) + "2"
    return ('{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"main"}]},'
            '"profiles":[{"type":"sampled","name":"t","unit":"none","startValue":0,"endValue":0,'
            f'"samples":[{samples}],"weights":[{weights}]}}]}}')


def of_folded(count):
    return "".join(f"main;f {count // 3}\n" for _ in range(6))


def equal_samples(bench):
    """Import millions of equal samples.

    The recording must have as many as import says it kept, with the weight of all samples.
    """
    for style, text in (("speedscope", of_speedscope(6_000_000)), ("folded", of_folded(6_000_000))):
        source, path = bench.directory / f"equal.{style}", bench.directory / f"equal-{style}.assay"
        source.write_text(text)
        said = run([bench.assay, "import", "-o", path, source])
        rows = list(csv.DictReader(io.StringIO(
            bench.open(path).ask("report", "--csv", "--by", "event", path), newline="")))
        kept = re.match(r"assay: (\d+) samples", said.stderr)
        found = [(int(row["samples"]), int(row["weight"])) for row in rows]
        yield style, None if kept and found == [(int(kept[1]), 12_000_000)] else f"{said.stderr[:60]}: {found}"


CHECKS = [
    equal_samples,
    pprof_returns,
    perf_script_returns,
    folded_returns,
    text_of_perf_script,
    lines_of_perf_script,
    flat_counts_of_perf_report,
    go_profiles,
]
