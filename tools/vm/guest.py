# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot a kernel in qemu, without hardware virtualization, and read its console.

A guest prints `RESULT name passed|failed|skipped|repeated [detail]` for each check, and END as the
last line. "repeated" is a failed attempt that is followed by another attempt; it counts neither as
passed nor as failed.
"""
import collections
import re
import subprocess
import threading

RESULT = re.compile(r"^RESULT (\S+) (passed|failed|skipped|repeated)(?: (.*))?$")
END = "END"
ITSELF = "guest"     # the name of a result about the guest itself, not about a check
LINES_SHOWN = 60

# console: the kernel's name for the serial line; silence_s: the longest time between two results
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


class _Patience:
    """Kill a guest that has not printed a result for @silence_s seconds."""

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
    """Yield the results of a guest as they arrive.

    If the guest did not finish, the last result is named ITSELF.
    """
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
    """Yield the results that a guest prints on its console.

    The detail of a failed result includes the last LINES_SHOWN lines before it. If the guest did
    not finish, the first LINES_SHOWN lines after the last result are shown.
    """
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
                     "\n".join(["the guest did not finish", *said[:LINES_SHOWN]]))
