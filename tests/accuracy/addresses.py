# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare sampled addresses with the code.

objdump tells which addresses can be sampled. The source tells how often. The three programs and the
argument come from the SLEEPY report (2005): x86 instructions are 1 to 15 bytes long, so the
addresses of a faulty sampler would often lie within an instruction.
"""
import re

from harness import Failed, need
from stats import wilson
from tools import disassembly

SAMPLES_MIN = 500


def own_addresses(bench, program):
    """Return {address: samples} of the program's own code."""
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
        yield program, off and f"no instruction begins at {off[0]:#x} and {len(off) - 1} others"
        # The oracle must be able to say no. Most addresses plus one are inside an instruction.
        shifted = sum(address + 1 not in boundaries for address in hits)
        yield f"{program}-shifted", None if shifted > len(hits) / 2 else \
            "the oracle accepts wrong addresses"


def loop_bodies(code, function):
    """Yield the address range of each loop, from the target of a backward jump to the jump."""
    for address, where, text in code:
        jump = re.match(r"j\w+\s+([0-9a-f]+) ", text)
        if where == function and jump and int(jump[1], 16) < address:
            yield int(jump[1], 16), address


def loop_body(bench):
    """The program `loop` spends all of its time in the only loop of its source."""
    need("objdump")
    (low, high), = loop_bodies(disassembly(bench.workload("loop")), "main")
    hits = own_addresses(bench, "loop")
    inside = sum(samples for address, samples in hits.items() if low <= address <= high)
    total = sum(hits.values())
    if wilson(inside, total)[1] < 0.999:
        raise Failed(f"{inside} of {total} samples are in the loop's body, expected 99.9 %")


def call_functions(bench):
    """The loop in sum_below runs 30,000 times as often as the loop in main."""
    hits = bench.sleepy("call").counts("function", image="call", context="user")
    inner, outer, total = hits.get("sum_below", 0), hits.get("main", 0), sum(hits.values())
    if wilson(inner, total)[1] < 0.999 or wilson(outer, total)[0] > 0.001:
        raise Failed(f"of {total} samples sum_below has {inner} and main {outer}")


CHECKS = [instruction_boundaries, loop_body, call_functions]
