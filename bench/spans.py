# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure what a span costs, beside bpftrace and perf trace, and whether all are counted."""
import csv
import shutil
import subprocess
import time

from measure import interval, rotated

CALLS, MIXED, NAP_EVERY = 200_000, 10_000_000, 100_000
FUNCTIONS = 1000

# Each task has its own start, as with assay.
BPFTRACE_CALL = ("uprobe:{0}:spans_empty {{ @s[tid] = nsecs }} uretprobe:{0}:spans_empty /@s[tid]/ "
                 "{{ {1} = hist(nsecs - @s[tid]); delete(@s[tid]); }}")
BPFTRACE_PROBES = ("usdt:{0}:spans:begin {{ @s[tid] = nsecs; }} usdt:{0}:spans:end /@s[tid]/ "
                   "{{ @ns = hist(nsecs - @s[tid]); delete(@s[tid]); }}")


class Spans:
    def __init__(self, assay, loads, directory, pairs, is_quick):
        self.program, self.assay, self.directory = loads.workloads / "spans", assay, directory
        self.pairs, self.mixed_count = pairs, MIXED // 100 if is_quick else MIXED
        self.table_file = directory / "spans.csv"
        stopwatch = [assay, "stopwatch", "-q", "--csv", "-o", self.table_file]
        record = [assay, "record", "-q", "-o", directory / "spans.assay"]
        empty = f"{self.program}:spans_empty"
        self.mixed = [*stopwatch, "--return-probes", empty, f"{self.program}:spans_nap"]
        self.calls = {
            "none": [],
            "assay stopwatch": [*stopwatch, empty, "--"],
            "assay stopwatch --return-probes": [*stopwatch, "--return-probes", empty, "--"],
            "assay stopwatch --by caller": [*stopwatch, "--by", "caller", empty, "--"],
            "assay stopwatch --return-probes --by caller": [
                *stopwatch, "--return-probes", "--by", "caller", empty, "--"],
        }
        self.probes = {
            "none": [],
            "assay stopwatch --from usdt: --to usdt:": [
                *stopwatch, "--from", f"usdt:{self.program}:begin", "--to",
                f"usdt:{self.program}:end", "--"],
        }
        self.syscalls = {
            "none": [],
            "assay stopwatch 'syscall:*'": [*stopwatch, "syscall:*", "--"],
            "assay stopwatch --counters page-faults 'syscall:*'": [
                *stopwatch, "--counters", "page-faults", "syscall:*", "--"],
            "assay record --stopwatch 'syscall:*'": [
                *record, "--stopwatch", "syscall:*", "--"],
            "assay record --stopwatch 'syscall:*' --trace-spans": [
                *record, "--stopwatch", "syscall:*", "--trace-spans", "--"],
            "perf trace -s": ["perf", "trace", "-s", "-o", directory / "trace", "--"],
        }
        if shutil.which("bpftrace"):
            self.probes["bpftrace, hist()"] = ["bpftrace", "-o", directory / "bpftrace", "-e",
                                               BPFTRACE_PROBES.format(self.program), "-c"]
            for by, name in (("", "@ns"), (" by usym()", '@ns[usym(reg("ip"))]')):
                self.calls[f"bpftrace, hist(){by}"] = [
                    "bpftrace", "-o", directory / "bpftrace", "-e",
                    BPFTRACE_CALL.format(self.program, name), "-c"]

    def run(self, way, what, count):
        """Return the numbers that the program prints under the way to measure it."""
        words = [str(self.program), what, str(count)]
        if way and way[-1] == "-c":
            words = [" ".join(words)]
        done = subprocess.run([*map(str, way), *words], check=True, capture_output=True, text=True)
        return [float(word) for word in done.stdout.split()]

    def costs(self, ways, what, note):
        took = {way: [] for way in ways}
        for pair in range(self.pairs):
            for way in rotated(list(ways), pair):
                took[way].append(self.run(ways[way], what, CALLS)[0])
                note("spans", what=what, way=way, pair=pair, ns=took[way][-1])
        for way, each in took.items():
            if way == "none":
                continue
            median, low, high = interval([ns - bare for ns, bare in zip(each, took["none"])])
            yield f"| {what} | {way} | {median:.0f} [{low:.0f}, {high:.0f}] |"

    def attached(self, note):
        """Return a sentence about how long it takes to set and remove very many probes."""
        source = "".join(f"__attribute__((noinline)) int f{i}(int x) {{ return x + {i}; }}\n"
                         for i in range(FUNCTIONS)) + "int main(void) { return 0; }\n"
        (self.directory / "many.c").write_text(source, encoding="utf-8")
        many = self.directory / "many"
        subprocess.run(["gcc", "-O1", "-o", many, self.directory / "many.c"], check=True)
        took = []
        for pair in range(self.pairs):
            start = time.monotonic()
            subprocess.run([self.assay, "stopwatch", "-q", "-o", self.table_file, f"{many}:f*", "--", many],
                           check=True)
            took.append(time.monotonic() - start)
            note("spans", what="attach", pair=pair, seconds=took[-1])
        median, low, high = interval(took)
        return (f"To find {FUNCTIONS:,} functions, measure what their probes cost, set them and remove "
                f"them takes {median:.2f} s [{low:.2f}, {high:.2f}].")

    def exactness(self):
        """Return a sentence about the counts and times of very many spans."""
        _, own_ns = self.run([*self.mixed, "--"], "mixed", self.mixed_count)
        with self.table_file.open(encoding="utf-8") as file:
            rows = {row["function"]: row for row in csv.DictReader(file)}
        naps = rows["spans_nap"]
        off = 100 * (float(naps["total_ns"]) / own_ns - 1)
        return (f"Of {self.mixed_count:,} calls, {int(rows['spans_empty']['calls']):,} were counted; of "
                f"{self.mixed_count // NAP_EVERY:,} sleeps, {int(naps['calls']):,}. Together these took "
                f"{off:+.2f} % of what the program's own clock says.")

    def table(self, note):
        lines = ["| what | measured with | one takes longer by, ns |", "|---|---|---|",
                 *self.costs(self.calls, "call", note),
                 *self.costs(self.probes, "probes", note),
                 *self.costs(self.syscalls, "syscall", note)]
        return "\n".join([*lines, "", f"{CALLS:,} calls each, {self.pairs} rounds. "
                          + self.exactness(), "", self.attached(note), ""])
