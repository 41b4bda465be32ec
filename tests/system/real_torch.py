"""An interpreter with a real torch, and wheels of PyPI's, installed and fetched once and kept for all sessions, which
only read them; what pinwheel says of a wheel there, and what the dynamic linker does."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from shared_cache import cache_directory, key, locked

# The packages of torch itself and of its import.
NEEDS = ["filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "mpmath", "markupsafe", "numpy"]


def site_packages(python: pathlib.Path) -> pathlib.Path:
    code = "import sysconfig; print(sysconfig.get_path('platlib'))"
    return pathlib.Path(subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip())


def torch_python(version: str) -> pathlib.Path:
    """The interpreter of a virtual environment with that torch; made by the first user."""
    cache = cache_directory("python")
    directory = cache / f"torch-{version}-{key(sys.version, sys.executable, *NEEDS)}"
    with locked(cache):
        if not (directory / "complete").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", directory], check=True)
            pip = [directory / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            subprocess.run([*pip, *NEEDS], check=True)
            subprocess.run([*pip, "--no-deps", f"torch=={version}"], check=True)
            (directory / "complete").touch()
    return directory / "bin" / "python"


def fetch_wheels(requirements: list[str]) -> list[pathlib.Path]:
    """The wheels of pinned requirements for CPython 3.11 on x86_64, whichever runs this, without what they need."""
    assert all("==" in requirement for requirement in requirements)
    directory = cache_directory("wheels")
    tags = ["manylinux1", "manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28"]
    platforms = [argument for tag in tags for argument in ("--platform", f"{tag}_x86_64")]
    with locked(directory):
        for requirement in requirements:
            if (directory / requirement).is_dir():
                continue
            arguments = ["--no-deps", "--only-binary", ":all:", "--python-version", "3.11", *platforms]
            with tempfile.TemporaryDirectory(dir=directory) as scratch:
                fetched = pathlib.Path(scratch) / "wheels"
                pip = [sys.executable, "-m", "pip", "download", "-q", *arguments, "-d", fetched, requirement]
                subprocess.run(pip, check=True)
                fetched.rename(directory / requirement)
    return [next((directory / requirement).glob("*.whl")) for requirement in requirements]


def compat(pinwheel: str, wheel: pathlib.Path, python: pathlib.Path, *arguments: str, code: int = 0):
    command = [pinwheel, "compat", str(wheel), "--installed", str(site_packages(python)), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran


def judged(pinwheel: str, wheel: pathlib.Path, python: pathlib.Path, *arguments: str) -> dict:
    """The verdict on the installed torch."""
    (info,) = site_packages(python).glob("torch-*.dist-info")
    version = info.name.removeprefix("torch-").removesuffix(".dist-info")
    report = json.loads(compat(pinwheel, wheel, python, *arguments, "--json").stdout)
    assert report["schema"] == 1
    (verdict,) = [each for each in report["torch"] if each["version"] == version]
    return verdict


def judged_here(pinwheel: str, wheel: pathlib.Path, python: pathlib.Path, *arguments: str) -> dict:
    """The verdict where libraries that no policy names, `libheif.so.1`, are those of this machine."""
    listed = subprocess.run(["ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    here = {line.split()[0] for line in listed.splitlines() if "=>" in line}
    absent = judged(pinwheel, wheel, python, *arguments)["needed_unresolved"]
    externals = [part for name in absent if name in here for part in ("--external", name)]
    return judged(pinwheel, wheel, python, *arguments, *externals)


def opened(wheel: pathlib.Path, python: pathlib.Path, place: pathlib.Path, **variables: str) -> dict[str, str | None]:
    """Each library of the wheel and why the linker does not open it."""
    unpacked = place / wheel.stem
    zipfile.ZipFile(wheel).extractall(unpacked)
    script = pathlib.Path(__file__).with_name("open_libraries.py")
    environment = {**os.environ, **variables}
    ran = subprocess.run([python, script, unpacked], check=True, capture_output=True, text=True, env=environment)
    return json.loads(ran.stdout)


def assert_loads_as_predicted(predicted: dict, output: dict[str, str | None]) -> None:
    """`output` is of `opened`; the prediction is a verdict of `judged`."""
    failing = set(predicted["failing"])
    errors = {member: error for member, error in output.items() if error}
    assert failing == set(errors), (
        f"predicted to fail, and loads: {sorted(failing - set(errors))}\n"
        f"predicted to load, and fails: { {member: errors[member] for member in set(errors) - failing} }"
    )
