"""An interpreter with a real torch, and wheels of PyPI's, installed and fetched once in a session."""

import fcntl
import pathlib
import subprocess
import sys

# Of torch itself and what importing it takes.
NEEDS = ["filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "mpmath", "markupsafe", "numpy"]


def site_packages(python: pathlib.Path) -> pathlib.Path:
    code = "import sysconfig; print(sysconfig.get_path('platlib'))"
    return pathlib.Path(subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip())


def torch_python(shared: pathlib.Path, version: str) -> pathlib.Path:
    """The interpreter of a virtual environment with that torch; made by whoever comes first."""
    directory = shared / f"torch-{version}"
    with (shared / f"torch-{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (directory / "complete").exists():
            subprocess.run([sys.executable, "-m", "venv", directory], check=True)
            pip = [directory / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            subprocess.run([*pip, *NEEDS], check=True)
            subprocess.run([*pip, "--no-deps", f"torch=={version}"], check=True)
            (directory / "complete").touch()
    return directory / "bin" / "python"


def fetch_wheels(shared: pathlib.Path, requirements: list[str]) -> list[pathlib.Path]:
    """The wheels for CPython 3.11 on x86_64, whichever runs this, without what they depend on."""
    directory = shared / "wheels-of-pypi"
    tags = ["manylinux1", "manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28"]
    platforms = [argument for tag in tags for argument in ("--platform", f"{tag}_x86_64")]
    with (shared / "wheels-of-pypi.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for requirement in requirements:
            if (directory / requirement).is_dir():
                continue
            arguments = ["--no-deps", "--only-binary", ":all:", "--python-version", "3.11", *platforms]
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "-q", *arguments, "-d", directory / requirement, requirement],
                check=True,
            )
    return [next((directory / requirement).glob("*.whl")) for requirement in requirements]
