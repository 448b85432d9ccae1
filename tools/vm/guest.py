# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots a kernel in qemu, without the help of the host's processor, and reads its console.

A guest prints `RESULT name passed|failed|skipped|repeated [detail]` for each check, and END as the
last; what failed and is tried again is repeated, which counts as nothing.
"""
import collections
import re
import subprocess
import threading

RESULT = re.compile(r"^RESULT (\S+) (passed|failed|skipped|repeated)(?: (.*))?$")
END = "END"
LINES_SHOWN = 60

# @console: the kernel's name of the serial line
Machine = collections.namedtuple("Machine", "qemu options console timeout_s")

MACHINES = {
    "amd64": Machine("qemu-system-x86_64", ["-machine", "q35", "-cpu", "max,la57=off"], "ttyS0",
                     600),
    "arm64": Machine("qemu-system-aarch64",
                     ["-machine", "virt,gic-version=3", "-cpu", "cortex-a57"], "ttyAMA0", 2400),
}

# outcome: "passed", "failed", "skipped" or "repeated"
Result = collections.namedtuple("Result", "name outcome detail")


def _command(machine, kernel, image, settings):
    words = [f"console={machine.console}", "loglevel=3", "panic=-1", *settings]
    return [machine.qemu, *machine.options, "-accel", "tcg,thread=multi", "-smp", "2", "-m",
            "2048", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
            "-kernel", str(kernel), "-initrd", str(image), "-append", " ".join(words)]


def shell(architecture, kernel, image, settings):
    """A shell in the guest on this terminal."""
    command = _command(MACHINES[architecture], kernel, image, [*settings, "ACTION=shell"])
    return subprocess.run([*command, "-serial", "mon:stdio"], check=False).returncode


def run(architecture, kernel, image, settings):
    """Yields the results of a guest as they come; one named "guest" when it did not finish."""
    machine = MACHINES[architecture]
    command = [*_command(machine, kernel, image, settings), "-serial", "stdio"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="backslashreplace") as guest:
        timer = threading.Timer(machine.timeout_s, guest.kill)
        timer.start()
        try:
            yield from _results(guest.stdout)
        finally:
            timer.cancel()
            guest.kill()


def _results(console):
    """What comes before a result belongs to it."""
    said = collections.deque(maxlen=LINES_SHOWN)
    ended = False
    for line in console:
        line = line.rstrip()
        found = RESULT.match(line)
        if found:
            name, outcome, detail = found.groups()
            shown = [detail or ""] + (list(said) if outcome in ("failed", "repeated") else [])
            yield Result(name, outcome, "\n".join(shown))
            said.clear()
        elif line == END:
            ended = True
        else:
            said.append(line)
    if not ended:
        yield Result("guest", "failed", "\n".join(["it did not come to its end", *said]))
