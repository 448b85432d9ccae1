# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot a kernel in qemu, without hardware virtualization, and read its console.

A guest prints `RUN name` before each test, `RESULT name passed|failed|skipped|repeated [detail]`
after it (once for each case of a unit test), and END as the last line. "repeated" is a failed
attempt that is followed by another attempt; it counts neither as passed nor as failed.

A guest may take any time, but it must not be silent: it prints what its tests print while they run.
"""
import collections
import re
import subprocess
import threading

RUN = re.compile(r"^RUN (\S+)$")
RESULT = re.compile(r"^RESULT (\S+) (passed|failed|skipped|repeated)(?: (.*))?$")
END = "END"
ITSELF = "guest"     # the name of a result about the guest itself, not about a check
LINES_SHOWN = 60

# console: the kernel's name for the serial line; silence_s: the longest time between two lines
Machine = collections.namedtuple("Machine", "qemu options console silence_s")

MACHINES = {
    "amd64": Machine("qemu-system-x86_64", ["-machine", "q35", "-cpu", "max,la57=off"], "ttyS0",
                     240),
    "arm64": Machine("qemu-system-aarch64",
                     ["-machine", "virt,gic-version=3", "-cpu", "cortex-a57"], "ttyAMA0", 600),
}

# outcome: "passed", "failed", "skipped" or "repeated"
Result = collections.namedtuple("Result", "name outcome detail")


# thread=single: one host thread runs both virtual processors in turn. With one host thread for each
# processor, a guest sometimes hung: one processor waited for the other to answer an interrupt that
# never reached it.
def _command(machine, kernel, image, settings):
    words = [f"console={machine.console}", "loglevel=5", "panic=-1", *settings]
    return [machine.qemu, *machine.options, "-accel", "tcg,thread=single", "-smp", "2", "-m",
            "2048", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
            "-kernel", str(kernel), "-initrd", str(image), "-append", " ".join(words)]


def shell(architecture, kernel, image, settings):
    """Run a shell in the guest, on this terminal. Return qemu's exit status."""
    command = _command(MACHINES[architecture], kernel, image, [*settings, "ACTION=shell"])
    return subprocess.run([*command, "-serial", "mon:stdio"], check=False).returncode


class Stuck(Exception):
    """A guest did not finish. .running is the name of the test that it ran, or None.

    The text is the last LINES_SHOWN lines that the guest printed.
    """

    def __init__(self, running, said):
        super().__init__("\n".join(said[-LINES_SHOWN:]))
        self.running = running


class _Patience:
    """Kill a guest that has not printed a line for @silence_s seconds."""

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
    """Yield the results of a guest as they arrive. Raise Stuck if it does not finish."""
    machine = MACHINES[architecture]
    command = [*_command(machine, kernel, image, settings), "-serial", "stdio"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="backslashreplace") as guest:
        patience = _Patience(guest, machine.silence_s)
        try:
            yield from _results(_lines(guest.stdout, patience))
        finally:
            patience.end()
            guest.kill()


def _lines(console, patience):
    patience.renew()
    for line in console:
        patience.renew()
        if line.strip():
            yield line.rstrip()


def _results(console):
    """Yield the results that a guest prints on its console.

    The detail of a failed result includes the last LINES_SHOWN lines before it.
    """
    said = []
    running, ended = None, False
    for line in console:
        begun, found = RUN.match(line), RESULT.match(line)
        if begun:
            running = begun.group(1)
            said.clear()
        elif found:
            name, outcome, detail = found.groups()
            shown = said[-LINES_SHOWN:] if outcome in ("failed", "repeated") else []
            yield Result(name, outcome, "\n".join([detail or "", *shown]))
            said.clear()
        elif line == END:
            ended = True
        else:
            said.append(line)
    if not ended:
        raise Stuck(running, said)
