"""The original conda client: 4.3.16, the newest on PyPI, which needs CPython 3.6."""

import os
import pathlib
import shutil
import subprocess

# The pip of CPython 3.6 cannot resolve conda's dependencies: these are exactly what it needs.
REQUIREMENTS = (
    "requests==2.27.1",
    "urllib3==1.26.18",
    "idna==3.4",
    "certifi==2022.12.7",
    "charset-normalizer==2.0.12",
    "pycosat==0.6.3",
    "ruamel.yaml==0.15.100",
    "conda==4.3.16",
)

# Without `default_channels` it contacts its vendor's host.
CONDARC = "channels: []\ndefault_channels: []\nadd_pip_as_python_dependency: false\n"

# The entry point that pip installs refuses to run as a program; the library's main function does not.
PROGRAM = """\
#!{python}
import sys
sys.argv[0] = "conda"
from conda.cli.main import main
sys.exit(main())
"""


def find_python36() -> str:
    """CPython 3.6: PINWHEEL_TEST_PYTHON36, otherwise from pyenv or PATH."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    named = [os.environ.get("PINWHEEL_TEST_PYTHON36"), *map(str, sorted(pyenv.glob("3.6.*/bin/python3.6")))]
    for python in (*named, shutil.which("python3.6")):
        if python and subprocess.run([python, "--version"], capture_output=True).returncode == 0:
            return python
    raise RuntimeError("no CPython 3.6 for conda 4.3.16; set PINWHEEL_TEST_PYTHON36")


class CondaOracle:
    """`program` is a conda with its own root; it knows .tar.bz2 and MD5, but not virtual packages."""

    def __init__(self, directory: pathlib.Path):
        self.directory = directory
        self.root = directory / "root"
        self.program = directory / "bin" / "conda"

    def install(self) -> None:
        subprocess.run([find_python36(), "-m", "venv", str(self.root)], check=True, capture_output=True)
        python = self.root / "bin" / "python"
        command = [str(python), "-m", "pip", "install", "-q", "--no-deps", *REQUIREMENTS]
        ran = subprocess.run(command, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        (self.root / "conda-meta").mkdir()
        (self.directory / "condarc").write_text(CONDARC)
        self.program.parent.mkdir()
        self.program.write_text(PROGRAM.format(python=python))
        self.program.chmod(0o755)

    def environment(self) -> dict[str, str]:
        path = f"{self.program.parent}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "CONDARC": str(self.directory / "condarc"), "HOME": str(self.directory)}

    def forget_packages(self) -> None:
        """Empties its package cache: it uses cached packages without checking their hash."""
        shutil.rmtree(self.root / "pkgs", ignore_errors=True)

    def call(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(self.program), *arguments], env=self.environment(), capture_output=True, text=True, timeout=120
        )
