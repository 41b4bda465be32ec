"""The checks of `plan` before anything is made."""

import json
import os
import pathlib
import subprocess

import pytest

MATRIX = """schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11", "%s"]
environment: {build-requires: none%s}
build: {command: [python, build.py, "{dest_dir}"]}
"""


class Checkout:
    def __init__(self, binary: str, directory: pathlib.Path):
        self.binary = binary
        self.directory = directory
        self.environment = {**os.environ, "PINWHEEL_CACHE_DIR": str(directory.parent / "cache")}

    def write(self, name: str, text: str) -> None:
        (self.directory / name).write_text(text)

    def run(self, *arguments: str, code: int = 0, **environment: str) -> subprocess.CompletedProcess:
        ran = subprocess.run(
            [self.binary, *arguments],
            cwd=self.directory,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert ran.returncode == code, f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        return ran


@pytest.fixture
def checkout(pinwheel, tmp_path):
    directory = tmp_path / "checkout"
    directory.mkdir()
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"], ["tag", "v1.0"]):
        subprocess.run([*git, *command], cwd=directory, check=True)
    return Checkout(pinwheel, directory)


def test_a_missing_python_is_reported_once_with_all_that_needs_it(checkout):
    checkout.write("m.yaml", MATRIX % ("3.99", ""))
    ran = checkout.run("plan", "m.yaml")
    assert ran.stderr.count("no Python `3.99` on this machine") == 1
    assert "`build:cp399`, `test:cp399` stop without it" in ran.stderr
    assert "uv python install 3.99" in ran.stderr
    assert "3.11`" not in ran.stderr.split("found")[0]
    assert json.loads(checkout.run("plan", "m.yaml", "--format", "json").stdout)
    for form in ("ids", "github"):
        assert checkout.run("plan", "m.yaml", "--format", form).stderr == ""


def test_containers_and_conda_bring_their_own_python(checkout):
    checkout.write("m.yaml", MATRIX % ("3.99", ", conda: {channels: [conda-forge], packages: [python]}"))
    assert checkout.run("plan", "m.yaml", "--python", "conda").stderr == ""


def test_a_run_that_would_stop_before_its_first_step_is_a_warning(checkout):
    checkout.write("m.yaml", (MATRIX % ("3.11", "")).replace(', "3.11"]', "]"))
    checkout.write("build.py", "raise SystemExit(1)\n")
    checkout.run("build", "m.yaml", code=1)
    assert "would" in checkout.run("plan", "m.yaml").stdout
    checkout.write(
        "m.yaml",
        (MATRIX % ("3.11", ""))
        .replace(', "3.11"]', "]")
        .replace("source: .", "requirement: no-such-project-of-anyone==1.0"),
    )
    ran = checkout.run("plan", "m.yaml", PIP_INDEX_URL="http://127.0.0.1:9/simple/")
    assert "warning: a run here would stop before its first step" in ran.stderr
    assert "1 variant, 1 build, 1 test" in ran.stdout and "would" not in ran.stdout
    shown = checkout.run("plan", "m.yaml", "--format", "json", PIP_INDEX_URL="http://127.0.0.1:9/simple/")
    assert not any("would" in step for step in json.loads(shown.stdout)["forecast"]["steps"])
