"""Locks of environments in containers: they list everything that was used, and reproduce the environment."""

import hashlib
import pathlib
import shutil
import subprocess
import tomllib

import pytest
from conda_packages import Package
from made_wheels import make_wheel
from packaging.pylock import Pylock, is_valid_pylock_path

pytestmark = [pytest.mark.docker, pytest.mark.images]

LOCK = "pylock.cp311-cu130-container-conda.toml"
TEST_LOCK = "pylock.cp311-cu130-container-conda-test.toml"
TOOLKIT = "pylock.toolkit-cuda-13_0-container-conda.toml"
LEVELS = ["--engine", "docker", "--python", "conda"]
NVCC = "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n"
ALL = "python={python}", "ninja", "noted"


@pytest.fixture
def wheels(tmp_path) -> pathlib.Path:
    directory = tmp_path / "wheels"
    directory.mkdir()
    make_wheel(directory, "spam", "1.0")
    return directory


@pytest.fixture
def script(project, dockerd, channel, wheels):
    """A project in bookworm, with a Python of the channel, a wheel from a directory and a toolkit from conda."""
    bases = dockerd.import_bases()
    channel.add(Package("cuda-toolkit", "13.0.88"), {"bin/nvcc": NVCC})
    script = project("script")

    def change(matrix):
        del matrix["axes"]["flavor"]
        matrix["axes"] |= {"python": ["3.11"], "compute": ["cuda/13.0"]}
        conda = {"channels": [channel.url], "packages": list(ALL)}
        container = {"base": bases["bookworm"]}
        matrix["environment"] = {"container": container, "conda": conda, "pip": ["spam"], "toolkit": "conda"}

    script.edit(change)
    script.environment |= dockerd.added()
    script.environment |= {"PINWHEEL_CONDA": "rattler", "PIP_FIND_LINKS": str(wheels)}
    script.base = bases["bookworm"]
    return script


def lock_of(script, name: str = LOCK) -> dict:
    return tomllib.loads((script.directory / "matrix.locks" / name).read_text())


def test_a_lock_lists_the_image_the_packages_and_the_toolkit(script, dockerd, channel, wheels):
    script.run("env", "lock", "matrix.yaml", *LEVELS)
    locks = script.directory / "matrix.locks"
    assert {path.name for path in locks.iterdir()} == {LOCK, TEST_LOCK, TOOLKIT}
    for path in locks.iterdir():
        assert is_valid_pylock_path(path)
        Pylock.from_dict(tomllib.loads(path.read_text())).validate()
    lock = lock_of(script)
    ours = lock["tool"]["pinwheel"]
    image = dockerd.call("image", "inspect", "--format", "{{.Id}}", script.base).stdout.strip()
    assert ours["image"] == {"reference": script.base, "digest": image, "id": image, "key": image}
    assert {"python", "ninja", "noted"} == {one["name"] for one in ours["conda"]}
    for one in ours["conda"]:
        entry = channel.index[one["subdir"]][one["url"].rpartition("/")[2]]
        assert one["url"].startswith(f"{channel.url}/{one['subdir']}/") and one["sha256"] == entry["sha256"]
    (spam,) = lock["packages"]
    (wheel,) = spam["wheels"]
    assert wheel["hashes"] == {"sha256": hashlib.sha256((wheels / wheel["path"]).read_bytes()).hexdigest()}
    assert "find-links" in ours["pip-options"]
    assert ours["toolkits"] == [{"name": "cuda/13.0", "file": TOOLKIT}]
    (toolkit,) = lock_of(script, TOOLKIT)["tool"]["pinwheel"]["conda"]
    assert toolkit["name"] == "cuda-toolkit" and len(toolkit["sha256"]) == 64
    assert str(wheels) not in (locks / LOCK).read_text()
    test_lock = lock_of(script, TEST_LOCK)
    assert [one["name"] for one in test_lock["tool"]["pinwheel"]["conda"]] == ["python"]
    assert test_lock["packages"] == [] and "toolkits" not in test_lock["tool"]["pinwheel"]
    assert dockerd.containers() == []


def test_a_lock_that_is_out_of_date_stops_builds(script, dockerd):
    script.run("env", "lock", "matrix.yaml", *LEVELS)
    script.run("env", "lock", "--check", "matrix.yaml", *LEVELS)
    script.edit(lambda matrix: matrix["environment"]["conda"].update(packages=["python={python}", "ninja"]))
    refused = script.run("env", "lock", "--check", "matrix.yaml", *LEVELS, code=7)
    assert "`conda package` noted is gone" in refused.stderr
    refused = script.run("build", "matrix.yaml", *LEVELS, code=7)
    assert "--no-lock" in refused.stderr.split("hint:")[1] and script.wheels() == {}
    script.run("build", "matrix.yaml", *LEVELS, "--no-lock")
    assert len(script.wheels()) == 1


def test_a_changed_image_of_the_same_name_stops_builds(script, dockerd, tmp_path):
    name = "pinwheel-test/moves:1"
    dockerd.call("tag", script.base, name)
    script.edit(lambda matrix: matrix["environment"]["container"].update(base=name))
    script.run("env", "lock", "matrix.yaml", *LEVELS)
    (tmp_path / "Dockerfile").write_text(f"FROM {script.base}\nRUN touch /moved\n")
    dockerd.build("--tag", name, str(tmp_path))
    for command in (["env", "lock", "--check"], ["build"]):
        refused = script.run(*command, "matrix.yaml", *LEVELS, code=7)
        assert "`image`: " in refused.stderr


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_a_file_that_does_not_match_the_lock_is_refused(script, channel, tmp_path, scheme):
    package = channel.add(Package("changing", "1.0"), {"share/changing": "first\n"})
    where = channel.url if scheme == "http" else channel.directory.as_uri()
    conda = {"channels": [where], "packages": [*ALL, "changing"]}
    script.edit(lambda matrix: matrix["environment"].update(conda=conda))
    script.run("env", "lock", "matrix.yaml", *LEVELS)
    channel.add(Package("changing", "1.0"), {"share/changing": "second\n"})
    script.start_afresh()
    empty = tmp_path / "empty"
    refused = script.run("build", "matrix.yaml", *LEVELS, code=4, PINWHEEL_CACHE_DIR=str(empty))
    assert f"{package.stem}.tar.bz2 has sha256 " in refused.stderr
    assert not list((empty / "images").glob("*/conda/*/share/changing"))


def test_pip_installs_the_pip_part_of_a_lock(script, wheels, tmp_path):
    """pip reads such files since 26.1; files without a URL are next to the lock."""
    script.run("env", "lock", "matrix.yaml", *LEVELS)
    for wheel in wheels.iterdir():
        shutil.copy(wheel, script.directory / "matrix.locks")
    venv, target = tmp_path / "venv", tmp_path / "target"
    subprocess.run(["python3.11", "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin/pip"), "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "pip>=26.1"], check=True)
    lock = script.directory / "matrix.locks" / LOCK
    subprocess.run([*pip, "--no-index", "--target", str(target), "-r", str(lock)], check=True)
    assert (target / "spam.py").exists()
