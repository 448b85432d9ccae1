# SPDX-License-Identifier: GPL-2.0-or-later
"""Check the names of generated code against what the generating program says was there.

programs/jitcode.c moves and replaces its code on a schedule, and prints which function was at which
address at which time.
"""
import bisect
import collections
import json
import re
import subprocess

from harness import Failed, Skipped, attempts, need
from stats import wilson
from tools import run

FRAMES = ("SELECT s.time_ns, f.stack, f.depth, f.function, f.vaddr FROM sample s "
          "JOIN stack_frames f ON f.stack = s.stack WHERE f.image = '//anon'")
COLLECTORS = {"bpf": ["--collector", "bpf"], "ring": ["--collector", "ring"]}
NODE = "function hot_alpha(n){let s=0;for(let i=0;i<n;i++){s+=Math.sqrt(i)*i%7;}return s;}\n" \
       "function outer(n){let s=0;for(let i=0;i<n;i++){s+=hot_alpha(500);}return s;}\n" \
       "const end=Date.now()+2500;let z=0;while(Date.now()<end){z+=outer(50);}\nconsole.log(z);\n"


class Truth:
    """The output of jitcode: (time, address, size, name) of code, and CPU time of each function."""

    def __init__(self, text):
        self.claims, self.spent = [], {}
        for line in text.splitlines():
            word = line.split()
            if word[0] == "code":
                self.claims.append((int(word[1]), int(word[2], 16), int(word[3]), word[4]))
            elif word[0] == "spent":
                self.spent[word[1]] = int(word[2])
        self.times = [claim[0] for claim in self.claims]

    def name(self, time_ns, addr):
        last = bisect.bisect_right(self.times, time_ns)
        for _, start, size, name in reversed(self.claims[:last]):
            if start <= addr < start + size:
                return name
        return None

    def changes(self):
        return len(self.claims)


def record(bench, collector, words):
    """Record a run of jitcode. Return (recording, truth)."""
    path, command = bench.record_command(
        f"jitcode-{collector}-{'-'.join(words)}",
        ["-e", "cpu-clock", "-F", "1999", *COLLECTORS[collector]],
        [bench.programs() / "jitcode", *words])
    done = run(command, cwd=bench.directory)
    if done.returncode != 0 and collector == "bpf" and "--collector bpf" in done.stderr:
        raise Skipped(f"the in-kernel sampler cannot be used: {done.stderr.strip()[-200:]}")
    if done.returncode != 0:
        raise Failed(f"assay record: exit {done.returncode}: {done.stderr[-300:].strip()}")
    return bench.open(path), Truth(done.stdout)


def frames(recording):
    """Yield (time, depth, name or None, address) of each frame of generated code."""
    for row in recording.sql(FRAMES):
        name = None if row["function"].startswith("[") else row["function"]
        yield int(row["time_ns"]), int(row["depth"]), name, int(row["vaddr"])


def judged(recording, truth):
    """Return (count of right names, count of missing names, [messages about wrong names])."""
    named, unnamed, wrong = 0, 0, []
    for time_ns, depth, name, addr in frames(recording):
        right = truth.name(time_ns, addr)
        if name is None:
            unnamed += 1
        elif name == right:
            named += 1
        else:
            wrong.append(f"{name} at {time_ns}, depth {depth}, where {right} was")
    return named, unnamed, wrong


def losses(recording):
    return {row["reason"]: int(row["count"])
            for row in recording.sql("SELECT reason, count FROM loss WHERE count > 0")}


def shares(recording, truth):
    """Yield a message for each function whose share of samples is wrong. Callees are included."""
    counts = collections.Counter()
    for _, _, name, _ in frames(recording):
        counts[name] += 1
    total, spent = sum(counts.values()), sum(truth.spent.values())
    if total < 1000:
        raise Failed(f"only {total} samples")
    for name, ns in truth.spent.items():
        low, high = wilson(counts[name], total)
        if ns and not low <= ns / spent <= high:
            yield f"{name}: {ns / spent:.4f} is not in [{low:.4f}, {high:.4f}]"


@attempts(2)
def jitdump_names(bench):
    """A jitdump has the exact time of each change.

    So all frames must have their right names, in the right shares.
    """
    for collector in COLLECTORS:
        for words in (["dump", "4000", "60"], ["dump", "4000", "60", "move"]):
            recording, truth = record(bench, collector, words)
            what = f"{collector}{'-moved' if len(words) > 3 else ''}"
            named, unnamed, wrong = judged(recording, truth)
            yield f"{what}-changes", None if truth.changes() > 30 else \
                f"only {truth.changes()} changes"
            yield f"{what}-right", wrong[0] if wrong else None
            yield f"{what}-all", None if unnamed <= named / 200 else \
                f"{unnamed} of {named + unnamed} frames have no name"
            yield f"{what}-shares", "; ".join(shares(recording, truth)) or None
            shifted = Truth("")
            shifted.claims = [(time_ns + 30_000_000, *rest) for time_ns, *rest in truth.claims]
            shifted.times = [claim[0] for claim in shifted.claims]
            yield f"{what}-planted", None if judged(recording, shifted)[2] else \
                "names that were half a phase late were not noticed"


@attempts(2)
def perf_map_names(bench):
    """The recorder reads a perf map from time to time.

    Code may change in between without being noticed. Then names may be missing, but not wrong.
    """
    for collector in COLLECTORS:
        for words in (["map", "5000", "700"], ["map", "5000", "700", "move"]):
            recording, truth = record(bench, collector, words)
            what = f"{collector}{'-moved' if len(words) > 3 else ''}"
            named, unnamed, wrong = judged(recording, truth)
            yield f"{what}-right", wrong[0] if wrong else None
            yield f"{what}-some", None if named >= 500 else f"only {named} frames have a name"
            counted = losses(recording).get("jit-unsure", 0)
            yield f"{what}-counted", None if counted >= unnamed * 0.9 else \
                f"{unnamed} frames have no name, but only {counted} are counted as unsure"


@attempts(2)
def jitdump_lines_and_code(bench):
    """Check the lines and instructions of code that does not change, after its dump is removed."""
    recording, _ = record(bench, "ring", ["dump", "2000", "10000"])
    for dump in bench.directory.glob("jit-*.dump"):
        dump.unlink()
    lines = recording.counts("line", comm="jitcode")
    hot = lines.get("loop_a.src:11", 0)
    yield "lines", None if hot > 500 and hot > 20 * lines.get("loop_a.src:10", 0) else \
        f"{lines}"
    report = json.loads(recording.ask("annotate", "--json", "loop_a", recording.path))
    rows = report["functions"][0]["instructions"]
    samples = sum(row["samples"] for row in rows)
    yield "code", None if len(rows) in (6, 7) and samples > 500 else \
        f"{len(rows)} instructions with {samples} samples"


@attempts(2)
def short_lived_names(bench):
    """Processes live a tenth of a second, and their dumps are removed as soon as they end."""
    program = bench.programs() / "jitcode"
    script = f'for i in 1 2 3 4 5 6 7 8; do "{program}" dump 100 30 >/dev/null; rm jit-*.dump; done'
    for collector, options in COLLECTORS.items():
        if collector == "ring":     # the recorder learns of a process when it reads the ring
            options = [*options, "--flush", "20"]
        path, command = bench.record_command(
            f"short-{collector}", ["-e", "cpu-clock", "-F", "1999", *options],
            ["sh", "-c", script])
        place = bench.directory / "short"
        place.mkdir(exist_ok=True)
        done = run(command, cwd=place)
        if done.returncode != 0:
            raise Skipped(f"{collector}: {done.stderr[-200:].strip()}")
        found = list(frames(bench.open(path)))
        named = sum(name is not None for _, _, name, _ in found)
        yield f"{collector}-dump", None if len(found) > 100 and named > 0.95 * len(found) else \
            f"{named} of {len(found)} frames have a name"


def node_version():
    need("node")
    options = subprocess.run(["node", "--v8-options"], capture_output=True, text=True, check=False)
    return options.stdout


@attempts(2)
def node(bench):
    """Check functions, callers and lines from V8's own perf map and jitdump."""
    offered = node_version()
    script = bench.directory / "hot.js"
    script.write_text(NODE)
    for option in ("--perf-basic-prof", "--perf-prof"):
        if option not in offered:
            raise Skipped(f"this node has no {option}")
        path, command = bench.record_command(
            f"node{option}", ["-e", "cpu-clock", "-F", "1999"],
            ["node", option, "--no-turbo-inlining", script])
        done = run(command, cwd=bench.directory)
        if done.returncode != 0:
            raise Failed(f"assay record: exit {done.returncode}: {done.stderr[-300:].strip()}")
        recording = bench.open(path)
        counts = collections.Counter()
        for function, samples in recording.counts("function", comm="node").items():
            found = re.match(r"(?:JS|LazyCompile|Function):?[*^~+]?(\w+) ", function)
            counts[found[1] if found else "[anon]" if function == "[anon]" else ""] += samples
        total = sum(counts.values())
        yield f"{option[2:]}-hot", None if counts["hot_alpha"] > total / 3 else f"{counts}"
        yield f"{option[2:]}-named", None if counts["[anon]"] <= total / 50 else f"{counts}"
        callers = recording.sql(
            "SELECT count(*) n FROM sample s JOIN stack_frames a ON a.stack = s.stack "
            "JOIN stack_frames b ON b.stack = s.stack AND b.depth = a.depth + 1 "
            "WHERE a.function LIKE '%hot_alpha%' AND b.function LIKE '%outer%'")
        yield f"{option[2:]}-callers", None if int(callers[0]["n"]) > total / 4 else f"{callers}"
        if option == "--perf-prof":
            # Some versions of V8 write the path from freed memory, so any path is accepted.
            lines = recording.counts("line", comm="node")
            hot = sum(samples for line, samples in lines.items() if line.endswith(":1"))
            yield "perf-prof-lines", None if hot > total / 3 else f"{lines}"


CHECKS = [jitdump_names, perf_map_names, jitdump_lines_and_code, short_lived_names, node]
