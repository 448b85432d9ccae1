#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Read a recording with other people's SQLite: the sqlite3 shell and Python's module.

With the extension they must see the very samples, stacks and locations that we read
ourselves; without it, all plain tables and views.

Usage: test_oracle.py DUMP_RECORDING ASSAY_SQLITE   (exit status 77: nothing to compare with)
"""
import collections, os, shutil, sqlite3, subprocess, sys, tempfile

ROOTS = {0: "end", 1: "truncated", 2: "broken", 3: "none"}


def is_sanitized(library):
    """An extension that needs a sanitizer's run time cannot be loaded by anyone else's program."""
    with open(library, "rb") as file:
        return b"__asan_init" in file.read()


def shell(path, *commands):
    done = subprocess.run(["sqlite3", "-batch", "-bail", path, *commands], capture_output=True,
                          text=True, errors="surrogateescape")
    if done.returncode or done.stderr:
        raise AssertionError(f"sqlite3 {commands}: {done.stderr}")
    return done.stdout.splitlines()


def through_shell(path, extension):
    def ask(sql):
        return [tuple(line.split("|")) for line in shell(path, f".load {extension}", sql)]
    return ask


def through_python(path, extension):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    if not hasattr(database, "enable_load_extension"):
        return None
    database.enable_load_extension(True)
    database.load_extension(extension)

    def ask(sql):
        return [tuple("" if value is None else str(value) for value in row)
                for row in database.execute(sql)]
    return ask


def same(what, have, want):
    if have != want:
        first = next((i for i, (a, b) in enumerate(zip(have, want)) if a != b),
                     min(len(have), len(want)))
        raise AssertionError(f"{what}: {len(have)} rows, {len(want)} expected, row {first} is "
                             f"{have[first:first + 1]}, not {want[first:first + 1]}")


def check_extension(ask, rows):
    samples = [tuple("" if word == "None" else word for word in row) for row in rows["sample"]]
    columns = "time_ns, thread, cpu, event, context, stack, late_ns, weight, counter_1"
    same("samples", ask(f"SELECT {columns} FROM sample"), samples)
    same("ids", ask("SELECT id FROM sample"), [(str(i),) for i in range(len(samples))])
    low, high, edge = samples[100][0], samples[-100][0], samples[4000][0]  # flushes are of 4000
    for condition in (f"time_ns <= {edge}", f"time_ns < {edge}", f"time_ns >= {edge}",
                      f"time_ns = {edge}", f"time_ns >= {low} AND time_ns < {high}",
                      f"time_ns > {high}",
                      f"time_ns <= {low}", f"time_ns = {low}", "id BETWEEN 5 AND 9",
                      f"time_ns BETWEEN {low} AND {high} AND cpu = 1", "time_ns < -1"):
        plain = condition.replace("time_ns", "+time_ns").replace("id ", "+id ")
        same(condition, ask(f"SELECT {columns} FROM sample WHERE {condition}"),
             ask(f"SELECT {columns} FROM sample WHERE {plain}"))
    stacks = [(i, "", ROOTS[int(parent)], location) if int(parent) in ROOTS else
              (i, parent, "", location) for i, parent, location in rows["stack"]]
    same("stacks", ask("SELECT id, parent, root, location FROM stack"), stacks)
    same("one stack", ask("SELECT * FROM stack WHERE id = 50"), [stacks[46]])
    same("no stack", ask("SELECT * FROM stack WHERE id IN (0, 3, -1, 1 << 40, 'x', NULL)"), [])
    same("locations", ask("SELECT id, image, vaddr, function FROM location"), rows["location"])
    check_frames(ask, rows)
    functions = [tuple("" if word == "None" else word for word in row) for row in rows["function"]]
    same("functions", ask("SELECT * FROM function"), functions)
    same("hot functions", ask("SELECT * FROM hot_function"),
         ask("SELECT f.id, f.name, f.image, f.quality, f.vaddr, f.size_bytes FROM function f"
             " WHERE id IN (SELECT function FROM hit) ORDER BY id"))
    check_totals(ask, len(samples))
    check_threads(ask, len(samples))


def has_row(count):
    """One sample in 10,000 is enough, or in 2,000 if these are fewer than twenty."""
    return f"count(*) * iif(count(*) < 20, 2000, 10000) >= {count}"


def check_totals(ask, count):
    """A function has a row if it has enough samples, a process from one in a hundred on."""
    leaves = ("SELECT coalesce(l.function, 0) AS function, coalesce(t.process, 0) AS process,"
              " s.event, s.context, weight"
              " FROM sample s LEFT JOIN stack k ON k.id = s.stack LEFT JOIN location l ON"
              " l.id = k.location LEFT JOIN thread t ON t.id = s.thread")
    hot = f"SELECT function FROM leaf GROUP BY 1 HAVING {has_row(count)}"
    main = f"SELECT process FROM leaf GROUP BY 1 HAVING count(*) * 100 >= {count}"
    want = ask(f"WITH leaf AS MATERIALIZED ({leaves}) SELECT coalesce(p.application, 0),"
               f" iif(process IN ({main}), process, 0), event, context,"
               f" iif(function = 0 OR function IN ({hot}), function, -1), count(*), sum(weight)"
               " FROM leaf LEFT JOIN process p ON p.id = process"
               " GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5")
    assert want
    same("totals", ask("SELECT * FROM hit ORDER BY application, process, event, context,"
                       " function"), want)


def check_threads(ask, count):
    busy = (f"SELECT thread FROM sample GROUP BY 1 HAVING {has_row(count)}"
            " UNION SELECT id FROM thread WHERE process IN (SELECT t.process FROM sample s"
            f" JOIN thread t ON t.id = s.thread GROUP BY 1 HAVING count(*) * 100 >= {count})")
    want = ask(f"SELECT iif(thread IN ({busy}), thread, -1), event, context, count(*), sum(weight)"
               " FROM sample GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")
    assert want[0][0] == "-1", "no thread is small enough to be folded"
    same("thread_time", ask("SELECT * FROM thread_time ORDER BY thread, event, context"), want)


def check_frames(ask, rows):
    nodes = {int(i): (int(parent), location) for i, parent, location in rows["stack"]}
    for leaf in sorted(nodes)[::97]:
        want, node = [], leaf
        while node in nodes:
            want.append((str(leaf), str(len(want)), str(node), nodes[node][1]))
            node = nodes[node][0]
        same(f"frames of {leaf}", ask(f"SELECT * FROM stack_frame WHERE stack = {leaf}"), want)
        names = ask(f"SELECT depth, location FROM stack_frames WHERE stack = {leaf}")
        same(f"names of {leaf}", names, [(row[1], row[3]) for row in want])


def check_plain(path, rows):
    count = str(len(rows["sample"]))
    same("hit", shell(path, "SELECT sum(samples) FROM hit"), [count])
    same("flat", shell(path, "SELECT (SELECT sum(samples) FROM flat) + (SELECT sum(samples) FROM hit"
                             " JOIN context c ON c.id = context WHERE c.name = 'idle')"), [count])
    same("threads", shell(path, "SELECT sum(samples) FROM thread_time"), [count])
    assert shell(path, "SELECT * FROM process_time LIMIT 1")
    same("check", shell(path, "PRAGMA integrity_check"), ["ok"])
    for table in shell(path, "SELECT name FROM sqlite_schema WHERE type = 'table'"):
        shell(path, f"SELECT * FROM {table}")


def main():
    if not shutil.which("sqlite3"):
        print("skipped: sqlite3 is not installed")
        return 77
    dump, extension = sys.argv[1:3]
    if is_sanitized(extension):
        print("skipped: the extension is built with a sanitizer")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.assay")
        lines = subprocess.run([dump, path], capture_output=True, text=True, check=True).stdout
        rows = collections.defaultdict(list)
        for line in lines.splitlines():
            kind, *words = line.split()
            rows[kind].append(tuple(words))
        check_plain(path, rows)
        check_extension(through_shell(path, extension), rows)
        ask = through_python(path, extension)
        if ask:
            check_extension(ask, rows)
        else:
            print("this python cannot load extensions: only the sqlite3 shell was compared")
    return 0


if __name__ == "__main__":
    sys.exit(main())
