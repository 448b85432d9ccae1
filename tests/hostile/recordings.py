# SPDX-License-Identifier: GPL-2.0-or-later
"""Give assay recordings that are cut short or damaged, other files, and nonsense options."""
import os
import pty
import random
import shutil
import signal
import sqlite3
import subprocess

from harness import Failed, default_signals
from judge import SECONDS_MAX

ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT"
STRANGE_SCHEMAS = {
    "endless-view": "DROP TABLE {0}; CREATE VIEW {0} AS %s x AS id, x AS kind FROM r" % ENDLESS,
    "trigger": "CREATE TRIGGER t AFTER INSERT ON {0} BEGIN DELETE FROM block; END",
    "computed": "ALTER TABLE {0} ADD COLUMN more AS (hex(zeroblob(9999999)))",
}
# A pager that lists the open files of the program that started it.
PAGER = "#!/bin/sh\nls -l /proc/$PPID/fd >'%s'\ncat >/dev/null\n"

VALUES = {"null": None, "minus": -1, "huge": (1 << 62), "text": "\x1b[31m<script>\n",
          "bytes": b"\x00\xff" * 40}
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

NONSENSE = [
    [], ["nonsense"], ["--nonsense"], [""], ["\x1b[31m"], ["rec"], ["record"], ["record", "--"],
    ["record", "-F"], ["record", "-F", "0"], ["record", "-F", "-1"], ["record", "-F", "abc"],
    ["record", "-F", "99999999999999999999", "--", "true"], ["record", "-c", "0", "--", "true"],
    ["record", "-F", "99", "-c", "99", "--", "true"], ["record", "-e", "", "--", "true"],
    ["record", "-e", "\x1b[2J", "--", "true"], ["record", "-e", "cycles:zz", "--", "true"],
    ["record", "-e", "cpu/x=/", "--", "true"], ["record", "-e", "a" * 100000, "--", "true"],
    ["record", "-e", "," * 1000, "--", "true"], ["record", "-p", "0"], ["record", "-p", "-5"],
    ["record", "-p", "4194305"], ["record", "-p", "1,,2"], ["record", "-t", "x"],
    ["record", "-C", "9999", "--", "true"], ["record", "-C", "3-1", "--", "true"],
    ["record", "-G", "no/such/group"], ["record", "-a", "-d", "-1"], ["record", "-a", "-d", "x"],
    ["record", "-M", "0", "--", "true"], ["record", "--call-graph", "x", "--", "true"],
    ["record", "-o", "/nonexistent/x", "--", "true"], ["record", "-o", "/", "--", "true"],
    ["record", "-o", "", "--", "true"], ["record", "--counters", "x\ny", "--", "true"],
    ["record", "--", "/nonexistent\x1b[31m"], ["record", "--", "/"], ["run", "--", "/etc/passwd"],
    ["report", "/nonexistent"], ["report", "/"], ["report", "/dev/zero"],
    ["report", ""], ["report", "/dev/null"], ["report", "extra", "words"],
    ["report", "--by", ""], ["report", "--by", "x"], ["report", "--by", "comm,comm,"],
    ["report", "--by", "comm,tgid,uid,image,function,address,cpu,context,event"],
    ["report", "--limit", "x"], ["report", "--min-percent", "x"], ["report", "--context", "x"],
    ["report", "--time", "x"], ["report", "--cpu", "x"], ["report", "--pid", "x"],
    ["annotate"], ["annotate", "x", "/nonexistent"], ["annotate", "x", "/dev/zero"],
    ["annotate", "", "/dev/null"], ["annotate", "--by", "", "x"], ["annotate", "a[", "extra", "x"],
    ["annotate", "x:1", "/dev/zero"], ["annotate", "--source", "x", "/dev/null"],
    ["annotate", "--source-dir", "x"], ["symbolize", "--source-dir", "x", "/dev/null"],
    ["record", "--source-dir", "x", "--", "true"],
    ["sql", "/nonexistent", "SELECT 1"], ["sql", "/dev/zero", "SELECT 1"], ["list", "nonsense"],
    ["doctor", "nonsense"],
]
# These ask about a good recording, so the question itself must be what is refused.
QUERIES = ["", ";", "SELECT", "SELECT * FROM nothing", "DROP TABLE event", "DELETE FROM event",
           "ATTACH '/tmp/x' AS x", "PRAGMA writable_schema=1; DELETE FROM sqlite_master",
           "SELECT char(27) || '[31m'", "SELECT x'1b5b33316d00ff'", "SELECT 1; SELECT 2",
           "SELECT '<script>' AS \"\x1b[2J\"", "SELECT load_extension('/tmp/x.so')",
           "SELECT * FROM sample LIMIT 3", "SELECT readfile('/etc/shadow')", "\x1b[31m",
           "SELECT count(*) FROM sample a, sample b WHERE a.cpu = 99 AND b.cpu = 99"]


def good_recording(place):
    path = place.directory / "good.assay"
    if not path.exists():
        # A real recording, with kernel code, several processes and some names.
        problem = place.judge.run("record", "-e", "cpu-clock", "-a", "-F", "999", "-o", path,
                                  "--", "sh", "-c",
                                  'for i in 1 2 3; do "$0" 50000000; done; ls -R /usr/bin',
                                  place.workloads / "ember")[2]
        problem = problem or place.judge.reads(path)
        if problem:
            raise Failed(problem)
    return path


def damaged_files(place):
    """Recordings are cut short, or have flipped bits or wiped pages."""
    good = good_recording(place).read_bytes()
    path, chance = place.directory / "damaged.assay", random.Random(1)
    sizes = sorted({0, 1, 15, 16, 99, 100, 4095, 4096, len(good) - 1,
                    *(chance.randrange(len(good)) for _ in range(24))})
    cases = [(f"cut-at-{size}", good[:size]) for size in sizes]
    for number in range(40):
        data = bytearray(good)
        for _ in range(1 << number % 6):
            data[chance.randrange(100, len(data))] ^= 1 << chance.randrange(8)
        cases.append((f"flip-{number}", bytes(data)))
    for page in sorted(chance.sample(range(len(good) // 4096), min(12, len(good) // 4096))):
        start = page * 4096
        cases.append((f"page-{page}-wiped", good[:start] + bytes(4096) + good[start + 4096:]))
    cases += [(f"header-{at}", good[:at] + b"\xff" + good[at + 1:]) for at in range(0, 100, 6)]
    cases += [("text", b"not a recording\n" * 999), ("zeros", bytes(1 << 20)),
              ("zeros-after-magic", good[:16] + bytes(1 << 16))]
    for name, data in cases:
        path.write_bytes(data)
        yield name, place.judge.reads(path)


def damaged_blocks(place):
    """A flipped bit in a block must be reported as damage."""
    path, at, blocks = place.directory / "damaged.assay", -1, 0
    shutil.copy(good_recording(place), path)
    database = sqlite3.connect(path)  # remove the code blocks, which a report does not read
    database.execute("DELETE FROM block WHERE kind = 'code'")
    database.commit()
    database.execute("VACUUM")
    database.close()
    good = path.read_bytes()
    while (at := good.find(ZSTD_MAGIC, at + 1)) >= 0:
        blocks += 1
        path.write_bytes(good[:at + 12] + bytes([good[at + 12] ^ 4]) + good[at + 13:])
        stdout, stderr, problem = place.judge.run("report", path)
        if not problem and "damaged" not in stdout + stderr:
            problem = "the damage is not reported"
        yield f"block-{blocks}", problem
    if not blocks:
        raise Failed("the recording has no block")


def damaged_code(place):
    """Code that fails its checksum is not shown.

    Instead, annotate shows the file's code or says why it cannot.
    """
    path, annotate = place.directory / "code.assay", ["annotate", "ember"]
    shutil.copy(good_recording(place), path)
    shown, _, problem = place.judge.run(*annotate, path)
    if not problem and "code from the recording" not in shown:
        problem = "the recording kept no code"
    yield "kept", problem
    with sqlite3.connect(path) as database:
        (data,), = database.execute("SELECT data FROM block WHERE kind = 'code'")
    database.close()
    for at in range(0, len(data), max(1, len(data) // 40)):
        with sqlite3.connect(path) as database:
            database.execute("UPDATE block SET data = ? WHERE kind = 'code'",
                             (data[:at] + bytes([data[at] ^ 16]) + data[at + 1:],))
        database.close()
        shown, _, problem = place.judge.run(*annotate, path)
        if not problem and "code from the recording" in shown:
            problem = "damaged code was shown"
        yield f"byte-{at}", problem


def hostile_rows(place):
    """Each column of each table is filled with values that no recorder writes."""
    good, path = good_recording(place), place.directory / "rows.assay"
    with sqlite3.connect(good) as database:
        tables = [name for name, in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
        columns = [(table, row[1]) for table in tables
                   for row in database.execute(f'PRAGMA table_info("{table}")')]
    for table, column in columns:
        for word, value in VALUES.items():
            shutil.copy(good, path)
            database = sqlite3.connect(path)
            try:
                database.execute(f'UPDATE OR REPLACE "{table}" SET "{column}" = ?', (value,))
                database.commit()
            except sqlite3.DatabaseError:
                continue  # the schema does not allow the value
            finally:
                database.close()
            yield f"{table}-{column}-{word}", place.judge.reads(path)
    for table in tables:
        for word, change in (("dropped", f'DROP TABLE "{table}"'),
                             ("empty", f'DELETE FROM "{table}"')):
            shutil.copy(good, path)
            with sqlite3.connect(path) as database:
                database.execute(change)
            database.close()
            yield f"{table}-{word}", place.judge.reads(path)


def strange_schemas(place):
    """A file with other objects in place of tables is refused, with its name, before any query."""
    path = place.directory / "schema.assay"
    for table in ("meta", "image", "process", "block", "loss"):
        for word, change in STRANGE_SCHEMAS.items():
            shutil.copy(good_recording(place), path)
            with sqlite3.connect(path) as database:
                database.executescript(change.format(table))
            database.close()
            for verb in (["report", path], ["sql", path, "SELECT 1"]):
                _, stderr, problem = place.judge.run(*verb, allowed=(1,))
                if not problem and str(path) not in stderr:
                    problem = f"the message does not name the file: {stderr}"
                yield f"{table}-{word}-{verb[0]}", problem


def own_queries(place):
    """A user's own statement may run for ever, and ^C ends it."""
    sql = subprocess.Popen([place.judge.assay, "sql", good_recording(place),
                            f"{ENDLESS} count(*) FROM r"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           preexec_fn=default_signals)
    try:
        sql.wait(timeout=3)
        yield "endless", f"the statement ended: {sql.stderr.read()}"
    except subprocess.TimeoutExpired:
        yield "endless", None
    sql.send_signal(signal.SIGINT)
    try:
        sql.communicate(timeout=SECONDS_MAX)
        yield "interrupted", None
    except subprocess.TimeoutExpired:
        sql.kill()
        yield "interrupted", "the program does not end"


def pager_holds_nothing(place):
    """The recording is closed while the pager runs, so that its journal can be merged."""
    pager, seen = place.directory / "pager", place.directory / "open-files"
    pager.write_text(PAGER % seen)
    pager.chmod(0o755)
    good = good_recording(place)
    ours, theirs = pty.openpty()
    with subprocess.Popen([place.judge.assay, "report", good], stdin=subprocess.DEVNULL,
                          stdout=theirs, env=os.environ | {"PAGER": str(pager)}) as report:
        os.close(theirs)
        status = report.wait(timeout=SECONDS_MAX)
    os.close(ours)
    if status or not seen.exists():
        raise Failed(f"the pager did not run; exit {status}")
    if str(good) in seen.read_text():
        raise Failed("the recording is still open")


def strange_files(place):
    """assay is given files that are not recordings."""
    fifo, link = place.directory / "fifo", place.directory / "loop"
    os.mkfifo(fifo)
    link.symlink_to(link)
    for path in (fifo, link, place.directory, "/dev/zero", "/dev/null", "/proc/self/mem",
                 place.workloads / "ember"):
        yield os.path.basename(path), place.judge.reads(path)


def nonsense(place):
    for words in NONSENSE:
        problem = place.judge.run(*words, allowed=(1, 2, 3, 126, 127))[2]
        yield " ".join(words)[:60] or "nothing", problem
    path = good_recording(place)
    before = path.read_bytes()
    for query in QUERIES:
        yield f"sql-{query}"[:60], place.judge.run("sql", path, query)[2]
    yield "sql-changed-nothing", None if path.read_bytes() == before else "the file was written to"


CHECKS = [damaged_files, damaged_blocks, damaged_code, hostile_rows, strange_schemas, own_queries,
          pager_holds_nothing, strange_files, nonsense]
