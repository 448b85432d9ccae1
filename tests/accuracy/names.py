# SPDX-License-Identifier: GPL-2.0-or-later
"""Check the function names of programs in which code at an address changes.

The thread name says which function runs, so the frames must have that function's name. Each program
is recorded with the in-kernel sampler and with the ring that copies stacks. The code at an address
changes within one process by exec, by libraries that replace each other, or by code that moves. In
other programs the file is not at its path.
"""
import pathlib
import shutil

from harness import Failed, Skipped, attempts
from stats import wilson
from tools import run

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
COLLECTORS = {
    "bpf": ["--collector", "bpf"],
    "ring": ["--collector", "ring", "--call-graph", "dwarf"],
}
NAMES = ("alpha", "beta", "gamma")
SAMPLES_MIN = 60


def compiled(bench, source, name, *flags):
    out = bench.directory / name
    if not out.exists():
        done = run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-fomit-frame-pointer", "-pthread",
                    *flags, PROGRAMS / source, "-o", out])
        if done.returncode != 0:
            raise Failed(f"gcc: {done.stderr[-300:]}")
    return out


def named(bench, source, suffix, *flags):
    """Compile one file for each name. The same addresses are in other functions in each file."""
    return [compiled(bench, source, name + suffix, f"-DNAME={name}",
                     f'-DBEFORE="{48 * at}"', *flags) for at, name in enumerate(NAMES)]


def libraries(bench):
    return named(bench, "library.c", ".so", "-shared", "-fPIC", "-Wl,-Bsymbolic")


def programs(bench):
    return named(bench, "itself.c", "", "-static", "-no-pie")


def stacks_by_comm(recording):
    """Return {comm: [(functions, samples)]} of user-mode samples. Functions are innermost first."""
    functions, found = {}, {}
    for row in recording.sql("SELECT stack, function FROM stack_frames ORDER BY stack, depth"):
        functions.setdefault(row["stack"], []).append(row["function"])
    for row in recording.sql(
            "SELECT thread.comm AS comm, stack, count(*) AS samples FROM sample "
            "JOIN thread ON thread.id = sample.thread "
            "JOIN context ON context.id = sample.context "
            "WHERE context.name = 'user' GROUP BY comm, stack"):
        stack = functions.get(row["stack"], ["?"])
        found.setdefault(row["comm"], []).append((stack, int(row["samples"])))
    return found


def is_aside(stack):
    """Return whether the sample is not in the program's own code, but in start-up or clock code."""
    return stack[0] and not stack[0].startswith(("burn_", "call_", "[", "0x", "?"))


def judge(recording, outer, least):
    """Check that for each name burn_NAME is called by call_NAME, run_as and the function in @outer.

    Return ({comm: "right/total"}, problems).
    """
    stacks, problems, counts = stacks_by_comm(recording), [], {}
    for comm, last in outer.items():
        want = [f"burn_{comm}", f"call_{comm}", "run_as"]
        rows = [row for row in stacks.get(comm, []) if not is_aside(row[0])]
        wrong = [(stack, samples) for stack, samples in rows
                 if last not in stack or want[:2] != stack[:2] and want[1:] != stack[:2]]
        total = sum(samples for _, samples in rows)
        right = total - sum(samples for _, samples in wrong)
        counts[comm] = f"{right}/{total}"
        if total < SAMPLES_MIN or wilson(right, total)[1] < least:
            problems.append(f"{comm}: {right} of {total} are right; wrong are {wrong[:4]}")
    return counts, "; ".join(problems)


def each_collector(bench, name, command, outer, least=0.995):
    for collector, options in COLLECTORS.items():
        words = command() if callable(command) else command
        recording = bench.record(f"{name}-{collector}", [*options, "-F", "999"], words)
        counts, problem = judge(recording, outer, least)
        yield collector, problem and f"{problem} (right of all: {counts})"


@attempts(2)
def names_after_exec(bench):
    """One process runs three programs in turn, all at the same addresses."""
    yield from each_collector(bench, "exec", [programs(bench)[0], "20", *programs(bench)[1:],
                                              *programs(bench) * 9],
                              dict.fromkeys(NAMES, "_start"))


@attempts(2)
def names_of_a_family(bench):
    """A process has a child by fork, a child by vfork, and a thread."""
    guests = compiled(bench, "guests.c", "guests")
    yield from each_collector(bench, "family", [guests, "family", "300"],
                              {"child": "_start", "vchild": "_start", "thread": "in_thread",
                               "parent": "_start"})


@attempts(2)
def names_of_libraries_in_turn(bench):
    """Each library is closed before the next one is loaded at the same address."""
    guests, paths = compiled(bench, "guests.c", "guests"), libraries(bench)
    lines = run([guests, "turns", "8", *paths]).stdout.split("\n")
    pages = {line.split()[1][:-3] for line in lines if line}
    if len(pages) != 1:
        raise Skipped(f"the libraries were not at the same address: {pages}")
    yield from each_collector(bench, "turns", [guests, "turns", "400", *paths],
                              dict.fromkeys(NAMES, "_start"))


@attempts(2)
def names_out_of_memory_files(bench):
    guests = compiled(bench, "guests.c", "guests")
    yield from each_collector(bench, "memory", [guests, "memory", "300", *libraries(bench)],
                              dict.fromkeys(NAMES, "_start"))


@attempts(2)
def names_of_moved_code(bench):
    """mremap gives no record, so the recorder notices it only when it reads the mappings again."""
    guests = compiled(bench, "guests.c", "guests")
    yield from each_collector(bench, "moved", [guests, "moved", "1500", libraries(bench)[0]],
                              {"alpha": "_start"}, least=0.8)


@attempts(2)
def names_after_lost_stacks(bench):
    """A library that first occurs in broken stacks is unwound correctly afterwards."""
    guests = compiled(bench, "guests.c", "guests")
    yield from each_collector(bench, "lost", [guests, "lost", "400", *libraries(bench)],
                              dict.fromkeys(("parent", *NAMES), "_start"))


@attempts(2)
def names_of_deleted_programs(bench):
    def command():
        place = bench.directory / "deleted"
        shutil.copy(programs(bench)[0], place)
        return [place, "300", "-"]
    yield from each_collector(bench, "gone", command, {"alpha": "_start"})


@attempts(2)
def names_in_another_mount_namespace(bench):
    """The program's path exists only in another mount namespace."""
    place = bench.directory / "there"
    place.mkdir(exist_ok=True)
    if run(["unshare", "-m", "mount", "-t", "tmpfs", "none", place]).returncode != 0:
        raise Skipped("a mount namespace cannot be made here")
    script = 'mount -t tmpfs none "$0" && cp "$1" "$0/program" && "$0/program" 300'
    yield from each_collector(bench, "mounts", ["unshare", "-m", "sh", "-c", script, place,
                                                programs(bench)[0]], {"alpha": "_start"})


@attempts(2)
def names_in_32_bits(bench):
    """A 32-bit program is unwound by its frame pointers, and the report counts these samples."""
    out = bench.directory / "narrow"
    done = run(["gcc", "-m32", "-O2", "-fno-omit-frame-pointer", "-fno-stack-protector", "-nostdlib",
                "-static", "-fno-pie", "-no-pie", PROGRAMS / "narrow.c", "-o", out])
    if done.returncode != 0:
        raise Skipped(f"32-bit programs cannot be compiled here: {done.stderr[-200:]}")
    try:
        run([out])
    except OSError as problem:
        raise Skipped(problem) from problem
    for collector, options in COLLECTORS.items():
        recording = bench.record(f"narrow-{collector}", [*options, "-F", "999"], [out])
        rows = [row for row in stacks_by_comm(recording).get("narrow", [])
                if row[0][0] == "burn_narrow"]
        total = sum(samples for _, samples in rows)
        right = sum(samples for stack, samples in rows
                    if stack == ["burn_narrow", "call_narrow", "begin", "_start"])
        told = "samples of 32-bit programs were unwound" in " ".join(
            recording.ask("report", "--full", recording.path).split())
        yield collector, None if total >= SAMPLES_MIN and right == total and told else \
            f"{right} of {total} are right, told: {told}: {rows[:4]}"


CHECKS = [names_after_exec, names_of_a_family, names_of_libraries_in_turn,
          names_out_of_memory_files, names_of_moved_code, names_after_lost_stacks,
          names_of_deleted_programs, names_in_another_mount_namespace,
          names_in_32_bits]
