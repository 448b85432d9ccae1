# SPDX-License-Identifier: GPL-2.0-or-later
"""Download Debian packages of any architecture and unpack them below a folder.

apt uses lists, caches and an (empty) record of installed packages in that folder. So those of the
system do not change, and no privilege is needed.
"""
import pathlib
import re
import shutil
import subprocess
import tempfile

MIRROR = "http://deb.debian.org/debian"
RELEASE = "bookworm"     # of the libraries
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


def _unpacked(image):
    """Yield what may be the kernel in a bootable image, as each compression that Debian uses."""
    for magic, command in ((b"\xfd7zXZ\0", "xz"), (b"\x02\x21\x4c\x18", "lz4"),
                           (b"\x28\xb5\x2f\xfd", "zstd"), (b"\x1f\x8b\x08", "gzip")):
        at = image.find(magic)
        if at >= 0 and shutil.which(command):
            yield subprocess.run([command, "-dcq"], input=image[at:], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, check=False).stdout
    yield image


def types_of(image):
    """Return the BTF in a kernel's image, or nothing if it cannot be found."""
    for kernel in _unpacked(image):
        with tempfile.TemporaryDirectory() as folder:
            path, types = pathlib.Path(folder, "kernel"), pathlib.Path(folder, "types")
            path.write_bytes(kernel)
            subprocess.run(["objcopy", f"--dump-section=.BTF={types}", path, "/dev/null"],
                           check=False, stderr=subprocess.DEVNULL)
            if types.exists():
                return types.read_bytes()
    return b""


class Packages:
    """Packages of one architecture and release. They are unpacked in .root."""

    def __init__(self, folder, architecture, release=RELEASE):
        self.folder = pathlib.Path(folder)
        self.architecture = architecture
        self.release = release
        self.root = self.folder / "root"
        self.list = self.folder / "complete"    # lists the unpacked packages

    def fetch(self, names):
        """Download and unpack these packages and their dependencies."""
        wanted = " ".join([self.release, *names])
        if self.list.exists() and self.list.read_text() == wanted:
            return
        self.begin()
        self.apt_get("install", "--yes", "--download-only", "--no-install-recommends", *names)
        self.root.mkdir()
        for archive in sorted((self.folder / "archives").glob("*.deb")):
            run("dpkg-deb", "--extract", archive, self.root)
            archive.unlink()
        _make_links_relative(self.root)
        self.list.write_text(wanted)

    def begin(self):
        """Empty the folder, and get the release's list of packages."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._configure()
        self.apt_get("update")

    def _configure(self):
        for folder in ("lists/partial", "archives/partial"):
            (self.folder / folder).mkdir(parents=True)
        (self.folder / "installed").touch()
        (self.folder / "sources.list").write_text(
            f"deb [signed-by={KEYRING}] {MIRROR} {self.release} main\n")

    def apt(self, program, *words):
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

    def apt_get(self, *words):
        return self.apt("apt-get", *words)


class Kernel:
    """A kernel of a Debian release: .image boots, .types is its BTF."""

    def __init__(self, folder, architecture, release, flavour=""):
        self.packages = Packages(folder, architecture, release)
        self.folder = self.packages.folder
        self.name = f"linux-image-{flavour}{architecture}"
        self.image = self.folder / "vmlinuz"
        self.types = self.folder / "vmlinux.btf"

    def fetch(self):
        """Unpack only the kernel's image. The modules are most of the package, and not needed."""
        wanted = f"{self.packages.release} {self.name}"
        if self.packages.list.exists() and self.packages.list.read_text() == wanted:
            return
        self.packages.begin()
        self.packages.apt_get("download", self._package_with_image())
        archive, = (self.folder / "archives").glob("linux-*.deb")
        unpacked = self.folder / "kernel"
        unpacked.mkdir()
        run("sh", "-c", 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --wildcards "*/vmlinuz*"',
            "sh", archive, unpacked)
        image, = (path for path in unpacked.rglob("vmlinuz*") if path.is_file())
        image.rename(self.image)
        archive.unlink()
        self.types.write_bytes(types_of(self.image.read_bytes()))
        self.packages.list.write_text(wanted)

    def _package_with_image(self):
        """Since Linux 7, linux-image-VERSION has no files, and depends on linux-binary-VERSION."""
        name = self._dependency(self.name, "linux-image-")
        if not name:
            raise Unavailable(f"there is no {self.name} in {self.packages.release}")
        return self._dependency(name, "linux-binary-") or name

    def _dependency(self, name, prefix):
        said = self.packages.apt("apt-cache", "depends", name)
        found = re.search(rf"Depends: ({prefix}\S+)", said)
        return found and found.group(1)


def _make_links_relative(root):
    """Make absolute links relative, so that they lead into @root, not into the host's system."""
    for path in root.rglob("*"):
        if path.is_symlink() and path.readlink().is_absolute():
            inside = pathlib.Path(*[".."] * (len(path.relative_to(root).parts) - 1))
            target = inside / path.readlink().relative_to("/")
            path.unlink()
            path.symlink_to(target)
