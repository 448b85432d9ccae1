# SPDX-License-Identifier: GPL-2.0-or-later
"""Prospect's netperf case: which process is charged for network interrupts?

A process that only counts runs on the CPU that handles the interrupts of other processes' packets.
The kernel charges their time to this process. Without the samples in interrupt contexts, its share
of kernel time must be the same as when it runs alone.
"""
import pairs
from harness import Failed, Skipped, attempts
from stats import overlap, wilson

INTERRUPTS = ("softirq", "hardirq", "nmi")


def spinner_shares(bench, name):
    """Return intervals of the spinner's share of kernel time, with and without interrupts."""
    recording = bench.record(name, ["-e", "cpu-clock", "-a", "-F", "1999"], [
        bench.workload("spinner"), "3", str(pairs.INTERRUPT_CPU)])
    contexts = recording.counts("context", comm="spinner")
    total = sum(contexts.values())
    if total < 1000:
        raise Failed(f"only {total} samples of the spinner: {contexts}")
    system = total - contexts.get("user", 0)
    own = system - sum(contexts.get(context, 0) for context in INTERRUPTS)
    return wilson(system, total), wilson(own, total), contexts


def innocent(bench, protocol, network):
    pairs.check_machine()
    _, own_alone, _ = spinner_shares(bench, "spinner-alone")
    with pairs.running(bench.workload("pingpong"), protocol, network):
        billed, own, contexts = spinner_shares(bench, f"spinner-{protocol}")
    if billed[0] < own_alone[1] + 0.05:
        raise Skipped(f"the interrupts did not reach the spinner: {contexts}")
    if not overlap(own, own_alone):
        raise Failed(f"without interrupts, {own[0]:.2%} to {own[1]:.2%} of its time is in the "
                     f"kernel; alone, it is {own_alone[0]:.2%} to {own_alone[1]:.2%}: {contexts}")
    return f"{billed[0]:.0%} in the kernel with interrupts, at most {own[1]:.2%} without"


@attempts(2)
def innocent_beside_udp_loopback(bench):
    return innocent(bench, "udp", pairs.loopback)


@attempts(2)
def innocent_beside_tcp_veth(bench):
    return innocent(bench, "tcp", pairs.veth)


CHECKS = [innocent_beside_udp_loopback, innocent_beside_tcp_veth]
