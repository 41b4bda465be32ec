"""The bundled kernels' own tests under the oldest torch that they are for and under the newest: one wheel for both."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_wheels import KERNELS, build_wheel

pytestmark = pytest.mark.torch

OLDEST = "2.10.0"


def releases(pinwheel: str) -> list[str]:
    """The releases of torch that pinwheel knows, ascending."""
    said = subprocess.run([pinwheel, "torch-exports", "list", "--json"], check=True, capture_output=True, text=True)
    builds = [each["version"] for each in json.loads(said.stdout)["builds"] if each["arch"] == "x86_64"]
    return [version for version in builds if "+" not in version]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="module")
def tests_command(tmp_path_factory) -> str:
    """A shell command that runs the kernels' tests by the Python it meets, which has torch and the wheel only."""
    tools = tmp_path_factory.mktemp("tools")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", str(tools)]
    subprocess.run([*pip, "pytest", "numpy"], check=True)
    code = f"import sys; sys.path.append({str(tools)!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    return shlex.join(["python", "-c", code, "-q", "-p", "no:cacheprovider", "-k", "not cuda", str(KERNELS / "tests")])


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_one_wheel_runs_under_every_torch(which, pinwheel, wheel, tests_command, shared):
    version = OLDEST if which == "oldest" else releases(pinwheel)[-1]
    ran = subprocess.run(
        [pinwheel, "compat", str(wheel), "--run", "--torch", version, "--timeout", "30 min", "--json"]
        + ["--smoke", tests_command],
        capture_output=True,
        text=True,
        env=None,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    (torch,) = json.loads(ran.stdout)["torch"]
    assert torch["version"] == version and torch["verdict"] == "guaranteed"
    assert torch["run"]["state"] == "ran"
