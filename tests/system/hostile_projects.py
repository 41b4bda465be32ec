"""Projects whose files are not regular files, or are built to be as expensive as possible to read."""

import io
import os
import pathlib
import tarfile

MEGA = 1_000_000
SCRIPT = 490_000  # within the limit for a build script, so that it is read
PYPROJECT = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "demo"\nversion = "1.0"\n'
SETUP = "from setuptools import setup\nsetup(name='demo', version='1.0')\n"
MATRIX = (
    "schema: pinwheel/1\npackage: {name: demo, source: ., version: {from: project}}\n"
    'axes: {python: ["3.11"]}\nabi: {python: none}\nbuild:\n  command: [python, setup.py, "{dest_dir}"]\n'
)
READ_BY_NAME = ("pyproject.toml", "setup.py", "setup.cfg", "CMakeLists.txt", "meson.build", "Cargo.toml", "PKG-INFO")


def plain(directory: pathlib.Path) -> pathlib.Path:
    directory.mkdir(parents=True)
    (directory / "pyproject.toml").write_text(PYPROJECT)
    (directory / "setup.py").write_text(SETUP)
    (directory / "matrix.yaml").write_text(MATRIX)
    return directory


def replaced(directory: pathlib.Path, name: str) -> pathlib.Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    return path


def add_fifo(path: pathlib.Path) -> None:
    os.mkfifo(path)


def add_device(path: pathlib.Path) -> None:
    path.symlink_to("/dev/zero")


def add_huge(path: pathlib.Path) -> None:
    path.touch()
    os.truncate(path, 40 << 30)


def add_loop(path: pathlib.Path) -> None:
    path.symlink_to(path.name)


KINDS = {"fifo": add_fifo, "device": add_device, "huge": add_huge, "loop": add_loop}


def many_sources(directory: pathlib.Path, count: int = 100_000) -> None:
    """Each includes a header of the project by a name that many share."""
    for i in range(count // 1000):
        part = directory / f"part{i}"
        part.mkdir()
        for j in range(1000):
            (part / f"s{j}.cpp").write_text(f'#include "own.h"\n#include "none/own.h"\n#define X{j}\n')
        (part / "own.h").touch()


def many_scripts(directory: pathlib.Path) -> None:
    for i in range(5000):
        part = directory / f"part{i}"
        part.mkdir()
        names = "\n".join(f"find_package(P{i}x{j})\nfind_library(V l{i}x{j})" for j in range(20))
        (part / "CMakeLists.txt").write_text(names)


def dotted(name: str, before: str = "", after: str = " = 1\n"):
    return lambda directory: (directory / name).write_text(before + "a." * 400_000 + "a" + after)


def repeated(name: str, part: str, size: int = SCRIPT, before: str = "", after: str = ""):
    return lambda directory: (directory / name).write_text(before + part * (size // len(part)) + after)


# The files written into a plain project.
COSTLY = {
    "pyproject.toml, a dotted key": dotted("pyproject.toml"),
    "pyproject.toml, a dotted table": dotted("pyproject.toml", "[", "]\n"),
    "pyproject.toml, dotted inline tables": repeated("pyproject.toml", "{a.b.c.d.e.f = ", before="x = "),
    "pyproject.toml, lists": repeated("pyproject.toml", "[", MEGA, before="x = "),
    "pyproject.toml, tables": repeated("pyproject.toml", "[[a]]\n", 8 * MEGA - 100),
    "Cargo.toml, a dotted key": dotted("Cargo.toml"),
    "setup.py, calls": repeated("setup.py", "setup(", before="from setuptools import setup\n"),
    "setup.py, environment": repeated("setup.py", 'getenv("'),
    "setup.py, libraries": repeated("setup.py", "libraries=["),
    "setup.py, extras": lambda directory: (directory / "setup.py").write_text(
        "setup(extras_require={" + ",".join(f'"a{i}":b{i}' for i in range(30_000)) + "})"
    ),
    "setup.py, extensions": repeated("setup.py", "  CUDAExtension(\n"),
    "setup.py, modules": lambda directory: (directory / "setup.py").write_text(
        "".join(f"import m{i}\n" for i in range(30_000))
    ),
    "setup.py, brackets": repeated("setup.py", "(", before="setup"),
    "setup.cfg, lines": repeated("setup.cfg", "[a]\nb = c\n  d\n"),
    "CMakeLists.txt, conditions": repeated("CMakeLists.txt", "if()"),
    "CMakeLists.txt, calls": repeated("CMakeLists.txt", "a()", 350_000, before=" " * 100_000),
    "CMakeLists.txt, packages": lambda directory: (directory / "CMakeLists.txt").write_text(
        "".join(f"find_package(P{i})\n" for i in range(20_000))
    ),
    "meson.build, dependencies": repeated("meson.build", "dependency("),
    "meson.build, a megabyte": repeated("meson.build", "dependency(", MEGA),
    "meson.build, versions": repeated("meson.build", "limited_api ", 380_000, after=" " * 100_000),
    ".github/workflows/a.yml, lists": lambda directory: (
        (directory / ".github/workflows").mkdir(parents=True),
        (directory / ".github/workflows/a.yml").write_text("a: " + "[" * 100_000),
    ),
    ".github/workflows/a.yml, aliases": lambda directory: (
        (directory / ".github/workflows").mkdir(parents=True),
        (directory / ".github/workflows/a.yml").write_text(
            "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
            + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9))
            + "jobs: {b: {strategy: {matrix: {python: *a8}}}}\n"
        ),
    ),
    "PKG-INFO, headers": repeated("PKG-INFO", "A: b\n", 8 * MEGA - 100),
    "100,000 sources": many_sources,
    "5,000 scripts of CMake": many_scripts,
}


def sdist_of_links(directory: pathlib.Path) -> pathlib.Path:
    """An sdist with a chain of links that no system follows, and one that leads to itself."""
    path = directory / "demo-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        texts = {
            "PKG-INFO": "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n",
            "pyproject.toml": PYPROJECT,
            "setup.py": SETUP,
        }
        for name, text in texts.items():
            member = tarfile.TarInfo(f"demo-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
        for i in range(100):
            member = tarfile.TarInfo(f"demo-1.0/link{i}")
            member.type, member.linkname = tarfile.SYMTYPE, f"link{i + 1 if i < 99 else 0}"
            archive.addfile(member)
    return path
