"""`pinwheel env export`: its files rebuild the environment on a machine without pinwheel."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import PYTHON
from contained import contain
from made_wheels import make_wheel

TAG = "cp" + PYTHON.replace(".", "")
LIST = ["python", "-m", "pip", "list", "--format=json"]
CONDA_LIST = "import json, pathlib, sys; print(sorted(p.stem for p in pathlib.Path(sys.base_prefix, 'conda-meta').glob('*.json')))"


def needs_wheels(script, wheels) -> None:
    """Two packages that only a user's directory has, in addition to those of the index."""
    script.resolutions = script.directory.parent / "resolutions"
    script.start_afresh()
    script.edit(lambda matrix: matrix["environment"].update(pip=["spam", "eggs<3"]))
    script.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}


def plain(script) -> dict[str, str]:
    """The caller's environment without pinwheel and without pip's settings for the wheels."""
    dropped = ("PINWHEEL_", "PIP_NO_INDEX", "PIP_FIND_LINKS")
    return {key: value for key, value in script.environment.items() if not key.startswith(dropped)}


def create(script, out: pathlib.Path, at: pathlib.Path, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [out / "environment" / "create.sh", at],
        env={**plain(script), **environment}, capture_output=True, text=True, cwd="/", timeout=600,
    )  # fmt: skip


def packages(text: str) -> dict[str, str]:
    return {one["name"]: one["version"] for one in json.loads(text)}


@pytest.fixture
def out(tmp_path) -> pathlib.Path:
    return tmp_path / "exported"


def shellcheck(out: pathlib.Path) -> None:
    checked = subprocess.run(["shellcheck", out / "environment" / "create.sh"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_the_script_makes_the_same_packages(project, wheels, out, tmp_path):
    script = project("script")
    needs_wheels(script, wheels)
    script.run("env", "export", "matrix.yaml", f"{TAG}-plain", "--out", str(out))
    shellcheck(out)
    original = packages(script.run("env", "shell", "matrix.yaml", f"{TAG}-plain", "--", *LIST).stdout)
    assert original["spam"] == "1.0" and original["eggs"] == "2.0"

    for wheel in wheels.iterdir():  # files that are on no index are next to the lists
        shutil.copy(wheel, out / "environment")
    interpreter = {"PYTHON": sys.executable, "PIP_NO_INDEX": "1"}
    made = create(script, out, tmp_path / "made", **interpreter)
    assert made.returncode == 0, made.stderr
    python = tmp_path / "made" / "env" / "bin" / "python"
    listed = subprocess.run([python, *LIST[1:]], capture_output=True, text=True, check=True, env=plain(script)).stdout
    assert packages(listed) == original
    assert f"{tmp_path}/made/env/bin" in made.stdout

    # A file whose hash differs from the list is refused.
    make_wheel(out / "environment", "spam", "1.0", "changed = True")
    refused = create(script, out, tmp_path / "refused", **interpreter)
    assert refused.returncode != 0 and "HASHES" in refused.stderr


def test_another_python_is_refused(project, out, tmp_path):
    script = project("script")
    script.run("env", "export", "matrix.yaml", f"{TAG}-plain", "--out", str(out))
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho 3.6.15\n")
    other.chmod(0o755)
    refused = create(script, out, tmp_path / "made", PYTHON=str(other))
    assert refused.returncode == 1 and f"set PYTHON to a Python {PYTHON}" in refused.stderr


def test_conda_packages_are_included(project, channel, out, tmp_path):
    script = project("script")
    conda = {"channels": [channel.url], "packages": ["python={python}", "ninja"]}
    script.edit(lambda matrix: matrix["environment"].update(conda=conda))
    levels = ["--python", "conda"]
    script.run("env", "export", "matrix.yaml", f"{TAG}-plain", *levels, "--out", str(out), PINWHEEL_CONDA="rattler")
    shellcheck(out)
    explicit = (out / "environment" / "conda-explicit.txt").read_text().splitlines()
    assert explicit[0] == "@EXPLICIT" and all(line.startswith(channel.url) for line in explicit[1:])
    inside = ["--", "python", "-c", CONDA_LIST]
    original = script.run("env", "shell", "matrix.yaml", f"{TAG}-plain", *levels, *inside, PINWHEEL_CONDA="rattler").stdout

    without_clients = {"CONDA": "", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    made = create(script, out, tmp_path / "made", **without_clients)
    assert made.returncode == 0, made.stderr
    python = tmp_path / "made" / "env" / "bin" / "python"
    assert subprocess.run([python, "-c", CONDA_LIST], capture_output=True, text=True, check=True).stdout == original


def test_only_an_earlier_export_is_replaced(project, out):
    script = project("script")
    out.mkdir()
    (out / "mine").write_text("")
    refused = script.run("env", "export", "matrix.yaml", f"{TAG}-plain", "--out", str(out), code=2)
    assert "is not empty" in refused.stderr and (out / "mine").exists()
    (out / "mine").unlink()
    for _ in range(2):
        script.run("env", "export", "matrix.yaml", f"{TAG}-plain", "--out", str(out))
    assert sorted(path.name for path in out.iterdir()) == ["Dockerfile", "environment"]
    nearest = script.run("env", "export", "matrix.yaml", f"{TAG}-plane", "--out", str(out), code=2)
    assert f"`{TAG}-plain`" in nearest.stderr


@pytest.mark.docker
def test_the_dockerfile_makes_the_same_packages(project, engine, bases, wheels, out, tmp_path):
    script = project("script")
    contain(script, bases["bookworm"], "bookworm", "3.11")
    script.environment |= engine.added()
    needs_wheels(script, wheels)
    levels = ["--engine", engine.name, "--python", "venv"]
    script.run("env", "export", "matrix.yaml", "cp311-plain", *levels, "--out", str(out))
    original = packages(script.run("env", "shell", "matrix.yaml", "cp311-plain", *levels, "--", *LIST).stdout)
    assert original["spam"] == "1.0"

    for wheel in wheels.iterdir():
        shutil.copy(wheel, out / "environment")
    configuration = tmp_path / "pip.conf"
    configuration.write_text("[global]\nno-index = true\n")
    tag = f"exported-{os.getpid()}"
    engine.build("--secret", f"id=pip.conf,src={configuration}", "--tag", tag, str(out), variables={"DOCKER_BUILDKIT": "1"})
    try:
        assert packages(engine.run(tag, *LIST).stdout) == original
        release = engine.run(tag, "cat", "/etc/os-release").stdout
        assert "bookworm" in release
    finally:
        engine.call("rmi", "--force", tag)
