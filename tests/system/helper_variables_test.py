"""The variables of helper programs: none of the caller's tokens."""

import os
import pathlib
import shutil
import subprocess

import pytest

CANARY = "canary-0123456789"
SECRETS = [
    "PINWHEEL_TOKEN_PYPI", "TWINE_PASSWORD", "GITHUB_TOKEN", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_API_KEY",
]  # fmt: skip
ASKED = [
    "c++", "cc", "gcc", "g++", "nvcc", "hipcc", "docker", "podman", "perl", "git", "uname", "python3", "patchelf", "ldd",
]  # fmt: skip


@pytest.fixture
def spies(tmp_path) -> pathlib.Path:
    """A directory of programs that note their environment before they do what they always do."""
    place = tmp_path / "spies"
    place.mkdir()
    for name in ASKED:
        real = shutil.which(name) or "/bin/false"
        spy = place / name
        spy.write_text(f"#!/bin/sh\n/usr/bin/env > {tmp_path}/seen-{name}-$$\nexec {real} \"$@\"\n")
        spy.chmod(0o755)
    return place


def assert_not_seen(tmp_path, least):
    seen = list(tmp_path.glob("seen-*"))
    assert len({path.name.split("-")[1] for path in seen}) >= least, seen
    for path in seen:
        assert CANARY not in path.read_text(), path.name


# The variables that configure one tool, and the programs that may see them.
TOOLS = {
    "GIT_CONFIG_CANARY": ["git"],
    "SSH_AUTH_SOCK": ["git"],
    "PIP_CANARY": ["python3"],
    "NETRC": ["python3"],
    "DOCKER_CANARY": ["docker", "podman"],
    "CONTAINER_CANARY": ["docker", "podman"],
    "CONDA_CANARY": [],
    "MAMBA_CANARY": [],
    "ROCM_PATH": ["c++", "cc", "gcc", "nvcc", "hipcc", "perl", "g++"],
}


def assert_own_only(tmp_path, *asked):
    """No program saw what configures another; those that were asked were."""
    seen = {path: path.name.split("-")[1] for path in tmp_path.glob("seen-*")}
    assert set(asked) <= set(seen.values()), sorted(set(seen.values()))
    for path, name in seen.items():
        variables = path.read_text()
        # hipcc is a script: what it asks inherits its variables.
        asked_by = "hipcc" if "HIP_PLATFORM=" in variables else name
        for variable, readers in TOOLS.items():
            assert asked_by in readers or f"{variable}=" not in variables, f"{name} saw {variable}"


def test_each_program_sees_what_configures_it_alone(pinwheel, project, spies, tmp_path):
    given = {name: f"/canary/{name}" for name in TOOLS}
    environment = {**os.environ, **given, "PATH": f"{spies}:{os.environ['PATH']}"}
    subprocess.run([pinwheel, "doctor"], env=environment, cwd=tmp_path, capture_output=True, timeout=120)
    assert_own_only(tmp_path, "docker", "nvcc", "python3", "uname")
    docker = next(tmp_path.glob("seen-docker-*")).read_text()
    assert "DOCKER_CANARY=" in docker and "CONTAINER_CANARY=" in docker
    assert any("ROCM_PATH=" in path.read_text() for path in tmp_path.glob("seen-nvcc-*"))


def test_a_python_that_is_asked_for_its_torch_sees_no_secret(pinwheel, spies, tmp_path):
    environment = {**os.environ, **{name: CANARY for name in SECRETS}, "PATH": f"{spies}:{os.environ['PATH']}"}
    command = [pinwheel, "torch-exports", "add", "--python", str(spies / "python3"), "--table", str(tmp_path / "table")]
    subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, timeout=120)
    assert_not_seen(tmp_path, least=1)


def test_doctor_asks_programs_without_the_callers_secrets(pinwheel, spies, tmp_path):
    environment = {**os.environ, **{name: CANARY for name in SECRETS}, "PATH": f"{spies}:{os.environ['PATH']}"}
    subprocess.run([pinwheel, "doctor"], env=environment, cwd=tmp_path, capture_output=True, timeout=120)
    assert_not_seen(tmp_path, least=4)


def test_a_run_asks_programs_without_the_callers_secrets(project, spies, tmp_path):
    script = project("script")
    path = f"{spies}:{script.environment['PATH']}"
    script.run("build", "matrix.yaml", PATH=path, **{name: CANARY for name in SECRETS})
    assert_not_seen(tmp_path, least=1)
