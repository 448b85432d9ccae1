# A server that never answers, one that is gone, and an interrupt: what is here is kept.
cat >work.c <<'EOF'
static volatile unsigned long sink;
int main(void)
{
	for (long i = 0; i < 100000000; i++)
		sink += i;
	return 0;
}
EOF
gcc -O2 -g -Wl,--build-id -o work work.c
cp work stripped
strip stripped
assay record -e cpu-clock -o both.assay -- sh -c './stripped; ./work' 2>/dev/null
cat >silent.py <<'EOF'
"""Runs a command against a server that accepts and is silent; with "int" it interrupts it then."""
import os
import signal
import socket
import subprocess
import sys

with socket.create_server(("127.0.0.1", 0)) as server:
    url = f"http://127.0.0.1:{server.getsockname()[1]}"
    server.settimeout(60)
    child = subprocess.Popen(sys.argv[2:], env=os.environ | {"DEBUGINFOD_URLS": url},
                             stderr=subprocess.PIPE, text=True, start_new_session=True)
    peer, _ = server.accept()
    if sys.argv[1] == "int":
        os.killpg(child.pid, signal.SIGINT)  # as a terminal does
    said = child.communicate()[1]
    print(said.replace(url, "URL"), end="")
    print("status", child.returncode)
EOF
cat >blocked.py <<'EOF'
"""Runs a command against a server that hangs up; interrupts it as it waits to complain of that."""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

with socket.create_server(("127.0.0.1", 0)) as server:
    url = f"http://127.0.0.1:{server.getsockname()[1]}"
    server.settimeout(60)
    full, end = os.pipe()
    os.set_blocking(end, False)
    try:
        while True:
            os.write(end, bytes(1024))
    except BlockingIOError:
        os.set_blocking(end, True)
    child = subprocess.Popen(sys.argv[1:], env=os.environ | {"DEBUGINFOD_URLS": url}, stderr=end)
    server.accept()[0].close()
    server.close()
    proc = pathlib.Path(f"/proc/{child.pid}")
    asks, deadline = True, time.monotonic() + 60
    while asks and time.monotonic() < deadline:
        time.sleep(0.05)
        asks = (proc / f"task/{child.pid}/children").read_text() or \
            "State:\tS" not in (proc / "status").read_text()
    child.send_signal(signal.SIGINT)
    time.sleep(0.2)
    os.set_blocking(full, False)
    while child.poll() is None and time.monotonic() < deadline:
        try:
            os.read(full, 4096)
        except BlockingIOError:
            time.sleep(0.05)
    print("ended by", signal.Signals(-child.returncode).name if child.returncode < 0 else "itself")
EOF
export DEBUGINFOD_CACHE_PATH=$PWD/cache
# The shell's and the loader's images may be hit, too.
numbers() { sed 's/[0-9]* of [0-9]* locations/N of N locations/; s/debug information: [0-9]*/debug information: N/'; }
has_line() { assay report --csv --by line "$1" 2>/dev/null | grep -o '^work.c' | sort -u; }
fact() { assay sql --csv "$1" "SELECT value FROM meta WHERE key LIKE 'lines_image_%'" | grep server; }
echo "== interrupted"
cp both.assay l.assay
python3 silent.py int assay symbolize l.assay | numbers
has_line l.assay
fact l.assay | sort -u
echo "== interrupted when nobody is being asked"
cp both.assay l.assay
python3 blocked.py assay symbolize l.assay
echo "== a limit"
cp both.assay l.assay
DEBUGINFOD_MAXTIME=1 DEBUGINFOD_TIMEOUT=1 python3 silent.py wait assay symbolize l.assay | numbers
has_line l.assay
echo "== gone"
cp both.assay l.assay
port=$(python3 -c 'import socket; print(socket.create_server(("", 0)).getsockname()[1])')
DEBUGINFOD_URLS=http://127.0.0.1:$port assay symbolize l.assay 2>&1 | sed "s/:$port/:PORT/" | numbers
has_line l.assay
assay report --full l.assay 2>/dev/null | grep -o lines-not-fetched
echo "== a cache that others can write to"
mkdir -m 777 open
chmod 777 open
DEBUGINFOD_CACHE_PATH=$PWD/open DEBUGINFOD_URLS=http://127.0.0.1:$port \
	assay symbolize l.assay 2>&1 | sed "s,$PWD,DIR," | numbers
