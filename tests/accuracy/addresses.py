# SPDX-License-Identifier: GPL-2.0-or-later
"""Sampled addresses against the code: objdump says what can be sampled, the source how often.

The three programs are those of the SLEEPY report (2005), which made this argument first: an
x86 instruction is 1 to 15 bytes long, so a sampler that is wrong does not hit boundaries.
"""
import re

from harness import Failed, need
from stats import wilson
from tools import disassembly

SAMPLES_MIN = 500


def own_addresses(bench, program):
    """{address: samples} of the program's own code."""
    found = bench.sleepy(program).counts("address", image=program, context="user")
    total = sum(found.values())
    if total < SAMPLES_MIN:
        raise Failed(f"{program}: only {total} samples of its own code")
    return {int(address.split()[0], 16): samples for address, samples in found.items()}


def instruction_boundaries(bench):
    need("objdump")
    for program in ("loop", "call", "btree"):
        hits = own_addresses(bench, program)
        boundaries = {address for address, _, _ in disassembly(bench.workload(program))}
        off = [address for address in hits if address not in boundaries]
        yield program, off and f"{off[0]:#x} and {len(off) - 1} others begin no instruction"
        # The oracle must be able to say no: one byte further is mostly inside an instruction.
        shifted = sum(address + 1 not in boundaries for address in hits)
        yield f"{program}-shifted", None if shifted > len(hits) / 2 else "the oracle accepts all"


def loop_bodies(code, function):
    """Address ranges from the target of a backward jump to the jump."""
    for address, where, text in code:
        jump = re.match(r"j\w+\s+([0-9a-f]+) ", text)
        if where == function and jump and int(jump[1], 16) < address:
            yield int(jump[1], 16), address


def loop_body(bench):
    """All of loop's time is the one loop in its source."""
    need("objdump")
    (low, high), = loop_bodies(disassembly(bench.workload("loop")), "main")
    hits = own_addresses(bench, "loop")
    inside = sum(samples for address, samples in hits.items() if low <= address <= high)
    total = sum(hits.values())
    if wilson(inside, total)[1] < 0.999:
        raise Failed(f"{inside} of {total} samples are in the loop's body, expected 99.9 %")


def call_functions(bench):
    """sum_below's loop runs 30,000 times as often as main's."""
    hits = bench.sleepy("call").counts("function", image="call", context="user")
    inner, outer, total = hits.get("sum_below", 0), hits.get("main", 0), sum(hits.values())
    if wilson(inner, total)[1] < 0.999 or wilson(outer, total)[0] > 0.001:
        raise Failed(f"of {total} samples sum_below has {inner} and main {outer}")


CHECKS = [instruction_boundaries, loop_body, call_functions]
