# SPDX-License-Identifier: GPL-2.0-or-later
"""Check that `assay diff` accuses the function that became slower, and nobody else."""
import csv
import io
import random
import shutil
import sys

from harness import Failed, Skipped
from tools import run

PAIRS = 10
FACTOR = 4
# Of the comparisons in which nothing changed, at most 5 % may accuse anybody. If the rate is 5 %,
# more than FEW of PAIRS comparisons accuse somebody with a probability of 6.4e-5, and more than
# FEW_OF_PROGRAMS of 20 with a probability of 3.4e-5: sum of C(n, k) 0.05^k 0.95^(n - k).
FEW = 4
FEW_OF_PROGRAMS = 6
ROUNDS = 2		# comparisons of each program

CULPRIT = "lookup"
INNOCENT = ("render", "parse")
TOTALS = {"serve": True, "main": True, "page": False, "parse": False}


def compare(bench, before, after, *options):
    """Return (exit status, messages, rows) of `assay diff`."""
    done = run([bench.assay, "diff", "--csv", *options, before.path, after.path])
    if done.returncode not in (0, 3):
        raise Failed(f"assay diff: exit {done.returncode}: {done.stderr[-300:].strip()}")
    return done.returncode, done.stderr, list(csv.DictReader(io.StringIO(done.stdout)))


def accused(rows):
    return {row["function"] for row in rows if row["verdict"] == "significant"}


def larger_totals(bench, before, after):
    """Return the functions whose time with callees is larger, at a confidence of 99.9 %."""
    conditions = {name: f"total(^{name}$) > +0% @99.9" for name in TOTALS}
    options = [word for text in conditions.values() for word in ("--fail-if", text)]
    _, messages, _ = compare(bench, before, after, *options)
    return {name for name, text in conditions.items() if f"{text}: the condition holds" in messages}


def slower_function(bench):
    """One of three functions takes four times as long in the second of two runs. Ten such pairs.

    The test of a pair accuses an innocent row with a probability of at most 5 %, and the conditions
    on the totals of innocent functions hold with 0.1 % each: more than FEW pairs with either have a
    probability of 8e-5. The change is four standard deviations beyond what is significant (runs
    that differ by 8 %), so that the culprit is missed more than FEW times with less than 1e-6.
    """
    program = bench.programs() / "slower"
    found, totals, wrong = 0, 0, []
    for pair in range(PAIRS):
        before = bench.record(f"slower-{pair}-before", [], [program, "1"])
        after = bench.record(f"slower-{pair}-after", [], [program, str(FACTOR)])
        _, _, rows = compare(bench, before, after)
        if "change_seconds" not in rows[0]:
            raise Failed("two recordings of commands were not compared by CPU seconds")
        names, larger = accused(rows), larger_totals(bench, before, after)
        found += CULPRIT in names
        totals += all(name in larger for name, grew in TOTALS.items() if grew)
        if others := (names - {CULPRIT}) | {name for name in larger if not TOTALS[name]}:
            wrong.append(f"{pair}: {', '.join(sorted(others))}")
    yield "culprit", None if found >= PAIRS - FEW else f"accused in {found} of {PAIRS} pairs"
    yield "callers", None if totals >= PAIRS - FEW else f"accused in {totals} of {PAIRS} pairs"
    yield "innocents", None if len(wrong) <= FEW else "; ".join(wrong)


def make_inputs(directory):
    """Write the inputs of the programs. The generator always starts from the same number."""
    numbers = random.Random(1)
    words = ["".join(numbers.choices("abcdefghij", k=7)) for _ in range(2000)]
    lines = [" ".join(numbers.choices(words, k=5)) + "\n" for _ in range(200000)]
    (directory / "text").write_text("".join(lines))
    (directory / "small").write_text("".join(lines[:30000]))
    (directory / "many.c").write_text("".join(
        f"int f{i}(int a, int b) {{ int s = 0; for (int i = 0; i < a; i++) for (int j = 0; j < b; "
        f"j++) {{ s += i * j % {i + 1}; if (s > 1000) s -= b; }} return s; }}\n"
        for i in range(150)))
    return directory / "text", directory / "small", directory / "many.c"


def programs(bench, directory):
    """Return {name: command} of twelve programs, of which some may not be installed."""
    text, small, many = make_inputs(directory)
    counting = ("{ for (i = 1; i <= NF; i++) n[$i]++ } "
                "END { for (word in n) print word, n[word] }")
    table = ("create table t (a, b); with recursive c(x) as (select 1 union all select x + 1 from "
             "c where x < 300000) insert into t select x * 7919 % 100003, x from c; create index i "
             "on t (a); select count(*), sum(b) from t group by a % 10 order by 2")
    return {
        "gzip": ["gzip", "-c", text],
        "xz": ["xz", "-c", small],
        "sort": ["sort", text],
        "python3": [sys.executable, "-c", "d = {}\nfor i in range(600000): d[i * 7919 % 100003] = "
                                          "str(i)\nsorted(d.values())"],
        "awk": ["awk", counting, text],
        "perl": ["perl", "-ne", "$n{$_}++ for split; END { print \"$_ $n{$_}\\n\" for sort keys %n }",
                 text],
        "sqlite3": ["sqlite3", ":memory:", table],
        "gcc": ["gcc", "-O2", "-c", "-o", "/dev/null", many],
        "openssl": ["openssl", "dgst", "-sha512", *[text] * 10],
        "node": ["node", "-e", "let a = []; for (let i = 0; i < 3e5; i++) a.push(Math.sin(i)); "
                               "a.sort(); JSON.stringify(a)"],
        "shares": [bench.workload("shares"), "500"],
        "btree": [bench.workload("btree"), "2000000"],
    }


def same_program(bench):
    """Compare runs of the same program, twice for each of the first ten that are installed.

    The sum of all comparisons is judged: one alone may accuse somebody by chance.
    """
    directory = bench.directory / "same-program"
    directory.mkdir(exist_ok=True)
    compared, wrong = 0, []
    for name, command in programs(bench, directory).items():
        if compared == 10 * ROUNDS:
            break
        if not shutil.which(str(command[0])):
            print(f"# same-program: {name} is not installed", flush=True)
            continue
        for number in range(ROUNDS):
            before, after = (bench.record(f"same-{name}-{number}-{side}", [], [
                "sh", "-c", 'exec "$@" >/dev/null', "sh", *command]) for side in ("1", "2"))
            _, _, rows = compare(bench, before, after)
            compared += 1
            if names := accused(rows):
                wrong.append(f"{name}: {', '.join(sorted(names))}")
    if compared < 10 * ROUNDS:
        raise Skipped(f"only {compared // ROUNDS} of ten programs are installed")
    print(f"# same-program: {len(wrong)} of {compared} comparisons accuse somebody", flush=True)
    if len(wrong) > FEW_OF_PROGRAMS:
        raise Failed(f"{len(wrong)} of {compared} comparisons accuse somebody: {'; '.join(wrong)}")


CHECKS = [slower_function, same_program]
