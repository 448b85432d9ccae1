#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Debug information from servers that know sections, do not, lie, send too much, hang or are gone.

usage: test_servers.py DUMP_FETCH

The servers are this test's own; tests/cli/symbolize/servers.sh asks the real one.
"""
import contextlib
import http.server
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

DUMP = sys.argv[1]
OTHER_ID = "00112233445566778899aabbccddeeff00112233"
PROGRAM = """
volatile int said;
static inline int twice(int n) { return 2 * n; }
__attribute__((noinline)) static void say(int n) { said = n; }
int main(int argc, char **argv) { say(twice(argc)); return said < 0; }
"""
ALL_32_BIT = ("-m32", "-nostdlib", "-shared", "-fPIC")


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True,
                          text=True, **more).stdout


class Elf:
    """The sections of a file, and what else of it a server would know."""

    def __init__(self, path):
        self.bytes = path.read_bytes()
        self.sections = {}
        listed = run("readelf", "-SW", path)
        for name, kind, offset, size in re.findall(
                r"\] (\S+)\s+([A-Z]\S*)\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", listed):
            if kind != "NOBITS":
                start = int(offset, 16)
                self.sections[name] = self.bytes[start:start + int(size, 16)]
        self.build_id = run("readelf", "-n", path).split("Build ID: ")[1].split()[0]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        try:
            self.server.answer(self, self.path.split("/")[2:])
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has seen enough

    def send(self, body, size=None):
        self.server.sent_bytes += len(body)
        self.send_response(200)
        if size != "unknown":
            self.send_header("Content-Length", str(len(body) if size is None else size))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(answer):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.answer, server.asked, server.sent_bytes = answer, [], 0
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        server.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def by_section(elf):
    def answer(handler, what):
        known = len(what) == 3 and what[0] == elf.build_id and what[1] == "section"
        if known and what[2] in elf.sections:
            handler.send(elf.sections[what[2]])
        else:
            handler.send_error(404)
    return answer


def whole(body, refusal):
    """A server of before there were sections: @refusal is how it says so."""
    def answer(handler, what):
        if what[1] == "debuginfo":
            handler.send(body)
        else:
            handler.send_error(refusal)
    return answer


class Servers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-fetch-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.out = self.dir / "out"
        self.runs = 0

    def build(self, *flags):
        (self.dir / "p.c").write_text(PROGRAM)
        path = self.dir / "p"
        run("gcc", "-O2", "-g", "-Wl,--build-id", *flags, "-o", path, self.dir / "p.c")
        return Elf(path)

    def ask(self, urls, *ids, most=1 << 30, idle=20, image=30, total=0, stop="", cache=None):
        """What is said of each, and the totals."""
        self.runs += 1
        cache = cache or self.dir / f"cache{self.runs}"
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.dir)}
        said = run(DUMP, urls, cache, most, idle, image, total, stop, self.out, *ids,
                   env=environment, timeout=120).splitlines()
        return said[:-1], dict(re.findall(r"(\w+)=(\d+)", said[-1]))

    def check_debug_information(self, elf):
        """readelf finds the same in what came as in the file that it came from."""
        (self.dir / "whole").write_bytes(elf.bytes)
        for what in ("info", "abbrev", "decodedline", "str", "Ranges"):
            option = f"--debug-dump={what}"
            # Registers have no names in a file of no machine.
            dumps = [re.sub(r" \(\w+\)|/\S*/(whole|out)\b", "",
                            run("readelf", option, path))
                     for path in (self.dir / "whole", self.out)]
            self.assertEqual(*dumps, what)
            self.assertTrue(what == "Ranges" or len(dumps[0]) > 100, dumps[0])

    def check_symbols(self, is_elf32):
        """Those of the file; none of 32 bits, as nothing says that they are."""
        names = [set(re.findall(r"FUNC.* (\w+)$", run("readelf", "-sW", path), re.M))
                 for path in (self.dir / "whole", self.out)]
        self.assertIn("main", names[0])
        self.assertEqual(names[1], set() if is_elf32 else names[0])
        self.assertEqual("SYMTAB" in run("readelf", "-SW", self.out), not is_elf32)

    # ---- found ----

    def test_sections_make_a_file(self):
        for flags in ((), ("-gz=zlib",), ("-gdwarf-4",), ("-gdwarf-4", "-gz=zlib"), ALL_32_BIT,
                      (*ALL_32_BIT, "-gz=zlib")):
            with self.subTest(flags=flags):
                elf = self.build(*flags)
                with serving(by_section(elf)) as server:
                    said, totals = self.ask(server.url, elf.build_id)
                self.assertEqual(said, ["found"])
                self.assertEqual(totals["fetched"], "1")
                self.check_debug_information(elf)
                self.check_symbols("-m32" in flags)
                self.assertFalse([path for path in server.asked if "/section/" not in path])

    def test_sections_packed_with_zstd(self):
        self.build()
        try:
            run("objcopy", "--compress-debug-sections=zstd", self.dir / "p")
        except subprocess.CalledProcessError as error:
            self.skipTest(error.stderr.strip())
        elf = Elf(self.dir / "p")
        with serving(by_section(elf)) as server:
            self.assertEqual(self.ask(server.url, elf.build_id)[0], ["found"])
        self.check_debug_information(elf)

    def test_sections_of_the_other_byte_order(self):
        elf = self.build()
        note = bytearray(elf.sections[".note.gnu.build-id"])
        struct.pack_into(">3I", note, 0, *struct.unpack_from("<3I", note))
        elf.sections = {".note.gnu.build-id": bytes(note), ".debug_info": bytes(64)}
        with serving(by_section(elf)) as server:
            self.assertEqual(self.ask(server.url, elf.build_id)[0], ["found"])
        self.assertIn("big endian", run("readelf", "-h", self.out))
        self.assertIn(".debug_info", run("readelf", "-SW", self.out))

    def test_what_only_looks_packed_stays_as_it_is(self):
        elf = self.build()
        text = struct.pack("<IIQQ", 1, 0, 5, 8) + b"no zlib"
        elf.sections[".debug_str"] = text
        with serving(by_section(elf)) as server:
            self.ask(server.url, elf.build_id)
        self.assertEqual(Elf(self.out).sections[".debug_str"], text)
        self.assertNotRegex(run("readelf", "-SW", self.out), r"debug_str .* C ")

    def test_servers_without_sections(self):
        elf = self.build()
        for refusal in (503, 404, 501):
            with self.subTest(refusal=refusal), serving(whole(elf.bytes, refusal)) as server:
                said, totals = self.ask(server.url, elf.build_id)
                self.assertEqual(said, ["found"])
                self.assertEqual(self.out.read_bytes(), elf.bytes)
                self.assertEqual(totals["bytes"], str(len(elf.bytes)))
                self.assertEqual(server.sent_bytes, len(elf.bytes))
                self.assertLessEqual(len(server.asked), 4)

    def test_sections_are_less_than_the_file(self):
        elf = self.build()
        sent = []
        for answer in (by_section(elf), whole(elf.bytes, 404)):
            with serving(answer) as server:
                self.assertEqual(self.ask(server.url, elf.build_id)[0], ["found"], server.asked)
                sent.append(server.sent_bytes)
        print(f"# bytes by section {sent[0]}, whole {sent[1]}")
        self.assertLess(sent[0], sent[1])

    def test_a_cache_is_asked_first(self):
        elf = self.build()
        with serving(by_section(elf)) as server:
            self.ask(server.url, elf.build_id, cache=self.dir / "kept")
            url = server.url
        self.assertEqual(self.ask(url, elf.build_id, cache=self.dir / "kept")[0], ["found"])
        self.check_debug_information(elf)
        self.assertFalse(list((self.dir / "kept").glob("assay-*")))

    def test_an_image_is_asked_for_once(self):
        elf = self.build()
        with serving(by_section(elf)) as server:
            said, totals = self.ask(server.url, elf.build_id, elf.build_id, OTHER_ID, OTHER_ID)
        self.assertEqual([text.split(":")[0] for text in said],
                         ["found", "found", "ENOENT", "ENOENT"])
        self.assertEqual((totals["fetched"], totals["unknown"]), ("1", "1"))

    # ---- not found ----

    def test_nobody_has_it(self):
        with serving(lambda handler, what: handler.send_error(404)) as server:
            said, totals = self.ask(server.url, OTHER_ID)
        self.assertRegex(said[0], "^ENOENT: ")
        self.assertEqual((totals["unknown"], totals["failed"]), ("1", "0"))

    def test_one_of_two_servers_has_it(self):
        elf = self.build()
        with serving(lambda handler, what: handler.send_error(404)) as empty, \
                serving(by_section(elf)) as server:
            self.assertEqual(self.ask(f"{empty.url} {server.url}", elf.build_id)[0], ["found"])

    # ---- wrong ----

    def test_sections_of_another_build_id(self):
        elf = self.build()
        named = elf.build_id
        elf.build_id = OTHER_ID
        with serving(by_section(elf)) as server:
            said, totals = self.ask(server.url, OTHER_ID)
        self.assertRegex(said[0], "^EBADMSG: .*does not have the requested build-id")
        self.assertEqual(len(server.asked), 1)
        self.assertEqual(totals["failed"], "1")
        self.assertNotEqual(named, OTHER_ID)

    def test_a_file_of_another_build_id(self):
        elf = self.build()
        with serving(whole(elf.bytes, 404)) as server:
            self.assertRegex(self.ask(server.url, OTHER_ID)[0][0], "^EBADMSG")

    def test_garbage(self):
        for body in (b"", b"<html>not found, but 200</html>", b"\x7fELF", os.urandom(5000)):
            with self.subTest(body=body[:10]):
                with serving(lambda handler, what, body=body: handler.send(body)) as server:
                    said, _ = self.ask(server.url, OTHER_ID)
                self.assertRegex(said[0], "^E[A-Z]+: ")
                with serving(whole(body, 404)) as server:
                    said, _ = self.ask(server.url, OTHER_ID)
                self.assertRegex(said[0], "^E[A-Z]+")

    def test_no_http(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def answer():
                with contextlib.suppress(OSError):
                    while True:
                        peer, _ = listener.accept()
                        peer.sendall(os.urandom(1000))
                        peer.close()
            thread = threading.Thread(target=answer)
            thread.start()
            said, totals = self.ask(f"http://127.0.0.1:{listener.getsockname()[1]}", OTHER_ID)
            # The thread must not accept from a later server that gets the listener's descriptor.
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
        self.assertRegex(said[0], "^E[A-Z]+: ")
        self.assertEqual(totals["fetched"], "0")

    # ---- too much ----

    def test_too_large_by_its_own_word(self):
        with serving(lambda handler, what: handler.send(bytes(100000), 1 << 40)) as server:
            said, totals = self.ask(server.url, OTHER_ID, most=1 << 20)
        self.assertRegex(said[0], "^EFBIG: .*more than 1 MB")
        self.assertEqual(totals["failed"], "1")

    def test_too_large_without_a_word(self):
        def answer(handler, what):
            handler.send(b"", "unknown")
            for _ in range(1000):
                handler.wfile.write(bytes(1 << 20))
                handler.server.sent_bytes += 1 << 20
        with serving(answer) as server:
            said, _ = self.ask(server.url, OTHER_ID, most=1 << 20)
            self.assertRegex(said[0], "^E[A-Z]+: ")
            self.assertLess(server.sent_bytes, 100 << 20)
        left = sum(path.stat().st_size for path in self.dir.glob("cache*/**/*") if path.is_file())
        self.assertLess(left, 2 << 20)

    def test_no_limit(self):
        elf = self.build()
        with serving(whole(elf.bytes + bytes(200000), 404)) as server:
            self.assertEqual(self.ask(server.url, elf.build_id, most=2 ** 64 - 1)[0], ["found"])

    def test_sections_that_are_too_large_together(self):
        elf = self.build()
        most = sum(len(body) for name, body in elf.sections.items() if "debug" in name) // 2
        with serving(by_section(elf)) as server:
            self.assertRegex(self.ask(server.url, elf.build_id, most=most)[0][0], "^EFBIG")
            kept = self.dir / "kept"
            self.assertEqual(self.ask(server.url, elf.build_id, cache=kept)[0], ["found"])
            said, _ = self.ask(server.url, elf.build_id, most=most, cache=kept)
            self.assertRegex(said[0], "^EFBIG")

    # ---- no answer ----

    def test_gone(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        said, totals = self.ask(f"http://127.0.0.1:{port}", OTHER_ID, "ff" + OTHER_ID[2:])
        self.assertRegex(said[0], "^ECONNREFUSED: ")
        self.assertEqual(said[0], said[1])
        self.assertEqual((totals["failed"], totals["not_asked"]), ("1", "1"))

    def test_a_server_that_never_answers(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            for limits in ({"idle": 2}, {"image": 1}, {"idle": 900, "image": 900, "total": 1}):
                with self.subTest(limits=limits):
                    said, totals = self.ask(url, OTHER_ID, "ff" + OTHER_ID[2:], **limits)
                    self.assertRegex(said[0], "^ETIME(DOUT)?: ")
                    self.assertEqual((totals["failed"], totals["not_asked"]), ("1", "1"))

    @contextlib.contextmanager
    def waiting(self):
        """A program whose client waits for a server, and the client's process id."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(30)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            with subprocess.Popen([DUMP, url, self.dir / "cache", "1000000", "60", "60", "0", "",
                                   self.out, OTHER_ID], stdout=subprocess.PIPE, text=True) as program:
                with listener.accept()[0]:
                    children = pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children")
                    yield program, int(children.read_text())
                program.kill()

    def test_the_client_ends_with_its_parent(self):
        with self.waiting() as (program, client):
            program.kill()
            program.wait()
            state = "alive"
            for _ in range(200):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    state = pathlib.Path(f"/proc/{client}/status").read_text()
                    if "State:\tZ" not in state:  # else it is init's to reap
                        time.sleep(0.05)
                        continue
                state = "gone"
                break
            self.assertEqual(state, "gone")

    def test_the_client_has_no_privileges(self):
        with self.waiting() as (_, client):
            status = dict(line.split(":\t", 1) for line in
                          pathlib.Path(f"/proc/{client}/status").read_text().splitlines()
                          if ":\t" in line)
        self.assertEqual((int(status["CapPrm"], 16), int(status["CapEff"], 16)), (0, 0))
        self.assertEqual(status["NoNewPrivs"], "1")
        if os.geteuid() == 0:
            self.assertEqual(status["Uid"], "\t".join(["65534"] * 4))
            self.assertEqual(status["Gid"], "\t".join(["65534"] * 4))
            self.assertEqual(status["Groups"].strip(), "")

    def test_the_client_has_limits(self):
        with self.waiting() as (_, client):
            limits = dict(re.findall(r"^(Max .*?)  +(\d+) ",
                                     pathlib.Path(f"/proc/{client}/limits").read_text(), re.M))
        self.assertEqual((limits["Max core file size"], limits["Max cpu time"]), ("0", "60"))
        self.assertIn("Max address space", limits)

    def test_what_root_keeps(self):
        if os.geteuid() != 0:
            self.skipTest("only root's clients are somebody else")
        elf = self.build()
        with serving(by_section(elf)) as server:
            self.ask(server.url, elf.build_id, cache=self.dir / "kept")
        door = self.dir / "kept/unprivileged"
        have = [(path.stat().st_uid, path.stat().st_mode & 0o777) for path in (door, door / "files")]
        self.assertEqual(have, [(0, 0o700), (65534, 0o700)])
        self.assertEqual([path.name for path in (self.dir / "kept").iterdir()], ["unprivileged"])

    def test_a_client_that_is_killed(self):
        with self.waiting() as (program, client):
            os.kill(client, signal.SIGKILL)
            self.assertRegex(program.stdout.read(), "^EIO: .*crashed")

    def test_interrupted(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            kept = self.dir / "kept"
            said, totals = self.ask(url, OTHER_ID, "ff" + OTHER_ID[2:], stop="stop", cache=kept)
        self.assertEqual(said, ["EINTR: stopped", "EINTR: stopped"])
        self.assertEqual(list(kept.glob(f"**/{OTHER_ID}/*")), [])  # it is not known to be missing
        self.assertEqual((totals["failed"], totals["not_asked"]), ("1", "1"))

    def test_nothing_half_fetched_stays(self):
        stuck = threading.Event()

        def answer(handler, what):
            handler.send(os.urandom(100000), 200000)
            handler.wfile.flush()
            stuck.wait()
        with serving(answer) as server:
            self.ask(server.url, OTHER_ID, stop="bytes", cache=self.dir / "kept")
            stuck.set()
        left = [path for path in (self.dir / "kept").glob("**/*")
                if path.is_file() and path.stat().st_size > 1000]
        self.assertEqual(left, [])

    # ---- what is old ----

    def test_what_is_old(self):
        kept = self.dir / "kept"
        files = kept / "unprivileged/files" if os.geteuid() == 0 else kept
        hour, day = 3600, 24 * 3600
        have = {
            "0011/section-.debug_info": (8 * day, False),
            "0022/section-.symtab": (6 * day, True),
            "0022/section-.debug_line.Ab12Cd": (2 * hour, False),
            "0022/section-.debug_str.Ab12Cd": (hour // 2, True),
            "0022/debuginfo.Ab12Cd": (2 * hour, False),
            "0022/debuginfo": (8 * day, True),  # the library's own to remove
            "0022/notes": (8 * day, True),
            "home/section-.debug_info": (8 * day, True),
            "assay-Ab12Cd": (2 * hour, False),
            "assay-paper.txt": (8 * day, True),
        }
        kept.mkdir(mode=0o700)
        for name, (age, _) in have.items():
            path = files / name
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
            path.write_text("text")
            os.utime(path, (time.time() - age, time.time() - age))
        outside = self.dir / "outside"
        outside.mkdir()
        (outside / "section-.debug_info").write_text("text")
        os.utime(outside / "section-.debug_info", (0, 0))
        (files / "0033").symlink_to(outside)
        run(DUMP, "http://127.0.0.1:1", kept, 1, 1, 1, 1, "", self.out)
        self.assertEqual({name for name in have if (files / name).exists()},
                         {name for name, (_, stays) in have.items() if stays})
        self.assertTrue((outside / "section-.debug_info").exists())
        self.assertFalse((files / "0011").exists())
        (files / "max_unused_age_s").write_text(str(5 * day))
        run(DUMP, "http://127.0.0.1:1", kept, 1, 1, 1, 1, "", self.out)
        self.assertFalse((files / "0022/section-.symtab").exists())

    # ---- whose cache ----

    def test_a_cache_that_others_can_write(self):
        (self.dir / "open").mkdir()
        (self.dir / "open").chmod(0o777)
        (self.dir / "own").mkdir(mode=0o700)
        (self.dir / "link").symlink_to("own")
        (self.dir / "file").write_text("")
        for name in ("open", "link", "file"):
            said = run(DUMP, "http://127.0.0.1:1", self.dir / name, 1, 1, 1, 1, "", self.out)
            self.assertRegex(said, "^refused: .*" + name)

    def test_a_cache_of_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give a directory to somebody else")
        (self.dir / "theirs").mkdir()
        os.chown(self.dir / "theirs", 65534, 65534)
        said = run(DUMP, "http://127.0.0.1:1", self.dir / "theirs", 1, 1, 1, 1, "", self.out)
        self.assertRegex(said, "^refused: .*another user owns this directory")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
