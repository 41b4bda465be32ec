"""A package of PyPI, driven from its name to a wheel that does something."""

import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile

from rows import HERE, Row

sys.path.insert(0, str(HERE.parent / "system"))

from shared_cache import cache_directory  # noqa: E402
from real_torch import site_packages, torch_python  # noqa: E402

__all__ = ["Driven", "cache_directory", "grafted"]

TORCH = "2.13.0"
PATIENCE = 3600


def variables(cache: pathlib.Path) -> dict[str, str]:
    """The variables of a user who set nothing for pinwheel or compilers."""
    dropped = ("PINWHEEL_", "GITHUB_", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "SOURCE_DATE_EPOCH")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return kept | {"PINWHEEL_CACHE_DIR": str(cache), "NO_COLOR": "1"}


class Driven:
    """pinwheel, as a new user calls it in an empty directory."""

    def __init__(self, pinwheel: str, row: Row, directory: pathlib.Path, cache: pathlib.Path):
        self.pinwheel = pinwheel
        self.row = row
        self.directory = directory
        self.cache = cache
        self.environment = variables(cache) | row.variables

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [self.pinwheel, *arguments],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def init(self) -> subprocess.CompletedProcess:
        return self.run("init", "--from", self.row.requirement, "--out", "matrix.yaml", *self.row.init)

    def build(self) -> subprocess.CompletedProcess:
        return self.selected("build")

    def selected(self, command: str, *options: str) -> subprocess.CompletedProcess:
        selected = [part for one in self.row.select for part in ("--select", one)]
        places = ["--state-dir", "state", "--output-dir", "dist"]
        return self.run(command, "matrix.yaml", *selected, *places, *options)

    def wheel(self) -> pathlib.Path:
        (wheel,) = (self.directory / "dist").glob("*.whl")
        return wheel

    def resolved(self) -> set[str]:
        """The packages that pinwheel chose for the build's environment."""
        files = (self.directory / "state" / "resolutions").glob("*.json")
        return {package["name"] for file in files for package in json.loads(file.read_text())["packages"]}

    def devices(self) -> list[str]:
        """The GPUs for which the wheel has machine code, "sm_80"."""
        ran = self.run("inspect", str(self.wheel()), "--json")
        return sorted({code["arch"] for code in json.loads(ran.stdout)["device_code"] if code["kind"] == "cubin"})

    def evidence(self) -> set[str]:
        """How much pinwheel's own tests of the wheel have shown."""
        ran = self.selected("test", "--json")
        assert ran.returncode == 0, ran.stderr
        outcomes = json.loads(ran.stdout)["outcomes"]
        return {each["evidence"] for each in outcomes if each["id"].startswith("test:")}

    def does(self) -> None:
        """Installs the wheel by pip where nothing else is, and does the row's one thing there."""
        python = self.clean_python()
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", self.wheel()]
        called([*pip, "--no-build-isolation"] if self.row.torch else pip, self.directory)
        called([python, "-I", "-c", self.row.does], self.directory)

    def clean_python(self) -> pathlib.Path:
        """A virtual environment; of a package for torch, one that sees an installed torch."""
        python = self.directory / "venv" / "bin" / "python"
        called([interpreter(self.row.python, self.cache), "-m", "venv", "venv"], self.directory)
        if self.row.torch:
            link = site_packages(python) / "torch.pth"
            link.write_text(f"{site_packages(torch_python(TORCH))}\n")
        return python


def called(command: list, directory: pathlib.Path) -> None:
    ran = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, f"{' '.join(map(str, command))}\n{ran.stdout}{ran.stderr}"


def interpreter(version: str, cache: pathlib.Path) -> pathlib.Path:
    """The interpreter of that version that pinwheel found: the base of an environment in its cache."""
    bases = (re.search(r"^home = (.*)$", file.read_text(), re.MULTILINE)[1] for file in cache.glob("environments/*/pyvenv.cfg"))
    return next(python for base in bases if (python := pathlib.Path(base) / f"python{version}").exists())


def grafted(wheel: pathlib.Path) -> list[str]:
    """The libraries that `repair` put into a wheel, "libffi" of `cffi.libs/libffi-983e72b7.so.8`."""
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".libs/" in name and ".dist-info/" not in name]
    return sorted(name.rpartition("/")[2].partition(".so")[0].rpartition("-")[0] for name in names)
