# SPDX-License-Identifier: GPL-2.0-or-later
"""Run request-response pairs whose receive interrupts are handled on a chosen CPU.

The pairs run on CPU 0. Receive packet steering sends each packet to CPU 1. There a hardware
interrupt and then a software interrupt process the packet, and interrupt the task that runs there.
"""
import contextlib
import os
import pathlib
import subprocess
import time

from harness import Skipped, need

PAIRS = 4
PORT = 17300
WORK_CPU, INTERRUPT_CPU = 0, 1


def steer(device, mask, namespace=()):
    command = f"echo {mask:x} > /sys/class/net/{device}/queues/rx-0/rps_cpus"
    done = subprocess.run([*namespace, "sh", "-c", command], capture_output=True, check=False)
    if done.returncode != 0:
        raise Skipped(f"cannot steer the packets of {device}: {done.stderr.decode().strip()}")


def check_machine():
    if os.geteuid() != 0:
        raise Skipped("steering packets needs root")
    if not {WORK_CPU, INTERRUPT_CPU} <= os.sched_getaffinity(0):
        raise Skipped("the test needs two CPUs")


@contextlib.contextmanager
def loopback():
    """Yield (words to enter the client's namespace, the same for the server, server's address)."""
    check_machine()
    path = pathlib.Path("/sys/class/net/lo/queues/rx-0/rps_cpus")
    before = int(path.read_text().replace(",", ""), 16)
    steer("lo", 1 << INTERRUPT_CPU)
    try:
        yield (), (), "127.0.0.1"
    finally:
        steer("lo", before)


@contextlib.contextmanager
def veth():
    """Yield the same as loopback(), for a veth pair between two network namespaces."""
    check_machine()
    need("ip")
    names = [f"assay-{os.getpid()}-{side}" for side in "ab"]
    devices = [f"as{os.getpid()}{side}" for side in "ab"]
    spaces = [("ip", "netns", "exec", name) for name in names]
    with contextlib.ExitStack() as stack:
        for name in names:
            if subprocess.run(["ip", "netns", "add", name], check=False).returncode != 0:
                raise Skipped("cannot make a network namespace")
            stack.callback(subprocess.run, ["ip", "netns", "del", name], check=False)
        subprocess.run(["ip", "link", "add", devices[0], "netns", names[0], "type", "veth",
                        "peer", "name", devices[1], "netns", names[1]], check=True)
        for name, device, space, host in zip(names, devices, spaces, (1, 2)):
            for words in (["addr", "add", f"10.77.0.{host}/24", "dev", device],
                          ["link", "set", device, "up"]):
                subprocess.run(["ip", "-n", name, *words], check=True)
            steer(device, 1 << INTERRUPT_CPU, space)
        yield spaces[0], spaces[1], "10.77.0.2"


@contextlib.contextmanager
def running(program, protocol, network, seconds=60):
    """Run PAIRS clients and servers for the duration of the block."""
    with network() as (client, server, address), contextlib.ExitStack() as stack:
        def start(namespace, role, port):
            process = subprocess.Popen(
                ["taskset", "-c", str(WORK_CPU), *namespace, program, protocol, role, address,
                 str(port)], stdout=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process
        ports = range(PORT, PORT + PAIRS)
        for port in ports:
            start(server, "serve", port)
        time.sleep(0.3)
        clients = [start(client, str(seconds), port) for port in ports]
        time.sleep(0.3)
        yield
        if any(process.poll() is not None for process in clients):
            raise Skipped("a client ended too early")
