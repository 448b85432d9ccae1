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
ITSELF = "guest"     # the name of a result that is about the guest
LINES_SHOWN = 60

# console: the kernel's name of the serial line; silence_s: how long the next result may take
Machine = collections.namedtuple("Machine", "qemu options console silence_s")

MACHINES = {
    "amd64": Machine("qemu-system-x86_64", ["-machine", "q35", "-cpu", "max,la57=off"], "ttyS0",
                     240),
    "arm64": Machine("qemu-system-aarch64",
                     ["-machine", "virt,gic-version=3", "-cpu", "cortex-a57"], "ttyAMA0", 600),
}

# outcome: "passed", "failed", "skipped" or "repeated"
Result = collections.namedtuple("Result", "name outcome detail")


# One thread of the host runs both processors in turn: with one for each, a guest stood still at times,
# one processor waiting for the other's answer to an interrupt that never reached it.
def _command(machine, kernel, image, settings):
    words = [f"console={machine.console}", "loglevel=5", "panic=-1", *settings]
    return [machine.qemu, *machine.options, "-accel", "tcg,thread=single", "-smp", "2", "-m",
            "2048", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
            "-kernel", str(kernel), "-initrd", str(image), "-append", " ".join(words)]


def shell(architecture, kernel, image, settings):
    """A shell in the guest on this terminal."""
    command = _command(MACHINES[architecture], kernel, image, [*settings, "ACTION=shell"])
    return subprocess.run([*command, "-serial", "mon:stdio"], check=False).returncode


class _Patience:
    """Ends a guest that has not given a result for a time."""

    def __init__(self, guest, silence_s):
        self.guest, self.silence_s, self.timer = guest, silence_s, None

    def renew(self):
        self.end()
        self.timer = threading.Timer(self.silence_s, self.guest.kill)
        self.timer.start()

    def end(self):
        if self.timer:
            self.timer.cancel()


def run(architecture, kernel, image, settings):
    """Yields the results of a guest as they come; one named ITSELF when it did not finish."""
    machine = MACHINES[architecture]
    command = [*_command(machine, kernel, image, settings), "-serial", "stdio"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="backslashreplace") as guest:
        patience = _Patience(guest, machine.silence_s)
        patience.renew()
        try:
            for result in _results(guest.stdout):
                patience.renew()
                yield result
        finally:
            patience.end()
            guest.kill()


def _results(console):
    """What comes before a result belongs to it; of a guest that stands still, the beginning."""
    said = []
    ended = False
    for line in console:
        line = line.rstrip()
        found = RESULT.match(line)
        if found:
            name, outcome, detail = found.groups()
            shown = said[-LINES_SHOWN:] if outcome in ("failed", "repeated") else []
            yield Result(name, outcome, "\n".join([detail or "", *shown]))
            said.clear()
        elif line == END:
            ended = True
        else:
            said.append(line)
    if not ended:
        yield Result(ITSELF, "failed",
                     "\n".join(["it did not come to its end", *said[:LINES_SHOWN]]))
