"""Pythons that the machine lacks: found elsewhere, fetched by uv or conda, or missing, with the way to them."""

import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import PYTHON

# A uv that has this session's Python to give, and notes each call.
UV = """#!/bin/sh
echo "$*" >> '{calls}'
[ "$*" = 'python install {version}' ] || {{ echo "error: No download found for request: $3" >&2; exit 1; }}
place="$UV_PYTHON_INSTALL_DIR/cpython-{version}.0-linux-x86_64-gnu/bin"
mkdir -p "$place" && ln -s '{program}' "$place/python"
"""
OFFLINE = """#!/bin/sh
echo "error: Failed to install cpython-$3" >&2
echo "  Caused by: error sending request for url" >&2
exit 2
"""
# The description of a free-threaded Python.
FREE_THREADED = {
    "version": "3.13.9",
    "implementation": "cpython",
    "free_threaded": True,
    "platform": "linux-x86_64",
    "soabi": "cpython-313t-x86_64-linux-gnu",
    "include_directory": "/nowhere",
    "has_headers": True,
    "makes_environments": True,
}


def program(path: pathlib.Path, text: str) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path) -> dict[str, str]:
    """The variables of a user whose machine has every program but Python and nvcc."""
    place = tmp_path / "programs"
    place.mkdir()
    for directory in ("/usr/local/bin", "/usr/bin", "/bin"):
        for name in os.listdir(directory):
            link = place / name
            unwanted = name.startswith(("python", "pypy", "uv", "conda", "mamba", "micromamba", "nvcc"))
            if not unwanted and not link.exists() and os.access(f"{directory}/{name}", os.X_OK):
                link.symlink_to(f"{directory}/{name}")
    home = tmp_path / "home"
    home.mkdir()
    return {
        "PATH": str(place),
        "HOME": str(home),
        "PYENV_ROOT": str(home / "pyenv"),
        "UV_PYTHON_INSTALL_DIR": str(home / "uv"),
        "XDG_DATA_HOME": str(home / "data"),
        "CONDA_EXE": "",
        "CONDA_PREFIX": "",
        "MAMBA_EXE": "",
        "MAMBA_ROOT_PREFIX": "",
        "PINWHEEL_CACHE_DIR": str(tmp_path / "cache"),
    }


@pytest.fixture
def script(project):
    """A project without requirements, and a matrix that lets pinwheel fetch Pythons."""
    one = project("script")

    def change(matrix):
        matrix["axes"]["flavor"] = ["plain"]
        matrix["environment"]["python"] = "auto"

    one.edit(change)
    return one


def fake_uv(bare: dict[str, str], tmp_path: pathlib.Path, text: str = UV) -> pathlib.Path:
    """Puts a uv on the user's PATH; returns the file that notes its calls."""
    calls = tmp_path / "uv-calls"
    real = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    if text == UV:
        text = text.format(calls=calls, version=PYTHON, program=real)
    program(pathlib.Path(bare["PATH"]) / "uv", text)
    return calls


def test_uv_fetches_a_missing_python_once_and_into_the_cache(script, bare, tmp_path):
    calls = fake_uv(bare, tmp_path)
    planned = script.run("plan", "matrix.yaml", **bare).stderr
    assert f"Python {PYTHON} is not here yet: a run fetches it by uv" in planned
    printed = script.run("test", "matrix.yaml", **bare).stderr
    assert f"fetching Python {PYTHON} by uv" in printed
    assert len(script.wheels()) == 1
    assert "fetch" not in script.run("test", "matrix.yaml", **bare).stderr
    assert calls.read_text() == f"python install {PYTHON}\n"
    assert list((tmp_path / "cache" / "pythons" / "uv").iterdir())
    assert not pathlib.Path(bare["UV_PYTHON_INSTALL_DIR"]).exists()


def test_without_the_key_a_missing_python_is_an_error_with_the_way_to_it(script, bare, tmp_path):
    calls = fake_uv(bare, tmp_path)
    script.edit(lambda matrix: matrix["environment"].pop("python"))
    printed = script.run("build", "matrix.yaml", code=4, **bare).stderr
    assert f"no Python `{PYTHON}` on this machine" in printed
    assert f"uv python install {PYTHON}" in printed
    assert not calls.exists()


def test_without_a_network_the_error_names_both_ways(script, bare, tmp_path):
    fake_uv(bare, tmp_path, OFFLINE)
    printed = script.run("build", "matrix.yaml", code=4, PINWHEEL_CONDA="/nowhere/micromamba", **bare).stderr
    assert f"Python `{PYTHON}` is not on this machine, and neither uv nor conda could install it" in printed
    assert f"`uv python install {PYTHON}` failed: error sending request" in printed
    assert "/nowhere/micromamba" in printed


def test_conda_fetches_it_where_there_is_no_uv(script, bare, channel, tmp_path):
    # The client needs its own Python, which an earlier run left in the cache.
    def change(matrix):
        matrix["environment"]["conda"] = {"channels": [channel.url], "packages": ["python={python}"]}

    script.edit(change)
    conda = {"PINWHEEL_CONDA": "rattler", "PINWHEEL_CACHE_DIR": bare["PINWHEEL_CACHE_DIR"]}
    script.run("build", "matrix.yaml", PINWHEEL_PYTHON="conda", **conda)
    script.start_afresh()
    printed = script.run("test", "matrix.yaml", **{**bare, **conda}).stderr
    assert f"fetching Python {PYTHON} by conda" in printed
    assert len(script.wheels()) == 1
    (marker,) = (tmp_path / "cache" / "pythons").glob("conda-*/pinwheel-complete.json")
    assert (marker.parent / "bin" / "python").exists()
    assert "fetch" not in script.run("test", "matrix.yaml", **{**bare, **conda}).stderr


def lines(script, *arguments: str, **variables: str) -> dict[str, dict]:
    """The lines of `doctor` by name. Without any Python on the machine it exits 4."""
    ran = subprocess.run(
        [script.binary, "doctor", "--json", *arguments],
        cwd=script.directory,
        env={**script.environment, **variables},
        capture_output=True,
        text=True,
    )
    return {line["name"]: line for line in json.loads(ran.stdout)["lines"]}


def test_doctor_says_how_to_get_the_pythons_of_a_matrix(script, bare):
    script.edit(lambda matrix: matrix["axes"].update(python=["3.13t"]))
    fetched = lines(script, "matrix.yaml", **bare)["python 3.13t"]
    assert fetched["allows"].endswith("conda fetches it when a step needs it")
    script.edit(lambda matrix: matrix["environment"].pop("python"))
    line = lines(script, "matrix.yaml", **bare)["python 3.13t"]
    assert line["fix"] == "uv python install 3.13t, or `environment: {python: auto}` in the matrix"
    assert "`cp313t-plain`" in line["allows"]
    alone = lines(script, **bare)
    assert "python 3.13t" not in alone
    assert "uv python install 3.14t" in alone["free-threads"]["fix"]
    assert "musllinux_1_2" in alone["musl"]["fix"] + alone["musl"]["allows"]


def test_a_free_threaded_python_is_distinguished_from_the_other(script, bare):
    """By a program that says what such a Python says of itself, as uv would install it."""
    uv = pathlib.Path(bare["UV_PYTHON_INSTALL_DIR"])
    place = uv / "cpython-3.13.9+freethreaded-linux-x86_64-gnu" / "bin" / "python"
    program(place, f"#!/bin/sh\necho '{json.dumps({**FREE_THREADED, 'path': str(place)})}'\n")
    script.edit(lambda matrix: matrix["environment"].pop("python"))
    script.edit(lambda matrix: matrix["axes"].update(python=["3.13t"]))
    script.edit(lambda matrix: matrix["abi"].update(python="version"))
    assert "no Python" not in script.run("plan", "matrix.yaml", **bare).stderr
    assert lines(script, "matrix.yaml", **bare)["free-threads"]["found"] == "3.13.9t"
    assert "-cp313-cp313t-" in script.run("explain", "matrix.yaml", "cp313t-plain", **bare).stdout
    script.edit(lambda matrix: matrix["axes"].update(python=["3.13"]))
    assert "no Python `3.13`" in script.run("plan", "matrix.yaml", **bare).stderr


def test_a_wheel_for_a_free_threaded_python_is_built_tested_and_judged(project):
    """With a real one, if this machine has it on PATH or from uv."""
    found = [shutil.which(f"python{version}") for version in ("3.14t", "3.13t")]
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR", os.path.expanduser("~/.local/share/uv/python"))
    found += glob.glob(f"{uv}/*freethreaded*/bin/python")
    real = next((each for each in found if each), None)
    if real is None:
        pytest.skip("no free-threaded Python here: `uv python install 3.14t`")
    asked = [real, "-c", "import sys; print('%d.%dt' % sys.version_info[:2])"]
    version = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    one = project("extension")

    def change(matrix):
        matrix["axes"] = {"python": [version], "flavor": ["plain"]}
        matrix["abi"] = {"python": "version"}

    one.edit(change)
    outcomes = one.report("test", "matrix.yaml")
    assert {each["state"] for each in outcomes.values()} == {"done"}, outcomes
    (wheel,) = (one.output / name for name in one.wheels() if name.endswith(".whl"))
    tag = "cp" + version.replace(".", "")
    assert f"-{tag[:-1]}-{tag}-manylinux_" in wheel.name
    judged = json.loads(one.run("inspect", str(wheel), "--json").stdout)
    assert not [each for each in judged["findings"] if each["severity"] == "error"]
    wrong = wheel.with_name(wheel.name.replace(f"-{tag}-", f"-{tag[:-1]}-"))
    wheel.rename(wrong)
    judged = json.loads(one.run("inspect", str(wrong), "--json").stdout)
    assert "python-abi" in {each["rule"] for each in judged["findings"] if each["severity"] == "error"}
