# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile processes: a family of them runs under one recording, a case is a process.

Each uses some 40 ms of CPU time, so that at 1999 Hz it is surely sampled. A case went well
when the recorder and every report survive, and the process is in the report.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess

import elves
from harness import Failed, attempts, need, recording

RUN_MS = 40
EMBER_STEPS = 25_000_000
AT_ONCE = 16

# What a terminal, a page, a table or a format string might take for its own.
NAMES = ["\x1b[31mred", "\x1b]0;title\x07", "\x1b[2J", "a\nb", "a\rb", "a\tb", "\x07\x08", "\x7f",
         "<script>", "</td><b>", "&lt;&amp;", "'\"", "a,b;c", "=1+1", "%s%n%x", "$(id)", "--help",
         "\\x1b[0m", "a b", " ", "{}[]", "-", "\x01\x02\x03"]
RAW_NAMES = [b"\x9b31m", b"\xff\xfe\xfd", b"\xc2\x9b31m", b"\xe2\x80\xaeoby", b"\xc3",
             b"\xed\xa0\x80"]
SECRET = "SECRET_NOT_FOR_THE_REPORT"


class Field:
    """One recording of the whole machine, and the processes that ran in it."""

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
        """@start(*case) -> process, for all @cases, a few at a time."""
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
        """(case, problem) of each process, then of the recording as a whole."""
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
                "it was read from a file it must not trust" if word in functions else None


def start(*words, **options):
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, **options)


def go(process):
    process.stdin.write(b"\n")
    process.stdin.close()
    return process


def mapped_files(place):
    """Files that are damaged anywhere, mapped executable and run inside."""
    good = (place.workloads / "ember").read_bytes()

    def launch(path, data, offset):
        path.write_bytes(data)
        return go(start(place.spinmap, str(RUN_MS), path, str(offset)))

    with Field(place.judge, place.directory, "mapped").recorded() as field:
        field.run(((name, place.directory / f"mapped-{name}", data, offset)
                   for name, data, offset in elves.mapped_cases(good)), launch)
    yield from field.verdicts()


def executed_files(place):
    """Programs that run, with damage where the kernel does not look."""
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
    """Programs and symbols called what no program should be called."""
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
    """Mapped files that are removed or replaced while they run."""
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
    """(name, function that makes the path given to it such a perf map)"""
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


def perf_maps(place):
    """Generated code whose process says strange things about it in /tmp."""
    with contextlib.ExitStack() as stack:
        def launch(make):
            process = start(place.spinmap, str(RUN_MS), "-", "0")
            path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
            make(path)
            stack.callback(lambda: path.rmdir() if path.is_dir() else path.unlink())
            return go(process)

        with Field(place.judge, place.directory, "perf-maps").recorded() as field:
            field.run(perf_map_cases(place), launch)
        yield from field.verdicts([SECRET])


# What src/intake/chain.h and tracker.h allow one process at once, and each second after that.
BUDGETS = {"stacks": (2_000_000, 20_000, "stack", "stack-budget"),
           "mappings": (4096, 50, "mapping", "mapping-budget")}
FORGED_CALLERS = 126
FORGED_MB_MAX = 4


def forged_run(what):
    """(hz, ms) that show about half as many again as are kept, and no fewer than 3000 samples."""
    most = int(pathlib.Path("/proc/sys/kernel/perf_event_max_sample_rate").read_text())
    hz = min(7999, most)
    return hz, max(1000 * 3 * BUDGETS[what][0] // (2 * FORGED_CALLERS * hz), 3_000_000 // hz)


@attempts(3)
def forged_callers(place):
    """Frame-pointer chains that would be new rows at every sample, for ever."""
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
    """What is wrong with the rows that were kept of forged callers."""
    rows, lost, ns = (int(field or 0) for field in answer.splitlines()[-1].split(","))
    most = burst + per_second * (ns // 1_000_000_000 + 1) + 1000  # and what is no forgery
    if rows > most:
        return f"{rows} rows where {most} are allowed"
    if not lost or rows < burst:
        return f"{rows} rows and {lost} cut: the forgery did not reach the ceiling"
    return None


CHECKS = [mapped_files, executed_files, hostile_names, files_that_go, perf_maps, forged_callers]
