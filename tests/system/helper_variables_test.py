"""What the programs see that pinwheel asks: none of the caller's tokens."""

import os
import pathlib
import shutil
import subprocess

import pytest

CANARY = "canary-0123456789"
SECRETS = [
    "PINWHEEL_TOKEN_PYPI", "TWINE_PASSWORD", "GITHUB_TOKEN", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_API_KEY",
]  # fmt: skip
ASKED = ["c++", "cc", "gcc", "nvcc", "hipcc", "docker", "podman", "perl", "git", "uname", "python3", "patchelf", "ldd"]


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


def test_doctor_asks_programs_without_the_callers_secrets(pinwheel, spies, tmp_path):
    environment = {**os.environ, **{name: CANARY for name in SECRETS}, "PATH": f"{spies}:{os.environ['PATH']}"}
    subprocess.run([pinwheel, "doctor"], env=environment, cwd=tmp_path, capture_output=True, timeout=120)
    assert_not_seen(tmp_path, least=4)


def test_a_run_asks_programs_without_the_callers_secrets(project, spies, tmp_path):
    script = project("script")
    path = f"{spies}:{script.environment['PATH']}"
    script.run("build", "matrix.yaml", PATH=path, **{name: CANARY for name in SECRETS})
    assert_not_seen(tmp_path, least=1)
