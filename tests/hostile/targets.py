# SPDX-License-Identifier: GPL-2.0-or-later
"""Record hostile processes. Many of them run during one recording, and each process is a case.

Each process uses about 40 ms of CPU time, so that it is certainly sampled at 1999 Hz. A case passes
if the recorder and all reports work, and the process is in the report.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import time

import elves
from harness import Failed, attempts, need, recording

RUN_MS = 40
EMBER_STEPS = 25_000_000
AT_ONCE = 16

# Names that a terminal, a web page, a table or a format string might interpret.
NAMES = ["\x1b[31mred", "\x1b]0;title\x07", "\x1b[2J", "a\nb", "a\rb", "a\tb", "\x07\x08", "\x7f",
         "<script>", "</td><b>", "&lt;&amp;", "'\"", "a,b;c", "=1+1", "%s%n%x", "$(id)", "--help",
         "\\x1b[0m", "a b", " ", "{}[]", "-", "\x01\x02\x03"]
RAW_NAMES = [b"\x9b31m", b"\xff\xfe\xfd", b"\xc2\x9b31m", b"\xe2\x80\xaeoby", b"\xc3",
             b"\xed\xa0\x80"]
SECRET = "SECRET_NOT_FOR_THE_REPORT"


class Field:
    """A recording of the whole machine, and the processes that ran during it."""

    def __init__(self, judge, directory, name):
        self.judge, self.path, self.name = judge, directory / f"{name}.assay", name
        self.pids = {}

    @contextlib.contextmanager
    def recorded(self):
        command = [self.judge.assay, "record", "-e", "cpu-clock", "-a", "-F", "1999",
                   "-o", self.path, "--"]
        with recording(command) as recorder:
            yield self
        if why := self.judge.judge("record", recorder.returncode, *recorder.output, (0,))[2]:
            raise Failed(why)

    def run(self, cases, start):
        """Start a process for each of the @cases with @start(*case), a few at a time."""
        running = []
        for name, *case in cases:
            process = start(*case)
            self.pids[name] = process.pid
            running.append(process)
            if len(running) == AT_ONCE:
                running.pop(0).wait()
        for process in running:
            process.wait()

    def verdicts(self, forbidden=()):
        """Yield (case, problem) for the recording as a whole, and then for each process.

        @forbidden: words that must not be among the function names.
        """
        yield f"{self.name}-all-views", self.judge.reads(self.path, allowed=(0,))
        rows, _, problem = self.judge.run("report", self.path, "--by", "tgid", "--csv",
                                          allowed=(0,))
        if problem:
            raise Failed(problem)
        seen = {line.split(",")[0].strip('"') for line in rows.splitlines()}
        functions = self.judge.run("report", self.path, "--by", "function")[0] or ""
        for name, pid in self.pids.items():
            yield name, None if str(pid) in seen else "the process is not in the report"
        for word in forbidden:
            yield f"{self.name}-no-{word.lower()}", \
                "assay read a file that it must not trust" if word in functions else None


def start(*words, **options):
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, **options)


def go(process):
    process.stdin.write(b"\n")
    process.stdin.close()
    return process


def mapped_files(place):
    """Processes map files as executable and run code in them. Any part of a file is damaged."""
    good = (place.workloads / "ember").read_bytes()

    def launch(path, data, offset):
        path.write_bytes(data)
        return go(start(place.spinmap, str(RUN_MS), path, str(offset)))

    with Field(place.judge, place.directory, "mapped").recorded() as field:
        field.run(((name, place.directory / f"mapped-{name}", data, offset)
                   for name, data, offset in elves.mapped_cases(good)), launch)
    yield from field.verdicts()


def executed_files(place):
    """Programs run although their files are damaged where the kernel does not look."""
    good = (place.workloads / "ember-static").read_bytes()

    def launch(path, data):
        path.write_bytes(data)
        path.chmod(0o755)
        return start(path, str(EMBER_STEPS))

    with Field(place.judge, place.directory, "executed").recorded() as field:
        field.run(((name, place.directory / f"executed-{name}", data)
                   for name, data in elves.executed_cases(good)), launch)
    yield from field.verdicts()


def hostile_names(place):
    """Programs and symbols have hostile names."""
    need("objcopy")
    good = place.workloads / "ember-static"
    names = [name.encode() for name in NAMES] + RAW_NAMES

    def as_program(name):
        path = os.fsencode(place.directory) + b"/names/" + name
        shutil.copy(good, path)
        return start(path, str(EMBER_STEPS))

    def as_symbol(index, name):
        path = place.directory / f"symbol-{index}"
        subprocess.run(["objcopy", b"--redefine-sym=burn_ember=" + name, good, path], check=True)
        return start(path, str(EMBER_STEPS))

    (place.directory / "names").mkdir()
    with Field(place.judge, place.directory, "names").recorded() as field:
        field.run(((f"program-{name!r}", name) for name in names if b"/" not in name), as_program)
        field.run(((f"symbol-{name!r}", index, name) for index, name in enumerate(names)
                   if b"=" not in name), as_symbol)
        field.run([("symbol-very-long", "long", b"_Z" + b"N1a" * 20000),
                   ("symbol-deep-mangled", "deep", b"_ZN" + b"1aI" * 900 + b"E" * 900)], as_symbol)
    yield from field.verdicts()


def files_that_go(place):
    """Mapped files are removed or replaced while their code runs."""
    good = (place.workloads / "ember").read_bytes()
    offset = elves.Elf(good).spin_offset()
    other = place.directory / "other"

    def launch(name, *then):
        path = place.directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(elves.with_spin(good, offset))
        other.write_bytes(good.replace(b"burn_ember", SECRET[:10].encode()))
        process = start(place.spinmap, str(RUN_MS), path, str(offset), *then)
        if name == "gone/directory":
            while str(path) not in pathlib.Path(f"/proc/{process.pid}/maps").read_text():
                pass
            shutil.rmtree(path.parent)
        return go(process)

    with Field(place.judge, place.directory, "gone").recorded() as field:
        field.run([("unlinked", "unlinked", "unlink"), ("replaced", "replaced", "replace", other),
                   ("directory-gone", "gone/directory")], launch)
    yield from field.verdicts([SECRET[:10]])


def perf_map_cases(place):
    """Yield (name, function that makes such a perf map at the path given to it)."""
    whole = f"0 ffffffffffffffff {SECRET}\n"
    secret = place.directory / "secret.map"
    secret.write_text(whole)

    def text(content):
        return lambda path: path.write_bytes(content.encode("utf-8", "surrogateescape"))

    def foreign(path):
        path.write_text(whole)
        os.chown(path, 65534, 65534)

    def sparse(path):
        with open(path, "wb") as file:
            file.truncate(1 << 40)

    yield "fifo", os.mkfifo
    yield "symlink", lambda path: path.symlink_to(secret)
    yield "dev-zero", lambda path: path.symlink_to("/dev/zero")
    yield "dangling", lambda path: path.symlink_to("/nonexistent")
    yield "directory", lambda path: path.mkdir()
    yield "foreign-owner", foreign
    yield "sparse-terabyte", sparse
    yield "empty", text("")
    yield "no-newline", text("0 7fffffffffff no_newline")
    yield "not-hex", text("zz yy name\n" * 100)
    yield "overflow", text("ffffffffffffffff ffffffffffffffff over\n")
    yield "too-many-digits", text("1" * 5000 + " 10 digits\n")
    yield "negative", text("-1 -1 negative\n")
    yield "no-name", text("0 7fffffffffff \n0 7fffffffffff\n0\n\n")
    yield "long-line", text("0 7fffffffffff " + "A" * 5_000_000 + "\n")
    yield "many-lines", text("".join(f"{i:x} 1 f{i}\n" for i in range(300_000)))
    yield "overlapping", text("0 7fffffffffff a\n" * 50_000)
    yield "binary", lambda path: path.write_bytes(bytes(range(256)) * 400)
    for index, name in enumerate([*NAMES, *(os.fsdecode(name) for name in RAW_NAMES)]):
        yield f"name-{index}", text(f"0 7fffffffffff {name}\n")


def free_map(process):
    """Return the path of the perf map of @process. An earlier process may have left one there."""
    path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)
    return path


def perf_maps(place):
    """Processes with generated code have hostile perf maps in /tmp."""
    with contextlib.ExitStack() as stack:
        def launch(make):
            process = start(place.spinmap, str(RUN_MS), "-", "0")
            path = free_map(process)
            make(path)
            stack.callback(lambda: path.rmdir() if path.is_dir() else path.unlink())
            return go(process)

        with Field(place.judge, place.directory, "perf-maps").recorded() as field:
            field.run(perf_map_cases(place), launch)
        yield from field.verdicts([SECRET])


FLOOD_LINES = 600_000
FLOOD_MIB_MAX = 16


def anonymous_mib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("RssAnon:")[2].split()[0]) / 1024


def flood(path, different):
    """Append many lines to a perf map, of that many @different functions."""
    with path.open("a") as perf_map:
        for i in range(FLOOD_LINES):
            perf_map.write(f"{0x1000 + i % different * 16:x} 10 function number {i} of the flood\n")
            if i % 100_000 == 0:
                perf_map.flush()
                time.sleep(0.2)


def flooded_maps(place):
    """A process describes more generated code than anybody needs."""
    for name, different in (("again-and-again", 20_000), ("without-end", FLOOD_LINES)):
        path = place.directory / f"flood-{name}.assay"
        with contextlib.ExitStack() as stack:
            process = start(place.spinmap, "4000", "-", "0")
            perf_map = free_map(process)
            stack.callback(perf_map.unlink)
            maps = pathlib.Path(f"/proc/{process.pid}/maps")
            while "rwxp" not in maps.read_text():
                time.sleep(0.01)
            code = next(line for line in maps.read_text().splitlines() if "rwxp" in line)
            perf_map.write_text(f"{code.partition('-')[0]} 10 looper\n")
            recorder = stack.enter_context(recording(
                [place.judge.assay, "record", "-e", "cpu-clock", "-p", str(process.pid), "-o", path]))
            go(process)
            time.sleep(1)
            before = anonymous_mib(recorder.pid)
            flood(perf_map, different)
            time.sleep(1)
            grown = anonymous_mib(recorder.pid) - before
            process.wait()
        if not place.judge.is_sanitized:
            yield f"flood-{name}-memory", f"{grown:.1f} MiB" if grown > FLOOD_MIB_MAX else None
        if different < FLOOD_LINES:
            query = "SELECT total(samples) FROM flat WHERE function = 'looper'"
            answer = place.judge.run("sql", "--csv", path, query, allowed=(0,))[0] or "0"
            yield f"flood-{name}-name", \
                None if float(answer.split()[-1]) > 100 else "the function lost its name"
        yield f"flood-{name}-all-views", place.judge.reads(path, allowed=(0, 1))


# {kind: (rows that one process may add at once, rows per second after that, table, loss)}. The
# budgets are those of src/intake/chain.h and tracker.h.
BUDGETS = {"stacks": (2_000_000, 20_000, "stack", "stack-budget"),
           "mappings": (4096, 50, "mapping", "mapping-budget")}
FORGED_CALLERS = 126
FORGED_MB_MAX = 4


def forged_run(what):
    """Return (hz, ms) of a run that forges about 1.5 times as many callers as the budget.

    It has at least 3000 samples.
    """
    most = int(pathlib.Path("/proc/sys/kernel/perf_event_max_sample_rate").read_text())
    hz = min(7999, most)
    return hz, max(1000 * 3 * BUDGETS[what][0] // (2 * FORGED_CALLERS * hz), 3_000_000 // hz)


@attempts(3)
def forged_callers(place):
    """Each sample has a new, forged frame-pointer chain. The recording must stay small."""
    here = pathlib.Path(__file__).parent
    forge = place.spinmap.with_name("forge")
    subprocess.run(["make", "-s", "-C", here, f"OUT={forge.parent}", forge], check=True)
    for what, (burst, per_second, table, loss) in BUDGETS.items():
        path = place.directory / f"forged-{what}.assay"
        hz, run_ms = forged_run(what)
        _, _, problem = place.judge.run("record", "-e", "cpu-clock", "--collector", "ring",
                                        "-F", str(hz), "-o", path, "--", forge, what, str(run_ms),
                                        allowed=(0,))
        if problem:
            raise Failed(problem)
        query = f"SELECT (SELECT count(*) FROM {table}), " \
                f"(SELECT sum(count) FROM loss WHERE reason = '{loss}'), " \
                "(SELECT max(time_ns) - min(time_ns) FROM sample)"
        answer = place.judge.run("sql", "--csv", path, query, allowed=(0,))[0] or ""
        yield f"{what}-bounded", forged_problem(answer, burst, per_second)
        megabytes = path.stat().st_size >> 20
        yield f"{what}-file", f"{megabytes} MiB" if megabytes > FORGED_MB_MAX else None
        yield f"{what}-all-views", place.judge.reads(path, allowed=(0,))


def forged_problem(answer, burst, per_second):
    """Return a problem with the number of rows that were kept for forged callers, or None."""
    rows, lost, ns = (int(field or 0) for field in answer.splitlines()[-1].split(","))
    most = burst + per_second * (ns // 1_000_000_000 + 1) + 1000  # 1000 for real rows
    if rows > most:
        return f"{rows} rows, but {most} are allowed"
    if not lost or rows < burst:
        return f"{rows} rows and {lost} cut: the forgery did not reach the limit"
    return None


CHECKS = [mapped_files, executed_files, hostile_names, files_that_go, perf_maps, flooded_maps, forged_callers]
