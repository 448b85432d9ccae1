# SPDX-License-Identifier: GPL-2.0-or-later
"""Download Debian packages of any architecture and unpack them below a folder.

apt uses lists, caches and an (empty) record of installed packages in that folder. So those of the
system do not change, and no privilege is needed.
"""
import pathlib
import re
import shutil
import subprocess

MIRROR = "http://deb.debian.org/debian"
RELEASE = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Unavailable(Exception):
    """Something that the guests need is missing here. The text says what is missing and why."""


def run(*command, **options):
    """Return the output of a command. If it fails, raise Unavailable with its last messages."""
    words = [str(word) for word in command]
    if not shutil.which(words[0]):
        raise Unavailable(f"{words[0]} is not installed")
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="backslashreplace",
                          check=False, **options)
    if done.returncode != 0:
        raise Unavailable(f"{words[0]} failed: {' '.join(done.stdout.splitlines()[-3:])}")
    return done.stdout


class Packages:
    """Packages of one architecture. They are unpacked in .root; .kernel is the kernel's image."""

    def __init__(self, folder, architecture):
        self.folder = pathlib.Path(folder)
        self.architecture = architecture
        self.root = self.folder / "root"
        self.kernel = self.folder / "vmlinuz"
        self.list = self.folder / "complete"    # lists the unpacked packages

    def fetch(self, names):
        """Download and unpack these packages, their dependencies, and Debian's kernel."""
        wanted = " ".join([RELEASE, *names])
        if self.list.exists() and self.list.read_text() == wanted:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self._configure()
        self._apt_get("update")
        self._apt_get("install", "--yes", "--download-only", "--no-install-recommends", *names)
        self.root.mkdir()
        for archive in sorted((self.folder / "archives").glob("*.deb")):
            run("dpkg-deb", "--extract", archive, self.root)
            archive.unlink()
        _make_links_relative(self.root)
        self._fetch_kernel()
        self.list.write_text(wanted)

    def _configure(self):
        for folder in ("lists/partial", "archives/partial"):
            (self.folder / folder).mkdir(parents=True)
        (self.folder / "installed").touch()
        (self.folder / "sources.list").write_text(
            f"deb [signed-by={KEYRING}] {MIRROR} {RELEASE} main\n")

    def _apt(self, program, *words):
        folder = self.folder.resolve()
        options = {
            "APT::Architecture": self.architecture,
            "APT::Architectures": self.architecture,
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
            "Dir::Cache": folder,
            "Dir::Cache::archives": folder / "archives",
            "Dir::Etc::sourcelist": folder / "sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::State": folder,
            "Dir::State::lists": folder / "lists",
            "Dir::State::status": folder / "installed",
        }
        settings = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
        return run(program, "--quiet", *settings, *words, cwd=folder / "archives")

    def _apt_get(self, *words):
        return self._apt("apt-get", *words)

    def _fetch_kernel(self):
        """Unpack only the kernel's image.

        The modules are most of the package, and the tests need none of them.
        """
        depends = self._apt("apt-cache", "depends", f"linux-image-{self.architecture}")
        found = re.search(r"Depends: (linux-image-\S+)", depends)
        if not found:
            raise Unavailable(f"no kernel for {self.architecture} in {RELEASE}")
        self._apt_get("download", found.group(1))
        archive, = (self.folder / "archives").glob("linux-image-*.deb")
        unpacked = self.folder / "kernel"
        unpacked.mkdir()
        run("sh", "-c", 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" ./boot', "sh", archive,
            unpacked)
        image, = unpacked.glob("boot/vmlinuz-*")
        image.rename(self.kernel)
        archive.unlink()


def _make_links_relative(root):
    """Make absolute links relative, so that they lead into @root, not into the host's system."""
    for path in root.rglob("*"):
        if path.is_symlink() and path.readlink().is_absolute():
            inside = pathlib.Path(*[".."] * (len(path.relative_to(root).parts) - 1))
            target = inside / path.readlink().relative_to("/")
            path.unlink()
            path.symlink_to(target)
